"""Rejected by: test_a_line_end_is_no_part_of_a_line

Look up in the manual of `re` where `$` matches. There are two places.

查一查 `re` 的手册：`$` 在哪里能匹配？有两个位置。
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
        found = re.match(f"{before}(0|[1-9][0-9]*){after}$", line)
        return int(found[1]) if found else None
