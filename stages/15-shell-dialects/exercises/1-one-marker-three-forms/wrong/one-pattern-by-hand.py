"""Rejected by: test_the_rest_of_a_template_is_no_pattern
Also: test_what_is_written_is_read_back

Here the line is written down a second time. What will your reader find when somebody
changes the template?

这一行在这里又抄了一遍。有人改了模板之后，你的 `read` 还找得到什么？
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
        found = re.fullmatch(r"\[exit code: (0|[1-9][0-9]*)\]", line)
        return int(found[1]) if found else None
