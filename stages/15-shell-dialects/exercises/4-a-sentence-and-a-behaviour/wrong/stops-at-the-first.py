"""Rejected by: test_each_thing_that_is_not_true_is_told

One thing was wrong, and you looked no further. What do the next minutes look like for
whoever repairs it?

发现一件事不对，你就不往下看了。去修的人，接下来会怎么样？
"""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Promise:
    key: str
    words: str
    check: Any

    def __post_init__(self):
        if not self.words.strip() or not callable(self.check):
            raise ValueError(f"{self.key}: half a promise")


def describe(promises, tool):
    return "\n".join(f"- {one.words}" for one in promises if one.key in tool.kept)


def broken(promises, tool):
    told = tool.description.splitlines()
    found = []
    for one in promises:
        stated = f"- {one.words}" in told
        if one.key not in tool.kept:
            if stated:
                found.append((one.key, "stated, but not kept"))
            continue
        if not stated:
            found.append((one.key, "not stated"))
        try:
            pairs = list(one.check(tool))
        except (LookupError, ValueError) as error:
            found.append((one.key, f"no answer: {error}"))
            continue
        if not pairs:
            found.append((one.key, "nothing was asked"))
        for what, is_true in pairs:
            if not is_true:
                found.append((one.key, what))
                break
    return found
