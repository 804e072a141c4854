"""Rejected by: test_an_unknown_host_is_nobody
Also: test_nothing_has_run_when_a_call_is_refused

Two people who do not give their names need not be the same person. What does your
comparison say of them?

两个都不肯报名字的人，不一定是同一个人。你的比较会怎么说？
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
    if now["host"] != stored["host"]:
        raise RefusedError(f"{name}: {now['host']} is not {stored['host']}")
    if contracts[name].needs_workspace and not now["workspace"]:
        raise RefusedError(f"{name}: no workspace on {now['host']}")
    return executor.run(command)
