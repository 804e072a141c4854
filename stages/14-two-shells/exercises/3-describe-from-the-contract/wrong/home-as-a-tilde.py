"""Rejected by: test_the_workspace_is_called_by_the_variable

The tilde is right in many shells and in few programs. Which spelling does the task ask
for?

波浪号在很多 shell 里管用，在程序里却常常不管用。题目要的是哪种写法？
"""

from __future__ import annotations

from dataclasses import dataclass

WORKSPACE = "~/mnt/Workspace"
SENTENCES: dict[str, dict[str, dict[object, str]]] = {
    "en": {
        "runs": {
            "desktop": "Runs a command on the user's own computer.",
            "cloud": "Runs a command on a disposable machine in the cloud.",
        },
        "sees": {
            True: f"It can see the workspace, {WORKSPACE}.",
            False: f"It cannot see the workspace, {WORKSPACE}.",
        },
        "deletes": {
            True: "It can delete files.",
            False: "It cannot delete files.",
        },
        "network": {
            "open": "It can reach the network.",
            "restricted": "Its network is restricted.",
            "none": "It has no network.",
        },
    },
    "zh-CN": {
        "runs": {
            "desktop": "在用户自己的电脑上执行命令。",
            "cloud": "在云端的一次性机器上执行命令。",
        },
        "sees": {
            True: f"能看到工作区 {WORKSPACE}。",
            False: f"看不到工作区 {WORKSPACE}。",
        },
        "deletes": {
            True: "能删除文件。",
            False: "不能删除文件。",
        },
        "network": {
            "open": "能访问网络。",
            "restricted": "网络受限。",
            "none": "没有网络。",
        },
    },
}


@dataclass(frozen=True)
class ToolContract:
    runs: str
    workspace: str | None
    deletes: bool
    network: str


def tool_definition(name: str, contract: ToolContract, language: str) -> dict:
    facts = {
        "runs": contract.runs,
        "sees": contract.workspace is not None,
        "deletes": contract.deletes,
        "network": contract.network,
    }
    sentences = [SENTENCES[language][fact][value] for fact, value in facts.items()]
    return {
        "name": name,
        "description": " ".join(sentences),
        "input_schema": {
            "type": "object",
            "properties": {"command": {"type": "string"}},
            "required": ["command"],
        },
    }
