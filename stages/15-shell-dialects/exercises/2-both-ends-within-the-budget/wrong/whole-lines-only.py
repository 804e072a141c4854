"""Rejected by: test_the_budget_is_used
Also: test_both_ends_are_kept

Whole lines read better. How much do you keep of an output which is one long line?

留整行，读起来更舒服。可是整个输出只有一行长文本时，你留下了多少？
"""

NOTICE = "\n[{} characters left out here]\n"


def both_ends(text, budget):
    if len(text) <= budget:
        return text
    room = budget - len(NOTICE.format(len(text)))
    head = text[: room // 2]
    tail = text[len(text) - (room - room // 2) :]
    head = head[: head.rfind("\n") + 1]
    tail = tail[tail.find("\n") + 1 :] if "\n" in tail else ""
    notice = NOTICE.format(len(text) - len(head) - len(tail))
    return head + notice + tail
