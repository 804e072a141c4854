"""Exercise 15.1: one good answer."""

from __future__ import annotations

import re


class Marker:
    """A line with a number in it, made from a template such as `[exit code: {N}]`."""

    def __init__(self, template: str) -> None:
        if template.count("{N}") != 1 or "\n" in template or "\r" in template:
            raise ValueError("a template is one line with one {N}")
        self._before, _, self._after = template.partition("{N}")

    @property
    def shown(self) -> str:
        """The line as a description has it, with `N` in the blank."""
        return f"{self._before}N{self._after}"

    def write(self, number: int) -> str:
        """Return the line with `number` in the blank; ValueError if it cannot be."""
        # `True` is an int to `isinstance`, and would be written in letters.
        if type(number) is not int or number < 0:
            raise ValueError(f"{self.shown} takes a whole number from 0")
        return f"{self._before}{number}{self._after}"

    def read(self, line: str) -> int | None:
        """Return the number if `line` is this line and nothing else, or else None."""
        # Not `\d`, which knows the digits of all alphabets; not `$`, which lets a
        # line end pass.
        pattern = re.escape(self._before) + "(0|[1-9][0-9]*)" + re.escape(self._after)
        found = re.fullmatch(pattern, line)
        return int(found[1]) if found else None
