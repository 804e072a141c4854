"""Rejected by: test_what_the_executor_says_now_counts
Also: test_host_and_workspace_come_from_one_answer,
    test_a_refusal_names_tool_and_host_and_no_path

The host is the same as at start. Is everything else that you rely on as it was then?

host 和启动时一样。你依赖的其他东西，也还和那时一样吗？
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
    if contracts[name].needs_workspace and not stored["workspace"]:
        raise RefusedError(f"{name}: no workspace on {now['host']}")
    return executor.run(command)
