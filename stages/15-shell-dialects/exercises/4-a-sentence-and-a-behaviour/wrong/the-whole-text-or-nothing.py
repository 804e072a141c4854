"""Rejected by: test_a_tool_that_keeps_its_word_has_no_findings
Also: test_a_sentence_that_is_missing_is_found, test_a_sentence_is_a_line_of_its_own,
    test_a_sentence_that_is_not_kept_is_found

You compare one text with another. What may stand between the sentences, and which of
them is it that differs?

你拿一整段去比另一整段。句子之间可以有什么？对不上的又是哪一句？
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
        stated = describe(promises, tool) in tool.description
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
        found += [(one.key, what) for what, is_true in pairs if not is_true]
    return found
