"""Rejected by: test_the_number_is_what_is_missing
Also: test_there_may_be_room_for_the_notice_alone

Your halves are equal. What is twice a half when the room is an odd number?

你的两半一样长。余下的位置是奇数时，两半加起来是多少？
"""

NOTICE = "\n[{} characters left out here]\n"


def both_ends(text, budget):
    if len(text) <= budget:
        return text
    room = budget - len(NOTICE.format(len(text)))
    half = room // 2
    notice = NOTICE.format(len(text) - room)
    return text[:half] + notice + text[len(text) - half :]
