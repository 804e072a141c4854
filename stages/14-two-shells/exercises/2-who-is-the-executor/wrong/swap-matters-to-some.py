"""Rejected by: test_another_host_is_refused_for_every_tool
Also: test_nothing_has_run_when_a_call_is_refused

A tool that needs no workspace still runs somewhere. On whose computer, after a swap?

不需要工作区的工具，也总要在某个地方执行。换过以后，是在谁的电脑上？
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
    if now["host"] == "unknown" or (
        contracts[name].needs_workspace and now["host"] != stored["host"]
    ):
        raise RefusedError(f"{name}: {now['host']} is not {stored['host']}")
    if contracts[name].needs_workspace and not now["workspace"]:
        raise RefusedError(f"{name}: no workspace on {now['host']}")
    return executor.run(command)
