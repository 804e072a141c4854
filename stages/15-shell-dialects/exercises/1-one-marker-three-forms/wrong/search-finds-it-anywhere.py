"""Rejected by: test_only_the_whole_line_is_read
Also: test_a_line_end_is_no_part_of_a_line

You find the marker in a sentence that only mentions it. How much of the line has to
match?

一句话里只是提到了标记，你也算读到。这一行有多少要对得上才行？
"""

import re


class Marker:
    def __init__(self, template):
        if template.count("{N}") != 1 or "\n" in template or "\r" in template:
            raise ValueError("one line with one {N}")
        self.before, self.after = template.split("{N}")
        self.shown = f"{self.before}N{self.after}"

    def write(self, number):
        if type(number) is not int or number < 0:
            raise ValueError(number)
        return f"{self.before}{number}{self.after}"

    def read(self, line):
        before, after = re.escape(self.before), re.escape(self.after)
        found = re.search(f"{before}(0|[1-9][0-9]*){after}", line)
        return int(found[1]) if found else None
