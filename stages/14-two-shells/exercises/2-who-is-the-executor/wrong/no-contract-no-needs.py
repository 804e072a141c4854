"""Rejected by: test_a_tool_without_a_contract_is_refused
Also: test_nothing_has_run_when_a_call_is_refused

A name that is in no list: what does your code believe about its needs, and who said
so?

一个哪张表里都没有的名字：你的代码认为它需要什么，这是谁说的？
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class ToolContract:
    needs_workspace: bool


class RefusedError(Exception):
    pass


def run_tool(name, command, contracts, stored, executor):
    contract = contracts.get(name, ToolContract(needs_workspace=False))
    now = executor.fingerprint()
    if now["host"] == "unknown" or now["host"] != stored["host"]:
        raise RefusedError(f"{name}: {now['host']} is not {stored['host']}")
    if contract.needs_workspace and not now["workspace"]:
        raise RefusedError(f"{name}: no workspace on {now['host']}")
    return executor.run(command)
