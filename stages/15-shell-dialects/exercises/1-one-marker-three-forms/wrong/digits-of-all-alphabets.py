"""Rejected by: test_only_ten_digits_are_digits

Look up what `\\d` matches in a `str`. It is more than ten characters.

查一查 `\\d` 在 `str` 里能匹配什么。它认得的字符不止十个。
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
        found = re.fullmatch(rf"{before}(0|[1-9]\d*){after}", line)
        return int(found[1]) if found else None
