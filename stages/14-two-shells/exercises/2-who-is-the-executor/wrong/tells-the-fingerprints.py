"""Rejected by: test_a_refusal_names_tool_and_host_and_no_path

Read your message as a model would. What has it learned that it did not need for
checking the wiring?

像模型那样读一遍你的消息。有哪些东西，检查接线时用不着，模型却知道了？
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
        raise RefusedError(f"{name}: {now} is not {stored}")
    if contracts[name].needs_workspace and not now["workspace"]:
        raise RefusedError(f"{name}: no workspace on {now['host']}")
    return executor.run(command)
