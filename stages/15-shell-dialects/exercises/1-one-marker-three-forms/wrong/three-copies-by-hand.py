"""Rejected by: test_the_blank_is_shown_by_its_name
Also: test_the_number_is_written_into_the_blank, test_what_is_written_is_read_back,
    test_the_rest_of_a_template_is_no_pattern

Make a marker from another template. Which parts of your class find out about it?

换一个模板来建标记。你的类里，有哪些地方会知道模板变了？
"""

import re


class Marker:
    def __init__(self, template):
        if template.count("{N}") != 1 or "\n" in template or "\r" in template:
            raise ValueError("one line with one {N}")
        self.template = template
        self.shown = "[exit code: N]"

    def write(self, number):
        if type(number) is not int or number < 0:
            raise ValueError(number)
        return f"[exit code: {number}]"

    def read(self, line):
        found = re.fullmatch(r"\[exit code: (0|[1-9][0-9]*)\]", line)
        return int(found[1]) if found else None
