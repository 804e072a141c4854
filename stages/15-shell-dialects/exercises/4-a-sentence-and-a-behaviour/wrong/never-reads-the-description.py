"""Rejected by: test_a_sentence_that_is_missing_is_found
Also: test_a_sentence_is_a_line_of_its_own, test_a_sentence_that_is_not_kept_is_found

Change a sentence of `tool.description`. Which line of your function notices?

把 `tool.description` 里的一句话改掉。你的函数里，哪一行会发现？
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
    found = []
    for one in promises:
        if one.key not in tool.kept:
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
