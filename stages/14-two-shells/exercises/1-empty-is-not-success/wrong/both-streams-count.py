"""Rejected by: test_words_on_stderr_are_no_output

Something was printed, and it was a complaint. On which of the two streams would the
answer have come?

确实打印了东西，可那是一句抱怨。真正的答案应该出现在哪一个流上？
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
    try:
        text = stdout.decode("utf-8")
    except UnicodeDecodeError:
        return block(tool_use_id, "exit=0, not UTF-8", True)
    if not can_be_seen(text + quoted(stderr)):
        if expect_empty:
            return block(tool_use_id, "(no output, as expected)")
        return block(tool_use_id, f"exit=0, empty {quoted(stderr)}", True)
    return block(tool_use_id, text)
