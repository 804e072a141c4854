"""Rejected by: test_the_number_is_written_into_the_blank

You look for the blank after it has become a letter like any other. Where could that
letter stand, too?

空位变成普通字母之后，你才去找它。这个字母还可能出现在哪里？
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
        return self.shown.replace("N", str(number))

    def read(self, line):
        before, after = re.escape(self.before), re.escape(self.after)
        found = re.fullmatch(f"{before}(0|[1-9][0-9]*){after}", line)
        return int(found[1]) if found else None
