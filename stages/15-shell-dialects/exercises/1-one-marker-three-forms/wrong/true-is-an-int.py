"""Rejected by: test_a_truth_value_is_not_written

In Python a truth value is an `int`. What does it look like in the line?

在 Python 里，真假值也是 `int`。写进这一行会是什么样子？
"""

import re


class Marker:
    def __init__(self, template):
        if template.count("{N}") != 1 or "\n" in template or "\r" in template:
            raise ValueError("one line with one {N}")
        self.before, self.after = template.split("{N}")
        self.shown = f"{self.before}N{self.after}"

    def write(self, number):
        if not isinstance(number, int) or number < 0:
            raise ValueError(number)
        return f"{self.before}{number}{self.after}"

    def read(self, line):
        before, after = re.escape(self.before), re.escape(self.after)
        found = re.fullmatch(f"{before}(0|[1-9][0-9]*){after}", line)
        return int(found[1]) if found else None
