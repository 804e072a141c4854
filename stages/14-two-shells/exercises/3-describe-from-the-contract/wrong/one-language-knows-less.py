"""Rejected by: test_every_value_changes_the_chinese_text

Lay the two languages side by side. Where does one of them tell two things apart and the
other does not?

把两种语言并排放着看。有哪两种情况，一种语言分得清，另一种却分不清？
"""

from __future__ import annotations

from dataclasses import dataclass

WORKSPACE = "$HOME/mnt/Workspace"
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
            "none": "网络受限。",
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
