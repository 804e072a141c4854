"""Tool definitions for a model, made from the contracts that the guard enforces.

A description written by hand is a second truth, and goes stale unseen. Here each
sentence follows from one field of a contract, so whoever changes the contract has
changed what the model reads.
"""

from __future__ import annotations

from collections.abc import Mapping

from twoshell_guard import WS_NAME, ToolContract

# The variable and the pattern, not a path: the model's words should hold on every
# computer, and a real path may carry a name or the identifier of a session.
HOME, SESSION = f"$HOME/mnt/{WS_NAME}", f"/sessions/*/mnt/{WS_NAME}"

# For each language: the field of a contract, and a sentence for each of its values.
SENTENCES: dict[str, dict[str, dict[object, str]]] = {
    "en": {
        "where": {
            "cloud": "Runs a shell command in a disposable shell on the cloud side, "
            "not on the user's computer.",
            "desktop": "Runs a shell command on the user's own computer.",
        },
        "sees": {
            "workspace": f"It can see the workspace ({HOME} or {SESSION}) and the "
            "other files of its account; it cannot see files that commands on the "
            "other side have made.",
            "nothing of yours": f"It cannot see the workspace ({HOME} or {SESSION}) or "
            "any other folder of the user; it can see temporary files of its own.",
        },
        "deletes": {
            "workspace": "It can delete what it can see, for good.",
            "nothing of yours": "It cannot delete files of the user.",
        },
        "network": {
            "cloud": "The network may be restricted or missing.",
            "desktop": "The network may be restricted: check that a service answers "
            "before you rely on it.",
        },
        "needs": {
            True: "Where there is no workspace, a call is refused and nothing runs.",
            False: "It needs no workspace.",
        },
        "command": {
            "": "One command line for a POSIX shell. Let it print what it found: an "
            "empty output comes back as an error. Each call starts anew, without "
            "input: cd is forgotten, and what runs on in the background is ended; what "
            "made a process group of its own (setsid, set -m, timeout) may live on.",
        },
    },
    "zh-CN": {
        "where": {
            "cloud": "在云端的一次性 shell 中执行命令，不在用户的电脑上。",
            "desktop": "在用户自己的电脑上执行 shell 命令。",
        },
        "sees": {
            "workspace": f"能看到工作区（{HOME} 或 {SESSION}）和所用账户的其他文件；"
            "看不到另一侧的命令生成的文件。",
            "nothing of yours": f"看不到工作区（{HOME} 或 {SESSION}），"
            "也看不到用户的其他文件夹；只能看到它自己的临时文件。",
        },
        "deletes": {
            "workspace": "凡能看到的都能删除，删除后无法恢复。",
            "nothing of yours": "不能删除用户的文件。",
        },
        "network": {
            "cloud": "网络可能受限，也可能没有网络。",
            "desktop": "网络可能受限：使用外部服务之前，先确认它有响应。",
        },
        "needs": {
            True: "没有工作区时，调用会被拒绝，不执行任何命令。",
            False: "不需要工作区。",
        },
        "command": {
            "": "一行 POSIX shell 命令。请让它输出找到的内容：输出为空会作为错误返回。"
            "每次调用都重新开始，没有输入：cd 不会保留，留在后台运行的会被终止；"
            "自成进程组的（setsid、set -m、timeout）则可能继续运行。",
        },
    },
    "ja": {
        "where": {
            "cloud": "クラウド側の使い捨てシェルでコマンドを実行します。"
            "ユーザーのコンピューター上ではありません。",
            "desktop": "ユーザー自身のコンピューター上でシェルコマンドを実行します。",
        },
        "sees": {
            "workspace": f"ワークスペース（{HOME} または {SESSION}）と、"
            "そのアカウントのほかのファイルが見えます。"
            "もう一方の側のコマンドが作ったファイルは見えません。",
            "nothing of yours": f"ワークスペース（{HOME} または {SESSION}）も、"
            "ユーザーのほかのフォルダーも見えません。"
            "見えるのは自分の一時ファイルだけです。",
        },
        "deletes": {
            "workspace": "見えるものは何でも削除でき、元には戻せません。",
            "nothing of yours": "ユーザーのファイルは削除できません。",
        },
        "network": {
            "cloud": "ネットワークは制限されているか、ない場合があります。",
            "desktop": "ネットワークは制限されている場合があります。"
            "外部サービスは、応答を確かめてから使ってください。",
        },
        "needs": {
            True: "ワークスペースがないと呼び出しは拒否され、何も実行されません。",
            False: "ワークスペースは要りません。",
        },
        "command": {
            "": "POSIX シェルのコマンド 1 行。見つけたものを出力してください。"
            "出力が空だとエラーとして返されます。呼び出しごとに入力なしで新しく始まり、"
            "cd は引き継がれず、バックグラウンドに残したものは終了されます。"
            "ただし別のプロセスグループになったもの（setsid、set -m、timeout）は"
            "残ることがあります。",
        },
    },
}


def tool_definitions(
    contracts: Mapping[str, ToolContract], language: str = "en"
) -> list[dict]:
    """What the Messages API takes as `tools`, one entry for each contract.

    language: "en", "zh-CN" or "ja". Raises `ValueError` for another one, for a
    contract with a value that there is no sentence for, and for one that needs the
    workspace and does not see it.
    """
    command = sentences_of(language)["command"][""]
    return [
        {
            "name": name,
            "description": describe(contract, language),
            "input_schema": {
                "type": "object",
                "properties": {"command": {"type": "string", "description": command}},
                "required": ["command"],
                "additionalProperties": False,
            },
        }
        for name, contract in contracts.items()
    ]


def describe(contract: ToolContract, language: str) -> str:
    """One sentence for each thing that a model should know before it chooses."""
    if contract.needs_workspace and contract.sees != "workspace":
        raise ValueError("a contract that needs the workspace must say that it sees it")
    facts = {
        "where": contract.runs,
        "sees": contract.sees,
        "deletes": contract.sees,
        "network": contract.runs,
        "needs": contract.needs_workspace,
    }
    sentences = []
    for topic, value in facts.items():
        known = sentences_of(language)[topic]
        if value not in list(known):
            expected = ", ".join(repr(key) for key in known)
            raise ValueError(f"no words for {value!r} in a contract, only {expected}")
        sentences.append(known[value])
    # Chinese and Japanese put no space between sentences.
    return (" " if language == "en" else "").join(sentences)


def sentences_of(language: str) -> dict[str, dict[object, str]]:
    """The sentences of a language, by topic and value."""
    if language not in list(SENTENCES):
        raise ValueError(f"language must be one of {', '.join(SENTENCES)}")
    return SENTENCES[language]
