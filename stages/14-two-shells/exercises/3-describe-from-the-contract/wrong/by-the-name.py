"""Rejected by: test_the_name_decides_nothing
Also: test_every_value_changes_the_english_text,
    test_every_value_changes_the_chinese_text, test_what_has_no_words_is_an_error

Give the two tools each other's contract. What will your descriptions say then, and who
looks after them?

把两个工具的契约对调。你的描述会怎么说？谁来维护它？
"""

from __future__ import annotations

from dataclasses import dataclass

WORKSPACE = "$HOME/mnt/Workspace"
DESKTOP = {
    "en": f"Runs a command on the user's computer. It sees {WORKSPACE}.",
    "zh-CN": f"在用户的电脑上执行命令。能看到 {WORKSPACE}。",
}
CLOUD = {
    "en": f"Runs a command in the cloud. It cannot see {WORKSPACE}.",
    "zh-CN": f"在云端执行命令。看不到 {WORKSPACE}。",
}


@dataclass(frozen=True)
class ToolContract:
    runs: str
    workspace: str | None
    deletes: bool
    network: str


def tool_definition(name: str, contract: ToolContract, language: str) -> dict:
    texts = DESKTOP if "desktop" in name else CLOUD
    return {
        "name": name,
        "description": texts[language],
        "input_schema": {
            "type": "object",
            "properties": {"command": {"type": "string"}},
            "required": ["command"],
        },
    }
