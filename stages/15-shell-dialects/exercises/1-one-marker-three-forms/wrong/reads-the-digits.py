"""Rejected by: test_what_is_written_is_read_back
Also: test_zero_is_a_number, test_the_rest_of_a_template_is_no_pattern,
    test_only_the_whole_line_is_read, test_a_line_end_is_no_part_of_a_line,
    test_a_number_has_one_spelling, test_only_ten_digits_are_digits

A number went in. Of which type is what comes out?

放进去的是一个数。拿出来的是什么类型？
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
        found = re.fullmatch(f"{before}(0|[1-9][0-9]*){after}", line)
        return found[1] if found else None
