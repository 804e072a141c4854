"""Rejected by: test_a_mistake_in_a_check_goes_through

There is a typing error in a check, and your list says that the tool has broken its
promise. Who will look for it where?

检查里有个笔误，你的列表却说工具没有兑现承诺。谁会去查？又会去哪里查？
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
        except Exception as error:
            found.append((one.key, f"no answer: {error}"))
            continue
        if not pairs:
            found.append((one.key, "nothing was asked"))
        found += [(one.key, what) for what, is_true in pairs if not is_true]
    return found
