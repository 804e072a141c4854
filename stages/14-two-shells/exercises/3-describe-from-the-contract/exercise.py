"""Exercise 14.3: a description that follows its contract. The task is in task.md."""

from __future__ import annotations

from dataclasses import dataclass

WORKSPACE = "$HOME/mnt/Workspace"


@dataclass(frozen=True)
class ToolContract:
    """What a tool sees and may do.

    runs: "desktop" or "cloud". workspace: its path there, or None where the tool
    cannot see it. network: "open", "restricted" or "none".
    """

    runs: str
    workspace: str | None
    deletes: bool
    network: str


def tool_definition(name: str, contract: ToolContract, language: str) -> dict:
    """Return one entry of the Messages API's `tools`.

    The description is made from the contract alone, in "en" or "zh-CN".
    """
    # TODO: two facts are not told, one is told too exactly, and all in one language.
    where = "the user's computer" if contract.runs == "desktop" else "a cloud machine"
    return {
        "name": name,
        "description": f"Runs a command on {where}. It sees {contract.workspace}.",
        "input_schema": {
            "type": "object",
            "properties": {"command": {"type": "string"}},
            "required": ["command"],
        },
    }
