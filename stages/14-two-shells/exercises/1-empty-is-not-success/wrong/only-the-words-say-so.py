"""Rejected by: test_a_non_zero_exit_is_a_failure
Also: test_to_expect_nothing_excuses_nothing_else

The text says that it failed. A program does not read the text: where does it look?

文字上写了失败。不读文字的程序，从哪里看得出来？
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
        return block(tool_use_id, f"exit={returncode} {quoted(stderr)}")
    try:
        text = stdout.decode("utf-8")
    except UnicodeDecodeError:
        return block(tool_use_id, "exit=0, not UTF-8", True)
    if not can_be_seen(text):
        if expect_empty:
            return block(tool_use_id, "(no output, as expected)")
        return block(tool_use_id, f"exit=0, empty {quoted(stderr)}", True)
    return block(tool_use_id, text)
