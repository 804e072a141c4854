"""Checks of words: all that a model is told by this stage, written down once more.

A check asks whether a sentence is true, and no check can read one. So nobody shall
change a sentence without meaning to: it has to be changed here, too.
"""

from __future__ import annotations

import itertools
import unittest

from agent_turn import NOT_OFFERED, NOT_RUN
from tools import describe, tool_definitions
from twoshell_guard import CONTRACT, MESSAGES, ToolContract

__all__ = ["TwoShellWordingChecks"]

# For each value of `runs`: where, and the network. For each of `sees`: what is seen,
# and what can be deleted.
TOLD = {
    "en": {
        "cloud": (
            "Runs a shell command in a disposable shell on the cloud side, not on the "
            "user's computer.",
            "The network may be restricted or missing.",
        ),
        "desktop": (
            "Runs a shell command on the user's own computer.",
            "The network may be restricted: check that a service answers before you "
            "rely on it.",
        ),
        "workspace": (
            "It can see the workspace ($HOME/mnt/Workspace or "
            "/sessions/*/mnt/Workspace) and the other files of its account; it cannot "
            "see files that commands on the other side have made.",
            "It can delete what it can see, for good.",
        ),
        "nothing of yours": (
            "It cannot see the workspace ($HOME/mnt/Workspace or "
            "/sessions/*/mnt/Workspace) or any other folder of the user; it can see "
            "temporary files of its own.",
            "It cannot delete files of the user.",
        ),
        "needs": "Where there is no workspace, a call is refused and nothing runs.",
        "needs none": "It needs no workspace.",
        "command": "One command line for a POSIX shell. Let it print what it found: an "
        "empty output comes back as an error. Each call starts anew, without input: cd "
        "is forgotten, and what runs on in the background is ended; what made a "
        "process group of its own (setsid, set -m, timeout) may live on.",
    },
    "zh-CN": {
        "cloud": (
            "在云端的一次性 shell 中执行命令，不在用户的电脑上。",
            "网络可能受限，也可能没有网络。",
        ),
        "desktop": (
            "在用户自己的电脑上执行 shell 命令。",
            "网络可能受限：使用外部服务之前，先确认它有响应。",
        ),
        "workspace": (
            "能看到工作区（$HOME/mnt/Workspace 或 /sessions/*/mnt/Workspace）"
            "和所用账户的其他文件；看不到另一侧的命令生成的文件。",
            "凡能看到的都能删除，删除后无法恢复。",
        ),
        "nothing of yours": (
            "看不到工作区（$HOME/mnt/Workspace 或 /sessions/*/mnt/Workspace），"
            "也看不到用户的其他文件夹；只能看到它自己的临时文件。",
            "不能删除用户的文件。",
        ),
        "needs": "没有工作区时，调用会被拒绝，不执行任何命令。",
        "needs none": "不需要工作区。",
        "command": "一行 POSIX shell 命令。请让它输出找到的内容：输出为空会作为错误"
        "返回。每次调用都重新开始，没有输入：cd 不会保留，留在后台运行的会被终止；"
        "自成进程组的（setsid、set -m、timeout）则可能继续运行。",
    },
    "ja": {
        "cloud": (
            "クラウド側の使い捨てシェルでコマンドを実行します。"
            "ユーザーのコンピューター上ではありません。",
            "ネットワークは制限されているか、ない場合があります。",
        ),
        "desktop": (
            "ユーザー自身のコンピューター上でシェルコマンドを実行します。",
            "ネットワークは制限されている場合があります。"
            "外部サービスは、応答を確かめてから使ってください。",
        ),
        "workspace": (
            "ワークスペース（$HOME/mnt/Workspace または /sessions/*/mnt/Workspace）と、"
            "そのアカウントのほかのファイルが見えます。"
            "もう一方の側のコマンドが作ったファイルは見えません。",
            "見えるものは何でも削除でき、元には戻せません。",
        ),
        "nothing of yours": (
            "ワークスペース（$HOME/mnt/Workspace または /sessions/*/mnt/Workspace）も、"
            "ユーザーのほかのフォルダーも見えません。"
            "見えるのは自分の一時ファイルだけです。",
            "ユーザーのファイルは削除できません。",
        ),
        "needs": "ワークスペースがないと呼び出しは拒否され、何も実行されません。",
        "needs none": "ワークスペースは要りません。",
        "command": "POSIX シェルのコマンド 1 行。見つけたものを出力してください。"
        "出力が空だとエラーとして返されます。呼び出しごとに入力なしで新しく始まり、"
        "cd は引き継がれず、バックグラウンドに残したものは終了されます。"
        "ただし別のプロセスグループになったもの（setsid、set -m、timeout）は"
        "残ることがあります。",
    },
}
# What a result says that is not the command's: by the guard, and by the turn.
SAID = {
    "en": """\
invalid: {tool} was not run: `{what}` must be {expected}.
no_workspace: {tool} was not run: no workspace on {host}. Check the wiring.
no_answer: {tool} was not run: {host} did not say who it is. Check the wiring.
swapped: {tool} was not run: {host} was swapped for {now}. Check the wiring.
no_result: {tool} has no result on {host} ({error}): it may have run or not
stopped: stopped at the limit {limit}
empty: exit={code} but the output is empty: check where the command ran
not_text: exit={code} but the output has NUL or bytes that are not UTF-8
as_expected: (no output, as expected)
left_out: [... {count} characters left out ...]
""",
    "zh-CN": """\
invalid: {tool} 未执行：`{what}` 应为 {expected}。
no_workspace: {tool} 未执行：执行端 {host} 上没有工作区。请检查接线。
no_answer: {tool} 未执行：执行端 {host} 没有说明自己是谁。请检查接线。
swapped: {tool} 未执行：执行端 {host} 已被换成 {now}。请检查接线。
no_result: 执行端 {host} 上的 {tool} 没有结果（{error}）：不知是否已执行
stopped: 达到上限 {limit}，已终止
empty: exit={code}，但输出为空：请检查命令是在哪里执行的
not_text: exit={code}，但输出含有 NUL 或不是 UTF-8 的字节
as_expected: （没有输出，符合预期）
left_out: […… 略去 {count} 个字符 ……]
""",
    "ja": """\
invalid: {tool} は未実行：`{what}` は {expected} とすること。
no_workspace: {tool} は未実行：{host} にワークスペースなし。配線を確認のこと。
no_answer: {tool} は未実行：実行先 {host} が名乗らず。配線を確認のこと。
swapped: {tool} は未実行：実行先が {host} から {now} に変更。配線を確認のこと。
no_result: 実行先 {host} で {tool} の結果なし（{error}）：実行の有無は不明
stopped: 上限 {limit} に達したため停止
empty: exit={code} だが出力が空：どこで実行されたか確認のこと
not_text: exit={code} だが出力に NUL か UTF-8 でないバイトあり
as_expected: （出力なし、想定どおり）
left_out: […… {count} 文字を省略 ……]
""",
}
SAID_BY_THE_TURN = {
    "en": (
        "{tool} was not run: the message ended early (stop_reason={reason}), so the "
        "call may be cut off. Send a shorter one again.",
        "Nothing was run: this tool is not offered. Those that are: {offered}.",
    ),
    "zh-CN": (
        "{tool} 未执行：消息提前结束（stop_reason={reason}），调用可能不完整。"
        "请缩短后重新发送。",
        "什么都没有执行：没有提供这个工具。可用的工具：{offered}。",
    ),
    "ja": (
        "{tool} は未実行です：メッセージが途中で終わり（stop_reason={reason}）、"
        "呼び出しが欠けている可能性があります。短くしてもう一度送ってください。",
        "何も実行していません：このツールは提供されていません。"
        "使えるツール：{offered}。",
    ),
}


class TwoShellWordingChecks(unittest.TestCase):
    maxDiff = None

    def test_every_description_is_this_one(self) -> None:
        """Each contract that there can be gets these sentences, in each language."""
        values = (False, True), ("workspace", "nothing of yours"), ("cloud", "desktop")
        for language, told in TOLD.items():
            between = " " if language == "en" else ""
            for needs, sees, runs in itertools.product(*values):
                if needs and sees != "workspace":
                    continue
                (where, network), (seen, deleted) = told[runs], told[sees]
                needed = told["needs" if needs else "needs none"]
                sentences = where, seen, deleted, network, needed
                said = describe(ToolContract(needs, sees, runs), language)
                self.assertEqual(said, between.join(sentences))

    def test_the_command_is_described_so(self) -> None:
        """What to write for a command is told in these words, in each language."""
        for language, told in TOLD.items():
            for tool in tool_definitions(CONTRACT, language):
                command = tool["input_schema"]["properties"]["command"]
                self.assertEqual(command["description"], told["command"])

    def test_every_message_is_this_one(self) -> None:
        """The guard and the turn have these messages and no others."""
        for language, messages in MESSAGES.items():
            said = "".join(f"{key}: {text}\n" for key, text in messages.items())
            self.assertEqual(said, SAID[language])
        self.assertEqual(list(MESSAGES), list(SAID))
        for language, said in SAID_BY_THE_TURN.items():
            self.assertEqual((NOT_RUN[language], NOT_OFFERED[language]), said)
        self.assertEqual(list(NOT_RUN), list(NOT_OFFERED))
