"""Rejected by: test_host_and_workspace_come_from_one_answer

You put two questions. Who has answered the second one?

你问了两次。第二次是谁回答的？
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
    if contracts[name].needs_workspace and not executor.fingerprint()["workspace"]:
        raise RefusedError(f"{name}: no workspace on {executor.fingerprint()['host']}")
    host = executor.fingerprint()["host"]
    if host == "unknown" or host != stored["host"]:
        raise RefusedError(f"{name}: {host} is not {stored['host']}")
    return executor.run(command)
