"""Rejected by: test_the_number_is_what_is_missing
Also: test_there_may_be_room_for_the_notice_alone,
    test_characters_are_counted_and_not_bytes

Add up beginning, number and end. Which characters have you counted as kept though
they are none of the text?

把开头、个数和结尾加起来。有些字符不是文本里的，你却算成了留下的，是哪些？
"""

NOTICE = "\n[{} characters left out here]\n"


def both_ends(text, budget):
    if len(text) <= budget:
        return text
    room = budget - len(NOTICE.format(len(text)))
    head = room // 2
    tail = room - head
    notice = NOTICE.format(len(text) - budget)
    return text[:head] + notice + text[len(text) - tail :]
