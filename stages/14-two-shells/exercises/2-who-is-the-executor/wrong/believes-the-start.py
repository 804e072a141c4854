"""Rejected by: test_what_the_executor_says_now_counts
Also: test_another_host_is_refused_for_every_tool, test_an_unknown_host_is_nobody,
    test_host_and_workspace_come_from_one_answer,
    test_nothing_has_run_when_a_call_is_refused,
    test_a_refusal_names_tool_and_host_and_no_path

You ask a note about the executor and not the executor. How old is the note?

你问的是一份关于执行端的记录，不是执行端本身。这份记录是什么时候写的？
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
    now = stored
    if contracts[name].needs_workspace and not now["workspace"]:
        raise RefusedError(f"{name}: no workspace on {now['host']}")
    return executor.run(command)
