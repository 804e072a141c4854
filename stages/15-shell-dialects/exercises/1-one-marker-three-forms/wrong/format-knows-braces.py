"""Rejected by: test_the_blank_is_shown_by_its_name
Also: test_the_number_is_written_into_the_blank

`format` reads the whole template and not only the blank. Which other characters mean
something to it?

`format` 看的是整个模板，不只是空位。还有哪些字符对它有特殊含义？
"""

import re


class Marker:
    def __init__(self, template):
        if template.count("{N}") != 1 or "\n" in template or "\r" in template:
            raise ValueError("one line with one {N}")
        self.before, self.after = template.split("{N}")
        self.template = template

    @property
    def shown(self):
        return self.template.format(N="N")

    def write(self, number):
        if type(number) is not int or number < 0:
            raise ValueError(number)
        return self.template.format(N=number)

    def read(self, line):
        before, after = re.escape(self.before), re.escape(self.after)
        found = re.fullmatch(f"{before}(0|[1-9][0-9]*){after}", line)
        return int(found[1]) if found else None
