"""Rejected by: test_what_fits_comes_back_as_it_is
Also: test_a_text_of_exactly_the_budget_fits

You keep room for a notice before you know whether there will be one.

还不知道要不要写说明，你就先给它留了位置。
"""

NOTICE = "\n[{} characters left out here]\n"


def both_ends(text, budget):
    room = budget - len(NOTICE.format(len(text)))
    if len(text) <= room:
        return text
    head = room // 2
    tail = room - head
    notice = NOTICE.format(len(text) - room)
    return text[:head] + notice + text[len(text) - tail :]
