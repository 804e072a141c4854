"""Rejected by: test_characters_are_counted_and_not_bytes
Also: test_the_budget_is_used

You measure something else than the budget does. Ask `len` about an `é`, before and
after `encode`.

你量的东西和预算说的不是一回事。对 `报` 求一下 `len`，`encode` 之前一次，之后一次。
"""

NOTICE = "\n[{} characters left out here]\n"


def both_ends(text, budget):
    data = text.encode()
    if len(data) <= budget:
        return text
    room = budget - len(NOTICE.format(len(data)))
    head = data[: room // 2].decode("utf-8", "ignore")
    tail = data[len(data) - (room - room // 2) :].decode("utf-8", "ignore")
    return head + NOTICE.format(len(data) - room) + tail
