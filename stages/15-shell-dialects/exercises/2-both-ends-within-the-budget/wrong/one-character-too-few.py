"""Rejected by: test_a_text_of_exactly_the_budget_fits

A bottle of one litre: does a litre fit into it?

一升的瓶子，装得下一升水吗？
"""

NOTICE = "\n[{} characters left out here]\n"


def both_ends(text, budget):
    if len(text) < budget:
        return text
    room = budget - len(NOTICE.format(len(text)))
    head = room // 2
    tail = room - head
    notice = NOTICE.format(len(text) - room)
    return text[:head] + notice + text[len(text) - tail :]
