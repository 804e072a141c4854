"""Rejected by: test_the_notice_is_within_the_budget
Also: test_a_longer_number_is_within_the_budget

You divide the budget between the two ends. What is left of it for the line between
them?

预算全分给了两头。中间那一行用的是谁的份额？
"""

NOTICE = "\n[{} characters left out here]\n"


def both_ends(text, budget):
    if len(text) <= budget:
        return text
    room = budget
    head = room // 2
    tail = room - head
    notice = NOTICE.format(len(text) - room)
    return text[:head] + notice + text[len(text) - tail :]
