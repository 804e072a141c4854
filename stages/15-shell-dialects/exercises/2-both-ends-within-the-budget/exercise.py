"""Exercise 15.2: both ends, within the budget. The task is in task.md."""

from __future__ import annotations

NOTICE = "\n[{} characters left out here]\n"


def both_ends(text: str, budget: int) -> str:
    """Return `text` if it fits into `budget` characters, else its two ends.

    Between the ends stands NOTICE with the number of characters that are left out.
    """
    # TODO: right as long as nobody counts. Repair it.
    if len(text.encode()) < budget:
        return text
    half = budget // 2
    left_out = len(text) - budget
    return (text[:half] + NOTICE + text[-half:]).format(left_out)
