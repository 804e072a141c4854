"""Rejected by: test_a_template_is_one_line_with_one_blank

What becomes of a template in which there is nothing to fill in, or too much?

如果模板里没有可填的地方，或者不止一处，会怎么样？
"""

import re


class Marker:
    def __init__(self, template):
        self.before, _, self.after = template.partition("{N}")
        self.shown = f"{self.before}N{self.after}"

    def write(self, number):
        if type(number) is not int or number < 0:
            raise ValueError(number)
        return f"{self.before}{number}{self.after}"

    def read(self, line):
        before, after = re.escape(self.before), re.escape(self.after)
        found = re.fullmatch(f"{before}(0|[1-9][0-9]*){after}", line)
        return int(found[1]) if found else None
