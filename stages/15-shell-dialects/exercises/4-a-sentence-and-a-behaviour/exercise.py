"""Exercise 15.4: a sentence and a behaviour. The task is in task.md."""

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

    `check(tool)` asks the tool, and yields what has to be true and whether it is.
    """

    key: str
    words: str
    check: Callable[[Tool], Iterable[tuple[str, bool]]]


def describe(promises: Sequence[Promise], tool: Tool) -> str:
    """Return a line for each promise that the tool keeps."""
    # TODO: states everything, whoever keeps it.
    return "\n".join(f"- {promise.words}" for promise in promises)


def broken(promises: Sequence[Promise], tool: Tool) -> list[tuple[str, str]]:
    """Return what is not as it was promised: the key of the promise, and why."""
    # TODO: asks, and never looks at the description.
    return [
        (promise.key, "something is not true")
        for promise in promises
        if promise.key in tool.kept and not all(promise.check(tool))
    ]
