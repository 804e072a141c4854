"""Rejected by: test_what_is_kept_is_not_changed

You fill in the number at the very end, when the text is already there. For what does
`format` take its braces?

你到最后才填个数，那时文本已经在里面了。文本里的花括号，`format` 会当成什么？
"""

NOTICE = "\n[{} characters left out here]\n"


def both_ends(text, budget):
    if len(text) <= budget:
        return text
    room = budget - len(NOTICE.format(len(text)))
    head = room // 2
    tail = room - head
    result = text[:head] + NOTICE + text[len(text) - tail :]
    return result.format(len(text) - room)
