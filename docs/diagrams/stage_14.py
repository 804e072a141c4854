"""The diagrams of stage 14: two shells."""

from __future__ import annotations

from drawing import PAPER, STOP, STRONG, Drawing

COMMAND = 'ls "$HOME/mnt" | head -n 1'


def two_executors(d: Drawing) -> None:
    d.box(105, 12, 270, 58, ("Model", "模型"), COMMAND)
    d.line((190, 70), (190, 124), colour=STRONG)
    d.text(180, 102, ("tool call", "工具调用"), size=14, anchor="end")
    d.line((290, 124), (290, 70))
    d.text(300, 102, ("tool result", "工具结果"), size=14, anchor="start")
    d.box(16, 124, 448, 62, ("Host: its wiring picks the executor",
          "宿主程序：由接线决定用哪个执行端"), ("the model does not see the wiring",
          "模型看不到接线"), stroke=STRONG)  # fmt: skip
    sides = (
        (16, ("desktop executor", "桌面执行端"), ("Lin's computer", "林的电脑")),
        (250, ("cloud executor", "云端执行端"), ("disposable", "用完即弃")),
    )
    for x, name, note in sides:
        d.line((x + 107, 186), (x + 107, 226), colour=STRONG)
        d.rect(x, 226, 214, 152, fill=PAPER, width=2)
        d.text(x + 107, 252, name, bold=True)
        d.text(x + 107, 274, note, size=14)
        d.line((x + 107, 378), (x + 107, 412))
    d.box(28, 292, 190, 70, ("workspace", "工作区"), "$HOME/mnt/Workspace")
    d.rect(262, 292, 190, 70, fill=PAPER, dash="5 5")
    d.text(357, 332, ("sees nothing of hers", "看不到她的文件"), colour=STOP)
    d.text(123, 430, ("prints Workspace", "输出 Workspace"))
    d.text(357, 430, ("prints nothing", "什么也不输出"), colour=STOP)
    for x in (123, 357):
        d.text(x, 452, ("exit 0", "退出码 0"))
    d.text(240, 488, ("the same words, two meanings",
           "命令一字不差，含义却有两种"), bold=True)  # fmt: skip


def pipeline_status(d: Drawing) -> None:
    d.text(240, 26, 'WS="$(ls -d … 2>/dev/null | head -1)"')
    d.box(16, 46, 180, 58, "ls -d …", ("finds nothing", "什么也没找到"))
    d.box(284, 46, 180, 58, "head -1", ("has nothing to print", "没有可输出的"))
    d.line((196, 75), (284, 75))
    d.text(240, 67, "stdout", size=14, room=(198, 282))
    d.text(236, 95, ("empty", "空"), size=14, room=(198, 282))
    d.line((56, 104), (56, 156), dash="5 5")
    d.text(64, 135, "stderr", size=14, anchor="start", room=(58, 160))
    d.box(16, 156, 112, 58, "/dev/null", ("thrown away", "丢弃"))
    d.line((424, 104), (424, 156))
    d.text(416, 135, "stdout", size=14, anchor="end", room=(322, 422))
    d.box(352, 156, 112, 58, "$WS", ("empty", "空"), stroke=STOP)
    d.line((164, 104), (164, 252), colour=STRONG)
    d.text(172, 210, ("exit 2", "退出码 2"), size=14, anchor="start")
    d.line((316, 104), (316, 252), colour=STRONG)
    d.text(308, 210, ("exit 0", "退出码 0"), size=14, anchor="end")
    d.box(16, 252, 214, 80, ("with pipefail", "开启 pipefail"),
          ("status 2, from ls", "状态 2，来自 ls"),
          ("value empty", "值为空"))  # fmt: skip
    d.box(250, 252, 214, 80, ("without pipefail", "未开启 pipefail"),
          ("status 0, from head", "状态 0，来自 head"),
          ("value empty", "值为空"), stroke=STOP)  # fmt: skip
    d.text(240, 364, ("the status is about commands, not about the value",
           "状态说的是命令，不是值"), bold=True)  # fmt: skip


def dispatch_gates(d: Drawing) -> None:
    d.box(12, 12, 226, 40, ("Tool call", "工具调用"))
    d.line((125, 52), (125, 80), colour=STRONG)
    d.rect(272, 36, 202, 382, fill=PAPER, dash="5 5")
    d.text(373, 62, "is_error: True", size=14, colour=STOP)
    gates = (
        (80, ("Does the wiring fit?", "接线对得上吗？"),
         ("contract, fingerprint, host", "契约、执行端指纹、主机")),
        (244, ("Exit code accepted?", "退出码可接受吗？"), "accept_exit=(0,)"),
        (340, ("Any visible output?", "有可见的输出吗？"),
         ("or expect_empty=True", "或 expect_empty=True")),
    )  # fmt: skip
    for y, question, note in gates:
        d.box(12, y, 226, 56, question, note, stroke=STRONG)
        d.line((238, y + 28), (287, y + 28), colour=STOP)
        d.text(254, y + 21, ("no", "否"), size=14)
        d.line((125, y + 56), (125, y + 96), colour=STRONG)
        d.text(135, y + 81, ("yes", "是"), size=14, anchor="start")
    d.box(12, 176, 226, 40, ("Run on the executor", "在执行端上运行"))
    d.line((125, 216), (125, 244), colour=STRONG)
    d.box(287, 80, 172, 56, ("refused", "拒绝"),
          ("nothing was run", "没有执行任何命令"), stroke=STOP)  # fmt: skip
    d.box(287, 244, 172, 56, ("error", "错误"), ("exit=N", "exit=N"), stroke=STOP)
    d.box(287, 330, 172, 76, ("error", "错误"), ("exit=0 but the output", "exit=0，"),
          ("is empty", "但输出为空"), stroke=STOP)  # fmt: skip
    d.box(12, 436, 226, 76, ("tool result", "工具结果"), ("the output", "输出"),
          ("or (no output, as expected)", "或（没有输出，符合预期）"))  # fmt: skip
    d.text(240, 544, ("a refusal and an error are tool results too",
           "拒绝和错误也是工具结果"), bold=True)  # fmt: skip


DRAWINGS = {
    two_executors: (
        504,
        ("One command text, two executors", "同一行命令，两个执行端"),
        (
            "The model sends the Host a tool call with a command and gets a tool result"
            " back. The Host's wiring picks the executor, and the model does not see"
            " the wiring. The desktop executor is Lin's computer and has the workspace,"
            " $HOME/mnt/Workspace: the command prints Workspace and ends with 0. The"
            " cloud executor is disposable and sees nothing of hers: the same command"
            " prints nothing and ends with 0 too.",
            "模型向宿主程序发出带命令的工具调用，收到工具结果。"
            "由宿主程序的接线决定用哪个执行端，模型看不到接线。"
            "桌面执行端是林的电脑，上面有工作区 $HOME/mnt/Workspace："
            "命令输出 Workspace，退出码 0。云端执行端用完即弃，看不到她的文件："
            "同一行命令什么也不输出，退出码也是 0。",
        ),
    ),
    pipeline_status: (
        380,
        ("What the status of a pipeline says", "管道的状态说明什么"),
        (
            "ls finds nothing: it ends with 2, its message on stderr is thrown away,"
            " and its stdout is empty. head has nothing to print and ends with 0, so WS"
            " is empty. Without pipefail the status is that of the last command, 0."
            " With pipefail it is that of the failed one, 2. The value is empty both"
            " times.",
            "ls 什么也没找到：退出码是 2，写到 stderr 的报错被丢弃，stdout 为空。"
            "head 没有可输出的，退出码是 0，所以 WS 为空。"
            "未开启 pipefail 时，状态取最后一个命令的，是 0；"
            "开启后取失败的那个命令的，是 2。两次的值都为空。",
        ),
    ),
    dispatch_gates: (
        560,
        ("The way of a tool call through dispatch", "工具调用怎样通过 dispatch"),
        (
            "A tool call passes three gates. First the contract is compared with the"
            " fingerprint, and the fingerprint with the executor's host: when they do"
            " not fit, the call is refused and nothing was run. Then the command runs"
            " on the executor. An exit code that is not accepted is the error exit=N."
            " An output with nothing visible is the error exit=0 but the output is"
            " empty, unless expect_empty is True. What is left is the tool result with"
            " the output, or with a text that says: no output, as expected. A refusal"
            " and an error are tool results too, with is_error: True.",
            "一个工具调用要过三道关。先用契约核对执行端指纹，再用指纹核对执行端的主机："
            "对不上就拒绝，没有执行任何命令。然后命令在执行端上运行。"
            "退出码不可接受，就是错误 exit=N。没有可见的输出，就是错误“exit=0，"
            "但输出为空”，除非 expect_empty 是 True。剩下的就是带着输出的工具结果，"
            "或者写明“没有输出，符合预期”。拒绝和错误也是工具结果，带 is_error: True。",
        ),
    ),
}
