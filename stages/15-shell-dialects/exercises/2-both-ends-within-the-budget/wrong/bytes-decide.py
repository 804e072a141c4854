"""Rejected by: test_characters_are_counted_and_not_bytes

Is a text of 60 Chinese characters too long for a budget of 60?

预算是 60，一段 60 个汉字的文本算太长吗？
"""

NOTICE = "\n[{} characters left out here]\n"


def both_ends(text, budget):
    if len(text.encode()) <= budget:
        return text
    room = budget - len(NOTICE.format(len(text)))
    head = room // 2
    tail = room - head
    notice = NOTICE.format(len(text) - room)
    return text[:head] + notice + text[len(text) - tail :]
