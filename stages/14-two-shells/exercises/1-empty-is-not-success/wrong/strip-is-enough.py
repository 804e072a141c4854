"""Rejected by: test_characters_without_width_are_nothing

Put a `U+200B` through your test and look at the length of what is left. What does your
test take away, and what does the task call invisible?

拿一个 `U+200B` 试一试你的判断，看看剩下的长度。你的判断去掉的是什么，题目说的看不见又是什么？
"""


def quoted(stderr):
    return stderr.decode("utf-8", "replace").strip()[:200]


def block(tool_use_id, text, is_error=False):
    made = {"type": "tool_result", "tool_use_id": tool_use_id, "content": text}
    return {**made, "is_error": True} if is_error else made


def tool_result(tool_use_id, returncode, stdout, stderr, expect_empty=False):
    if returncode != 0:
        return block(tool_use_id, f"exit={returncode} {quoted(stderr)}", True)
    try:
        text = stdout.decode("utf-8")
    except UnicodeDecodeError:
        return block(tool_use_id, "exit=0, not UTF-8", True)
    if not text.strip():
        if expect_empty:
            return block(tool_use_id, "(no output, as expected)")
        return block(tool_use_id, f"exit=0, empty {quoted(stderr)}", True)
    return block(tool_use_id, text)
