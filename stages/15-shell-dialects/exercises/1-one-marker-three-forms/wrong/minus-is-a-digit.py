"""Rejected by: test_a_number_has_one_spelling
Also: test_what_is_no_number_from_0_is_not_written

Reader and writer agree with each other, but not with the task. Which numbers can
stand in the blank?

读的和写的彼此一致，和题目却不一致。空位里可以填哪些数？
"""

import re


class Marker:
    def __init__(self, template):
        if template.count("{N}") != 1 or "\n" in template or "\r" in template:
            raise ValueError("one line with one {N}")
        self.before, self.after = template.split("{N}")
        self.shown = f"{self.before}N{self.after}"

    def write(self, number):
        if type(number) is not int:
            raise ValueError(number)
        return f"{self.before}{number}{self.after}"

    def read(self, line):
        before, after = re.escape(self.before), re.escape(self.after)
        found = re.fullmatch(f"{before}(0|-?[1-9][0-9]*){after}", line)
        return int(found[1]) if found else None
