"""Rejected by: test_bytes_that_are_no_text_are_a_failure
Also: test_to_expect_nothing_excuses_nothing_else

The second argument of `decode` decides what becomes of a bad byte. Who learns from
yours that something was there?

`decode` 的第二个参数决定坏字节的下场。照你的写法，谁还能知道那里有过东西？
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
    if returncode != 0:
        return block(tool_use_id, f"exit={returncode} {quoted(stderr)}", True)
    text = stdout.decode("utf-8", errors="ignore")
    if not can_be_seen(text):
        if expect_empty:
            return block(tool_use_id, "(no output, as expected)")
        return block(tool_use_id, f"exit=0, empty {quoted(stderr)}", True)
    return block(tool_use_id, text)
