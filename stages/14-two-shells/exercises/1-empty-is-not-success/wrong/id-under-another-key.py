"""Rejected by: test_every_block_answers_its_call

Several calls can be waiting for an answer. Under which name does the service look for
the one that this block belongs to?

等着回答的调用可能有好几个。服务靠哪个键知道这个块属于哪一个？
"""

import unicodedata


def quoted(stderr):
    return stderr.decode("utf-8", "replace").strip()[:200]


def block(tool_use_id, text, is_error=False):
    made = {"type": "tool_result", "id": tool_use_id, "content": text}
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
    if not can_be_seen(text):
        if expect_empty:
            return block(tool_use_id, "(no output, as expected)")
        return block(tool_use_id, f"exit=0, empty {quoted(stderr)}", True)
    return block(tool_use_id, text)
