"""Exercise 14.1: empty is not success. The task is in task.md."""

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
    """Return the `tool_result` block that says how a command ended.

    A failure has `"is_error": True`. `expect_empty` is for a command whose healthy
    result is nothing.
    """
    # TODO: this believes that every command went well. The four cases are in the task.
    return {
        "type": "tool_result",
        "tool_use_id": tool_use_id,
        "content": stdout.decode("utf-8"),
    }
