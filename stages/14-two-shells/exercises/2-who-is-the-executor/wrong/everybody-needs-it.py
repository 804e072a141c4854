"""Rejected by: test_a_tool_that_needs_no_workspace_runs_without_one
Also: test_the_contract_decides_and_not_the_name

You ask what the executor has, and not yet what this tool needs.

你问了执行端有什么，还没有问这个工具需要什么。
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
    if not now["workspace"]:
        raise RefusedError(f"{name}: no workspace on {now['host']}")
    return executor.run(command)
