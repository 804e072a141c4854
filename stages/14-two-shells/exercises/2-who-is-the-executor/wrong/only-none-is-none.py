"""Rejected by: test_a_tool_that_needs_the_workspace_is_refused_without_one

The value that came back empty in Lin's log was no `None`. What does your test make of
it?

林的日志里那个空值并不是 `None`。你的判断会怎么看它？
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class ToolContract:
    needs_workspace: bool


class RefusedError(Exception):
    pass


def run_tool(name, command, contracts, stored, executor):
    if name not in contracts:
        raise RefusedError(f"no contract for {name}")
    now = executor.fingerprint()
    if now["host"] == "unknown" or now["host"] != stored["host"]:
        raise RefusedError(f"{name}: {now['host']} is not {stored['host']}")
    if contracts[name].needs_workspace and now["workspace"] is None:
        raise RefusedError(f"{name}: no workspace on {now['host']}")
    return executor.run(command)
