"""Rejected by: test_nothing_has_run_when_a_call_is_refused

Your refusal is right, and late. What has the command done by the time you raise?

拒绝得没错，只是晚了。抛出错误的时候，命令已经做了什么？
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
    output = executor.run(command)
    now = executor.fingerprint()
    if now["host"] == "unknown" or now["host"] != stored["host"]:
        raise RefusedError(f"{name}: {now['host']} is not {stored['host']}")
    if contracts[name].needs_workspace and not now["workspace"]:
        raise RefusedError(f"{name}: no workspace on {now['host']}")
    return output
