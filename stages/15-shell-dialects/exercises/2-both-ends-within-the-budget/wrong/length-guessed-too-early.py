"""Rejected by: test_a_longer_number_is_within_the_budget

You measure the notice with one number and write it with another. When is the second
one longer?

你量那行说明的长度时填了一个数，写出来时填的是另一个数。什么时候后一个数的位数更多？
"""

NOTICE = "\n[{} characters left out here]\n"


def both_ends(text, budget):
    if len(text) <= budget:
        return text
    room = budget - len(NOTICE.format(len(text) - budget))
    head = room // 2
    tail = room - head
    notice = NOTICE.format(len(text) - room)
    return text[:head] + notice + text[len(text) - tail :]
