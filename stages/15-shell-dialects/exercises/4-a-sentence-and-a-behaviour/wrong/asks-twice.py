"""Rejected by: test_what_is_kept_is_asked_once
Also: test_a_missing_sentence_does_not_spare_the_check

How often does your function call the check? Each call starts processes anew.

你的函数调用了几次 `check`？每调用一次，都要重新启动进程。
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
            if not list(one.check(tool)):
                found.append((one.key, "nothing was asked"))
            for what, is_true in one.check(tool):
                if not is_true:
                    found.append((one.key, what))
        except (LookupError, ValueError) as error:
            found.append((one.key, f"no answer: {error}"))
    return found
