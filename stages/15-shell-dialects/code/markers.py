"""A marker: one line with a blank, by which a result says what happened.

The description shows it, the renderer writes it and a reader finds it, and all
three are made from the same text. What is described can be written, and what is
written can be read back.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

# What may stand in a blank. A number has one spelling only, so that two outcomes
# which read alike are alike.
_BLANKS = {"N": r"0|[1-9][0-9]*", "<mode>": r"[a-z]+(?:-[a-z]+)*"}


class MarkerError(ValueError):
    """This is no template, or the value does not fit into its blank."""


@dataclass(frozen=True)
class Marker:
    """A line such as `[exit code: 3]`, from the template `[exit code: {N}]`.

    template: one line in square brackets, with one blank in braces: `{N}` for a
        whole number from 0, `{<mode>}` for a name in lower-case words.

    Raises `MarkerError` for anything else. A marker proves nothing: every command
    can print the same line.
    """

    template: str

    def __post_init__(self) -> None:
        if not re.fullmatch(
            r"\[[^{}\[\]\n\r]*\{[^{}]+\}[^{}\[\]\n\r]*\]", self.template
        ):
            raise MarkerError("a marker is one line in brackets, with one blank")
        if self._parts()[1] not in _BLANKS:
            raise MarkerError(f"a blank is one of {', '.join(_BLANKS)}")

    @property
    def shown(self) -> str:
        """The text for a description, its blank named: `[exit code: N]`."""
        return "".join(self._parts())

    def write(self, value: int | str) -> str:
        """The line with `value` in the blank; `MarkerError` if it does not fit."""
        before, _, after = self._parts()
        line = f"{before}{value}{after}"
        if self.read(line) is None:
            raise MarkerError(f"{self.shown} cannot be written with that value")
        return line

    def read(self, line: str) -> str | None:
        """What stands in the blank, if the whole of `line` is this marker."""
        before, blank, after = self._parts()
        pattern = f"{re.escape(before)}({_BLANKS[blank]}){re.escape(after)}"
        found = re.fullmatch(pattern, line)
        return found and found[1]

    def _parts(self) -> tuple[str, str, str]:
        before, _, rest = self.template.partition("{")
        blank, _, after = rest.partition("}")
        return before, blank, after
