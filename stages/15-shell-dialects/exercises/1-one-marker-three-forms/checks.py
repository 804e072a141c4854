"""Checks of exercise 15.1."""

import contextlib
import re
import unittest

from exercise import Marker

EXIT = "[exit code: {N}]"
# Templates of which a pattern, `format` or a look for `N` would make something else.
STRANGE = (
    "(cut. {N} characters left out?)",
    "Not found: {N} of N",
    '{"exit code": {N}}',
    "C:\\runs\\{N} ^+*|$",
)


class MarkerChecks(unittest.TestCase):
    def same(self, what: str, found: object, expected: object) -> None:
        if type(found) is not type(expected) or found != expected:
            raise AssertionError(
                f"{what} is {found!r}, not {expected!r}",
                f"{what} 是 {found!r}，应该是 {expected!r}",
            )

    def shown(self, template: str) -> str:
        try:
            return Marker(template).shown
        except (LookupError, ValueError) as error:
            raise self.not_an_error(f"Marker({template!r}).shown", error) from None

    def written(self, template: str, number: int) -> str:
        try:
            return Marker(template).write(number)
        except (LookupError, ValueError) as error:
            call = f"Marker({template!r}).write({number})"
            raise self.not_an_error(call, error) from None

    def not_an_error(self, call: str, error: Exception) -> AssertionError:
        kind = type(error).__name__
        return AssertionError(
            f"{call} raises {kind}: {error}", f"{call} 抛出了 {kind}：{error}"
        )

    def reads(self, template: str, line: str, number: int) -> None:
        call = f"Marker({template!r}).read({line!r})"
        try:
            self.same(call, Marker(template).read(line), number)
        except (ValueError, re.error) as error:
            raise self.not_an_error(call, error) from None

    def reads_nothing(self, line: str) -> None:
        marker = Marker(EXIT)
        self.same("read('[exit code: 7]')", marker.read("[exit code: 7]"), 7)
        call = f"Marker({EXIT!r}).read({line!r})"
        try:
            self.same(call, marker.read(line), None)
        except ValueError as error:
            raise self.not_an_error(call, error) from None

    def cannot_write(self, value: object) -> None:
        self.same("write(1)", Marker(EXIT).write(1), "[exit code: 1]")
        with contextlib.suppress(TypeError, ValueError):
            line = Marker(EXIT).write(value)
            raise AssertionError(
                f"write({value!r}) returns {line!r}, and no error is raised",
                f"write({value!r}) 返回 {line!r}，没有报错",
            )

    def test_the_blank_is_shown_by_its_name(self):
        """`shown` is the template with `N` in the blank, and the rest as it is.

        `shown` 是空位处为 `N` 的模板，其余部分不变。
        """
        for template, shown in (
            (EXIT, "[exit code: N]"),
            ("[timed out after {N}ms]", "[timed out after Nms]"),
            (STRANGE[1], "Not found: N of N"),
            (STRANGE[2], '{"exit code": N}'),
        ):
            self.same(f"Marker({template!r}).shown", self.shown(template), shown)

    def test_the_number_is_written_into_the_blank(self):
        """`write` puts the number into the blank, and leaves the rest as it is.

        `write` 把数填进空位，其余部分不变。
        """
        for template, number, line in (
            (EXIT, 3, "[exit code: 3]"),
            ("[timed out after {N}ms]", 30_000, "[timed out after 30000ms]"),
            (STRANGE[0], 5, "(cut. 5 characters left out?)"),
            (STRANGE[1], 4, "Not found: 4 of N"),
            (STRANGE[2], 1, '{"exit code": 1}'),
            (STRANGE[3], 12, "C:\\runs\\12 ^+*|$"),
        ):
            call = f"Marker({template!r}).write({number})"
            self.same(call, self.written(template, number), line)

    def test_zero_is_a_number(self):
        """0 is written and read like every other number.

        0 和别的数一样，写得出来，也读得回来。
        """
        self.same("write(0)", self.written(EXIT, 0), "[exit code: 0]")
        self.reads(EXIT, "[exit code: 0]", 0)

    def test_what_is_written_is_read_back(self):
        """What a marker has written it reads as the same number; another does not.

        标记写出来的一行，自己读回来是同一个数，别的标记读不出来。
        """
        template = "[timed out after {N}ms]"
        # Both are there before either is used.
        one, other = Marker(EXIT), Marker(template)
        for number in (1, 9, 10, 255, 300_007):
            self.reads(template, self.written(template, number), number)
            line = self.written(EXIT, number)
            self.reads(EXIT, line, number)
            self.same(f"Marker({EXIT!r}).read({line!r})", one.read(line), number)
            self.same(f"Marker({template!r}).read({line!r})", other.read(line), None)

    def test_the_rest_of_a_template_is_no_pattern(self):
        """To `read` too, what surrounds the blank is plain text and no pattern.

        对 `read` 也一样，空位以外都是普通文字，不是匹配模式。
        """
        for template in STRANGE:
            self.reads(template, template.replace("{N}", "35"), 35)
        marker = Marker("[cut. {N} left out]")
        for line in ("[cut! 3 left out]", "[Cut. 3 left out]", "c", "3"):
            self.same(f"read({line!r})", marker.read(line), None)

    def test_only_the_whole_line_is_read(self):
        """A marker with anything before or after it is not read.

        标记前后只要有别的东西，就读不出来。
        """
        for line in (
            " [exit code: 3]",
            "[exit code: 3] ",
            "done [exit code: 3]",
            "[exit code: 3], as it says",
            "[exit code: 3][exit code: 3]",
            "[exit code: 3",
            "[exit code: ]",
            "",
        ):
            self.reads_nothing(line)

    def test_a_line_end_is_no_part_of_a_line(self):
        """A marker with a line end, or with another line, is not read.

        标记带着换行，或者还有另一行，就读不出来。
        """
        for line in (
            "[exit code: 3]\n",
            "[exit code: 3]\r\n",
            "\n[exit code: 3]",
            "all is well\n[exit code: 3]",
            "[exit code: 3]\n[exit code: 0]",
        ):
            self.reads_nothing(line)

    def test_a_number_has_one_spelling(self):
        """A number with a zero, a sign, a blank or a point too many is not read.

        多写了 0、正负号、空格或小数点的数，读不出来。
        """
        for spelling in ("03", "00", "+3", "-3", "-0", " 3", "3 ", "3.0", "1_0", "0x3"):
            self.reads_nothing(f"[exit code: {spelling}]")

    def test_only_ten_digits_are_digits(self):
        """Digits other than 0 to 9, of which Unicode has many, are not read.

        Unicode 里还有许多别的数字字符，除了 0 到 9，都不读。
        """
        for spelling in ("３", "1３", "٣", "1٣", "²", "三"):
            self.reads_nothing(f"[exit code: {spelling}]")

    def test_what_is_no_number_from_0_is_not_written(self):
        """What is no whole number from 0 is not written, but is an error.

        只写 0 和正整数，别的都要报错。
        """
        for value in (-1, 1.5, 2.0, "3", "", None, float("nan")):
            self.cannot_write(value)

    def test_a_truth_value_is_not_written(self):
        """`True` and `False` are no numbers here, and writing one is an error.

        `True` 和 `False` 在这里不算数，写它们要报错。
        """
        for value in (True, False):
            self.cannot_write(value)

    def test_a_template_is_one_line_with_one_blank(self):
        """A template without a blank, with two, or of two lines is a `ValueError`.

        模板没有空位、有两个空位或不止一行，都是 `ValueError`。
        """
        for template in (
            "[exit code: N]",
            "[exit code: {M}]",
            "",
            "[{N} of {N}]",
            "[exit code:\n{N}]",
            "[exit code: {N}]\n",
            "[exit code: {N}]\r",
        ):
            with contextlib.suppress(ValueError):
                Marker(template)
                raise AssertionError(
                    f"Marker({template!r}) raises no ValueError",
                    f"Marker({template!r}) 没有抛出 ValueError",
                )


if __name__ == "__main__":
    unittest.main()
