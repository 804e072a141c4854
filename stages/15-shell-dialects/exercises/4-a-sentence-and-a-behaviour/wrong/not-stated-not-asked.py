"""Rejected by: test_a_missing_sentence_does_not_spare_the_check

The sentence is missing, and it may be untrue besides. When does the reader of your list
learn that?

那句话没写，而且可能也不属实。看你这份列表的人，什么时候才知道？
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
            continue
        try:
            pairs = list(one.check(tool))
        except (LookupError, ValueError) as error:
            found.append((one.key, f"no answer: {error}"))
            continue
        if not pairs:
            found.append((one.key, "nothing was asked"))
        found += [(one.key, what) for what, is_true in pairs if not is_true]
    return found
