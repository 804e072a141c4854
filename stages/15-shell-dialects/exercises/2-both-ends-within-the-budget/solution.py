"""Exercise 15.2: one good answer."""

from __future__ import annotations

NOTICE = "\n[{} characters left out here]\n"


def both_ends(text: str, budget: int) -> str:
    """Return `text` if it fits into `budget` characters, else its two ends."""
    if len(text) <= budget:
        return text
    # How long the notice is depends on the number in it, and the number on how long
    # the notice is. No number that it can carry is longer than this one.
    room = budget - len(NOTICE.format(len(text)))
    head = room // 2
    tail = room - head
    notice = NOTICE.format(len(text) - room)
    # Not `text[-tail:]`, which is everything when `tail` is 0.
    return text[:head] + notice + text[len(text) - tail :]
