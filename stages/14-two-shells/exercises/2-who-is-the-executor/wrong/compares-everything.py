"""Rejected by: test_what_is_allowed_runs_once
Also: test_what_the_executor_says_now_counts

The same computer, and you take it for another one. Which of its answers may change,
and which one tells who it is?

还是那台电脑，你却把它当成了另一台。它的回答里，哪些可以变，哪一个才说明它是谁？
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
    if now["host"] == "unknown" or now != stored:
        raise RefusedError(f"{name}: {now['host']} is not {stored['host']}")
    if contracts[name].needs_workspace and not now["workspace"]:
        raise RefusedError(f"{name}: no workspace on {now['host']}")
    return executor.run(command)
