"""Exercise 15.4: one good answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol


class Tool(Protocol):
    """A shell behind a fence.

    kept: the keys of the promises that hold with this fence. description: what a
    model is told of the tool, line by line.
    """

    kept: frozenset[str]
    description: str


@dataclass(frozen=True)
class Promise:
    """One sentence of a description, and the check that shows it to be true.

    Raises ValueError when either half is missing.
    """

    key: str
    words: str
    check: Callable[[Tool], Iterable[tuple[str, bool]]]

    def __post_init__(self) -> None:
        if not self.words.strip():
            raise ValueError(f"{self.key}: a behaviour that nobody is told of")
        if not callable(self.check):
            raise ValueError(f"{self.key}: a sentence that nothing can show")


def describe(promises: Sequence[Promise], tool: Tool) -> str:
    """Return a line for each promise that the tool keeps."""
    return "\n".join(_line(one) for one in promises if one.key in tool.kept)


def broken(promises: Sequence[Promise], tool: Tool) -> list[tuple[str, str]]:
    """Return what is not as it was promised: the key of the promise, and why."""
    told = tool.description.splitlines()
    found = []
    for one in promises:
        stated = _line(one) in told
        if one.key not in tool.kept:
            reasons = ["stated, but not kept"] if stated else []
        else:
            reasons = [] if stated else ["not in the description"]
            reasons += _untrue(one, tool)
        found += [(one.key, why) for why in reasons]
    return found


def _line(promise: Promise) -> str:
    return f"- {promise.words}"


def _untrue(promise: Promise, tool: Tool) -> list[str]:
    try:
        # A check may be a generator: it runs here, and not when it is called.
        asked = list(promise.check(tool))
    except (LookupError, ValueError) as error:
        return [f"the answer makes no sense: {type(error).__name__}"]
    if not asked:
        return ["nothing was asked"]
    return [what for what, is_true in asked if not is_true]
