"""Rejected by: test_there_may_be_room_for_the_notice_alone

What is `text[-n:]` when `n` is 0?

`n` 是 0 的时候，`text[-n:]` 是什么？
"""

NOTICE = "\n[{} characters left out here]\n"


def both_ends(text, budget):
    if len(text) <= budget:
        return text
    room = budget - len(NOTICE.format(len(text)))
    tail = room // 2
    head = room - tail
    notice = NOTICE.format(len(text) - room)
    return text[:head] + notice + text[-tail:]
