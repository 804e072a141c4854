"""Rejected by: test_the_ends_are_alike_in_length

Both ends are there. Count the characters of each.

两头都在。数一数各有多少个字符。
"""

NOTICE = "\n[{} characters left out here]\n"


def both_ends(text, budget):
    if len(text) <= budget:
        return text
    room = budget - len(NOTICE.format(len(text)))
    head = room * 2 // 3
    tail = room - head
    notice = NOTICE.format(len(text) - room)
    return text[:head] + notice + text[len(text) - tail :]
