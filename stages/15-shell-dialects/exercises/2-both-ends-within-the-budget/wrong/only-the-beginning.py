"""Rejected by: test_both_ends_are_kept
Also: test_the_ends_are_alike_in_length

The command has said at its end what went wrong. Is that still there?

命令在结尾说了哪里出错。这句话还在吗？
"""

NOTICE = "\n[{} characters left out here]\n"


def both_ends(text, budget):
    if len(text) <= budget:
        return text
    room = budget - len(NOTICE.format(len(text)))
    notice = NOTICE.format(len(text) - room)
    return text[:room] + notice
