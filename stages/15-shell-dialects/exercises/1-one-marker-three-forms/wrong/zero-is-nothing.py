"""Rejected by: test_zero_is_a_number

You ask whether anything was read. Put a 0 through your question.

你问的是“读到了没有”。拿 0 去问一问，看看得到什么。
"""

import re


class Marker:
    def __init__(self, template):
        if template.count("{N}") != 1 or "\n" in template or "\r" in template:
            raise ValueError("one line with one {N}")
        self.before, self.after = template.split("{N}")
        self.shown = f"{self.before}N{self.after}"

    def write(self, number):
        line = f"{self.before}{number}{self.after}"
        if type(number) is not int or not self.read(line):
            raise ValueError(number)
        return line

    def read(self, line):
        before, after = re.escape(self.before), re.escape(self.after)
        found = re.fullmatch(f"{before}(0|[1-9][0-9]*){after}", line)
        return int(found[1]) if found else None
