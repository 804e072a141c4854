"""Rejected by: test_a_number_has_one_spelling
Also: test_only_ten_digits_are_digits

`int` is generous. Ask it for `int(" +1_0 ")`, and then ask what your reader lets
through.

`int` 很宽容。试试 `int(" +1_0 ")`，再想想你的 `read` 放过了什么。
"""


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
        if not line.startswith(self.before) or not line.endswith(self.after):
            return None
        try:
            return int(line[len(self.before) : len(line) - len(self.after)])
        except ValueError:
            return None
