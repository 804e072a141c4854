"""Rejected by: test_a_check_may_stumble_half_way

Put a `print` into a check that yields. When does it print: when the check is called, or
later?

在用 `yield` 的检查里加一句 `print`。它什么时候打印：调用检查的时候，还是之后？
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
            pairs = one.check(tool)
        except (LookupError, ValueError) as error:
            found.append((one.key, f"no answer: {error}"))
            continue
        pairs = list(pairs)
        if not pairs:
            found.append((one.key, "nothing was asked"))
        found += [(one.key, what) for what, is_true in pairs if not is_true]
    return found
