"""Rejected by: test_white_space_is_nothing
Also: test_characters_without_width_are_nothing, test_an_expected_nothing_is_said_in_words

You ask whether there are any bytes. A command that prints one line end: how many bytes
is that, and how much does a reader see?

你问的是有没有字节。只打印一个换行的命令，输出了几个字节？读的人又看到了什么？
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
    if not stdout:
        if expect_empty:
            return block(tool_use_id, "(no output, as expected)")
        return block(tool_use_id, f"exit=0, empty {quoted(stderr)}", True)
    return block(tool_use_id, text)
