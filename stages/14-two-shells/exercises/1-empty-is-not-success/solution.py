"""Exercise 14.1: one good answer."""

from __future__ import annotations


def quoted(stderr: bytes) -> str:
    """Return what stderr says, at most 200 characters of it."""
    return stderr.decode("utf-8", "replace").strip()[:200]


def tool_result(
    tool_use_id: str,
    returncode: int,
    stdout: bytes,
    stderr: bytes,
    expect_empty: bool = False,
) -> dict:
    """Return the `tool_result` block that says how a command ended."""

    def success(text: str) -> dict:
        return {"type": "tool_result", "tool_use_id": tool_use_id, "content": text}

    def failure(what: str) -> dict:
        return {**success(f"{what}: {quoted(stderr)}"), "is_error": True}

    if returncode != 0:
        return failure(f"exit={returncode}")
    try:
        text = stdout.decode("utf-8")
    except UnicodeDecodeError:
        return failure("exit=0 but the output is not UTF-8")
    # The two categories that are asked for, all but the blank itself, are what
    # Python calls not printable. `strip()` would leave characters without width.
    if any(char.isprintable() and char != " " for char in text):
        return success(text)
    if expect_empty:
        return success("(no output, as expected)")
    return failure("exit=0 but the output is empty")
