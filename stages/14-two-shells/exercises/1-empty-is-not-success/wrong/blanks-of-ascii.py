"""Rejected by: test_white_space_is_nothing
Also: test_characters_without_width_are_nothing

Bytes know the blanks of one alphabet. Which kinds of blank do you only recognise once
the bytes have become text?

字节只认得一套字母表里的空白。哪些空白要等字节变成文本之后才认得出来？
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
    if not stdout.strip():
        if expect_empty:
            return block(tool_use_id, "(no output, as expected)")
        return block(tool_use_id, f"exit=0, empty {quoted(stderr)}", True)
    return block(tool_use_id, text)
