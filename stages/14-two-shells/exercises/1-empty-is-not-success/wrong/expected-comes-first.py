"""Rejected by: test_to_expect_nothing_excuses_nothing_else

`expect_empty` says what the output may look like. What else does it decide in your
order of the cases?

`expect_empty` 说的只是输出可以是什么样。按你的先后顺序，它还决定了别的什么？
"""

import unicodedata


def quoted(stderr):
    return stderr.decode("utf-8", "replace").strip()[:200]


def block(tool_use_id, text, is_error=False):
    made = {"type": "tool_result", "tool_use_id": tool_use_id, "content": text}
    return {**made, "is_error": True} if is_error else made


def can_be_seen(text):
    return any(unicodedata.category(char)[0] not in "ZC" for char in text)


def tool_result(tool_use_id, returncode, stdout, stderr, expect_empty=False):
    if expect_empty and not stdout.strip():
        return block(tool_use_id, "(no output, as expected)")
    if returncode != 0:
        return block(tool_use_id, f"exit={returncode} {quoted(stderr)}", True)
    try:
        text = stdout.decode("utf-8")
    except UnicodeDecodeError:
        return block(tool_use_id, "exit=0, not UTF-8", True)
    if not can_be_seen(text):
        return block(tool_use_id, f"exit=0, empty {quoted(stderr)}", True)
    return block(tool_use_id, text)
