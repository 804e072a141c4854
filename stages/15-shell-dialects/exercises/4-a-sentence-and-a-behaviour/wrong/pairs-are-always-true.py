"""Rejected by: test_each_thing_that_is_not_true_is_told
Also: test_a_check_that_asks_nothing_is_broken,
    test_a_check_that_finds_no_answer_is_broken, test_a_check_may_stumble_half_way

What does `all` say of a list of pairs, whatever is in them? And of an empty one?

一列结果，每个都是一对，不管里面是什么，`all` 都说什么？列表是空的呢？
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
        if not all(pairs):
            found.append((one.key, "something is not true"))
    return found
