"""Rejected by: test_the_budget_is_used

You keep plenty of room for the notice. How long can it become for this text?

你给说明留了很多余地。对这段文本，它最长能有多长？
"""

NOTICE = "\n[{} characters left out here]\n"


def both_ends(text, budget):
    if len(text) <= budget:
        return text
    room = max(budget - 60, budget // 3)
    head = room // 2
    tail = room - head
    notice = NOTICE.format(len(text) - room)
    return text[:head] + notice + text[len(text) - tail :]
