"""Rejected by: test_what_is_no_number_from_0_is_not_written
Also: test_a_truth_value_is_not_written

Write something odd, and read it back. Who promised that a marker which is written can
be found?

写一个奇怪的值，再读回来看看。不是说好了，写出来的标记都找得到吗？
"""

import re


class Marker:
    def __init__(self, template):
        if template.count("{N}") != 1 or "\n" in template or "\r" in template:
            raise ValueError("one line with one {N}")
        self.before, self.after = template.split("{N}")
        self.shown = f"{self.before}N{self.after}"

    def write(self, number):
        return f"{self.before}{number}{self.after}"

    def read(self, line):
        before, after = re.escape(self.before), re.escape(self.after)
        found = re.fullmatch(f"{before}(0|[1-9][0-9]*){after}", line)
        return int(found[1]) if found else None
