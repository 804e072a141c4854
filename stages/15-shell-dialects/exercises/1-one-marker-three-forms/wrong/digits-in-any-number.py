"""Rejected by: test_a_number_has_one_spelling

Two lines look different and you read the same number from both. Would `write` have
made both of them?

两行看上去不一样，你却读出了同一个数。这两行都是 `write` 写得出来的吗？
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
        found = re.fullmatch(f"{before}([0-9]+){after}", line)
        return int(found[1]) if found else None
