"""Rejected by: test_a_tool_that_keeps_its_word_has_no_findings
Also: test_a_sentence_that_is_missing_is_found, test_a_sentence_is_a_line_of_its_own,
    test_a_missing_sentence_does_not_spare_the_check,
    test_what_is_kept_is_asked_once, test_a_sentence_that_is_not_kept_is_found

You hold it against the tool that it does not do what nobody has promised of it.

没有人替这个工具承诺过的事，它没做到，你也算在它头上。
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
        elif not stated:
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
