"""Rejected by: test_a_non_zero_exit_is_a_failure
Also: test_words_on_stderr_are_no_output

The model learns that it went wrong, and not why. Which of the two streams knew?

模型知道出了错，却不知道为什么。原因写在哪个流里？
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
        return block(tool_use_id, f"exit={returncode}", True)
    try:
        text = stdout.decode("utf-8")
    except UnicodeDecodeError:
        return block(tool_use_id, "exit=0, not UTF-8", True)
    if not can_be_seen(text):
        if expect_empty:
            return block(tool_use_id, "(no output, as expected)")
        return block(tool_use_id, "exit=0, empty", True)
    return block(tool_use_id, text)
