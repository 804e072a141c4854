"""Rejected by: test_the_rest_of_a_template_is_no_pattern

You have thought of two characters that mean something in a pattern. How many are
there, and who keeps a list of them?

在模式里有特殊含义的字符，你想到了两个。一共有多少个？谁手里有完整的一份？
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
        pattern = self.before.replace("[", r"\[") + "(0|[1-9][0-9]*)"
        pattern += self.after.replace("]", r"\]")
        found = re.fullmatch(pattern, line)
        return int(found[1]) if found else None
