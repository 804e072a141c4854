"""Exercise 15.1: one marker, three forms. The task is in task.md."""

from __future__ import annotations

import re


class Marker:
    """A line with a number in it, made from a template such as `[exit code: {N}]`.

    Raises ValueError for a text that is no template.
    """

    # TODO: three copies of one line, made by hand. They are to come from the template.

    def __init__(self, template: str) -> None:
        self.template = template

    @property
    def shown(self) -> str:
        """The line as a description has it, with `N` in the blank."""
        return "[exit code: N]"

    def write(self, number: int) -> str:
        """Return the line with `number` in the blank; ValueError if it cannot be."""
        return f"[exit code: {number}]"

    def read(self, line: str) -> int | None:
        """Return the number if `line` is this line and nothing else, or else None."""
        found = re.search(r"exit code: (\d+)", line)
        return int(found[1]) if found else None
