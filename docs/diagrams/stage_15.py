"""The diagrams of stage 15: shell dialects."""

from __future__ import annotations

from drawing import PAPER, STOP, STRONG, Drawing


def order_of_lines(d: Drawing) -> None:
    d.text(88, 26, "Outcome", bold=True)
    d.text(88, 48, ("kept by the Host", "宿主程序保留"), size=14)
    d.text(332, 26, ("Text", "文本"), bold=True)
    d.text(332, 48, ("for the model", "给模型看"), size=14)
    d.rect(12, 60, 152, 514, stroke=STRONG, width=2)
    d.rect(196, 60, 272, 408)
    d.rect(206, 96, 252, 146, fill=PAPER)
    d.text(332, 84, ("body, within the budget", "正文，不超出预算"), size=14)
    d.text(214, 122, ("what stdout held", "stdout 的内容"), anchor="start")
    d.text(214, 146, "[stderr]", anchor="start")
    d.text(214, 170, ("what stderr held", "stderr 的内容"), anchor="start")
    d.line((206, 184), (458, 184), dash="4 4", arrow=False)
    d.text(214, 206, ("or, where both are blank:", "两者都空白，则是："),
           size=14, anchor="start")  # fmt: skip
    d.text(214, 230, "(no output)", anchor="start")
    d.text(332, 266, ("then at most one line each", "然后，每种至多一行"), size=14)
    d.rect(206, 278, 252, 52, fill=PAPER)
    d.text(214, 299, "[sandbox: file access denied", size=14, anchor="start")
    d.text(228, 319, "under <mode> mode]", size=14, anchor="start")
    d.rect(206, 338, 252, 32, fill=PAPER)
    d.text(214, 359, "[timed out after Nms]", size=14, anchor="start")
    d.rect(206, 378, 252, 80, fill=PAPER)
    d.text(214, 399, "[killed by signal: N]", size=14, anchor="start")
    d.text(214, 422, ("or, never for 0:", "或者（为 0 时不写）："),
           size=14, anchor="start")  # fmt: skip
    d.text(214, 445, "[exit code: N]", size=14, anchor="start")
    rows = (
        (117, "stdout"),
        (165, "stderr"),
        (304, "denied"),
        (354, "timed_out"),
        (394, "signal"),
        (440, "exit_code"),
        (500, "refused"),
    )
    for y, name in rows:
        d.text(22, y + 5, name, size=14, anchor="start")
        d.line((112, y), (206 if y < 480 else 196, y), colour=STRONG)
    d.rect(196, 476, 272, 48, stroke=STOP)
    d.text(208, 496, ("alone, if nothing was run:", "什么都没运行时，只有："),
           size=14, anchor="start")  # fmt: skip
    d.text(208, 516, "not run: …", size=14, anchor="start")
    d.line((12, 524), (164, 524), dash="4 4", arrow=False)
    for y, name in ((545, "left_out"), (565, "duration_seconds")):
        d.text(22, y, name, size=14, anchor="start")
    d.text(332, 555, ("no line of their own", "没有自己的行"), size=14)
    d.text(240, 606, ("the text is made from it and never read back",
           "文本由它生成，从不读回"), bold=True)  # fmt: skip


def sentence_and_behaviour(d: Drawing) -> None:
    d.box(12, 12, 132, 106, ("contract", "契约"), ("markers", "标记"),
          ("fixed words", "固定用语"), ("budgets", "预算"), stroke=STRONG)  # fmt: skip
    d.rect(172, 12, 296, 106, stroke=STRONG)
    d.text(320, 38, ("list of promises", "承诺清单"), bold=True)
    for x, name in ((182, ("sentence", "句子")), (332, ("check", "检查"))):
        d.rect(x, 56, 126, 46, fill=PAPER)
        d.text(x + 63, 84, name)
    d.text(320, 85, "+", bold=True)
    d.line((78, 118), (78, 158), colour=STRONG)
    d.line((245, 102), (245, 158), colour=STRONG)
    d.line((395, 102), (395, 158), colour=STRONG)
    d.text(318, 146, ("asked through", "经由"), size=14, room=(250, 390))

    d.rect(12, 158, 272, 226, fill=PAPER, dash="5 5")
    d.text(148, 181, ("descriptions", "描述"), bold=True)
    for x, name in ((22, "bash"), (152, "pwsh")):
        d.text(x + 61, 204, name)
        d.rect(x, 214, 122, 38)
        d.text(x + 61, 238, ("own header", "各自的开头"), size=14)
        d.rect(x, 334, 122, 38)
        d.text(x + 61, 358, ("own sentences", "各自的句子"), size=14)
    d.box(22, 262, 252, 62, ("the promises' sentences", "承诺的句子"),
          ("in the same words", "一字不差"), stroke=STRONG)  # fmt: skip

    d.box(320, 158, 148, 60, ("phrasebook", "短语手册"),
          ("one per dialect", "每种方言一本"))  # fmt: skip
    d.line((394, 218), (394, 258), colour=STRONG)
    d.rect(320, 258, 148, 126, fill=PAPER, dash="5 5")
    d.text(394, 284, ("real processes", "真实的进程"), bold=True)
    for x, name in ((329, "bash"), (398, "pwsh")):
        d.rect(x, 304, 61, 68)
        d.text(x + 30.5, 343, name)

    d.line((148, 384), (148, 428), colour=STRONG)
    d.text(158, 411, ("read by", "交给"), size=14, anchor="start")
    d.box(12, 428, 272, 58, ("Model", "模型"),
          ("all it knows of the tools", "对工具只知道这些"))  # fmt: skip
    d.line((394, 384), (394, 428), colour=STRONG)
    d.box(320, 428, 148, 58, ("findings", "查出的问题"),
          ("what was not kept", "没有兑现的承诺"), stroke=STOP)  # fmt: skip
    d.text(240, 518, ("neither a sentence nor a check comes alone",
           "句子和检查，缺一不可"), bold=True)  # fmt: skip


def two_layers(d: Drawing) -> None:
    d.box(150, 12, 180, 40, ("Model", "模型"))
    for x in (180, 300):
        d.line((x, 52), (x, 84), colour=STRONG)
    d.box(12, 84, 216, 58, ("shell tool", "shell 工具"),
          ("bash or pwsh", "bash 或 pwsh"))  # fmt: skip
    d.box(252, 84, 216, 58, "write_file", ("in the Host", "在宿主程序里"))
    for x in (120, 360):
        d.line((x, 142), (x, 176), colour=STRONG)
    d.rect(12, 176, 216, 112, stroke=STRONG, fill=PAPER, width=2, dash="5 5")
    d.text(120, 199, ("fence, held by the kernel", "围栏，由内核把守"), size=14)
    d.box(24, 210, 192, 58, ("process", "进程"), ("of the command", "执行命令"))
    d.box(252, 176, 216, 112, ("checks the policy", "检查策略"),
          ("by its own code,", "靠自己的代码，"), ("without a fence", "没有围栏"),
          stroke=STRONG)  # fmt: skip
    d.line((170, 268), (170, 330), colour=STOP)
    d.cross(170, 288)
    d.line((310, 288), (310, 330), colour=STOP)
    d.cross(310, 306)
    d.box(150, 330, 180, 58, ("file", "文件"), ("no write allowed", "不允许写"))
    d.line((60, 268), (60, 412))
    d.text(68, 364, "stderr", size=14, anchor="start", room=(64, 148))
    d.line((420, 288), (420, 412))
    d.box(12, 412, 216, 58, ("read from stderr", "从 stderr 读出"),
          ("can be wrong", "可能读错"))  # fmt: skip
    d.box(252, 412, 216, 58, ("known", "确知"),
          ("the Host itself refused", "是宿主程序自己拒绝的"))  # fmt: skip
    for x in (120, 360):
        d.line((x, 470), (x, 504), colour=STRONG)
    d.box(12, 504, 456, 62, ("the same denial line", "同一行拒绝标记"),
          "[sandbox: file access denied under <mode> mode]", stroke=STOP)  # fmt: skip
    d.text(240, 598, ("to the model, it is one boundary",
           "对模型来说，这是同一道边界"), bold=True)  # fmt: skip


DRAWINGS = {
    order_of_lines: (
        622,
        ("The order of the lines in a result", "结果里各行的顺序"),
        (
            "On the left the Outcome, which the Host keeps, with its fields; on the"
            " right the text for the model, from top to bottom. First the body, within"
            " the budget: what stdout held, the heading [stderr] and what stderr held;"
            " where both are blank, it is (no output). Then at most one line each: for"
            " denied, [sandbox: file access denied under <mode> mode]; for timed_out,"
            " [timed out after Nms]; for signal, [killed by signal: N], or for"
            " exit_code, [exit code: N], never for 0. If nothing was run, the text is"
            " only what refused gives, not run and the reason. left_out and"
            " duration_seconds have no line of their own. All arrows go from the"
            " Outcome to the text: the text is made from it and never read back.",
            "左边是宿主程序保留的 Outcome 及其字段，右边是给模型看的文本，自上而下。"
            "先是正文，不超出预算：stdout 的内容、标题 [stderr] 和 stderr 的内容；"
            "两者都空白，则是 (no output)。然后每种至多一行：denied 对应 "
            "[sandbox: file access denied under <mode> mode]；timed_out 对应 "
            "[timed out after Nms]；signal 对应 [killed by signal: N]，"
            "或者 exit_code 对应 [exit code: N]，为 0 时不写。"
            "什么都没运行时，只有 refused 给出的 not run 和原因。"
            "left_out 和 duration_seconds 没有自己的行。箭头都从 Outcome 指向文本："
            "文本由它生成，从不读回。",
        ),
    ),
    sentence_and_behaviour: (
        534,
        ("A promise is a sentence and a behaviour", "一条承诺：一个句子和一种行为"),
        (
            "The contract holds markers, fixed words and budgets. The list of promises"
            " holds a sentence and a check each. Contract and sentences lead to two"
            " descriptions, that of bash and that of pwsh: the promises' sentences are"
            " in both in the same words, and only the header and some sentences are"
            " each one's own. The model reads them, and they are all it knows of the"
            " tools. The same promises' checks go through a phrasebook, one for each"
            " dialect, to real processes of bash and of pwsh; what comes out are the"
            " findings, what was not kept. Neither a sentence nor a check comes alone.",
            "契约里有标记、固定用语和预算。承诺清单里每条都有一个句子和一项检查。"
            "契约和句子生成两份描述，bash 的和 pwsh 的："
            "承诺的句子在两份里一字不差，只有开头和几个句子是各自的。"
            "描述交给模型，它对工具只知道这些。"
            "同一批承诺的检查经由短语手册（每种方言一本）问到 bash 和 pwsh 的真实进程；"
            "得出的是查出的问题，也就是没有兑现的承诺。句子和检查，缺一不可。",
        ),
    ),
    two_layers: (
        614,
        ("Two ways to a file, one denial line", "通向文件的两条路，同一行拒绝标记"),
        (
            "The model has two tools. The shell tool, bash or pwsh, starts the"
            " command's process behind a fence that the kernel holds; its way to a file"
            " that it may not write is closed at the fence. That it was a denial is"
            " read from stderr and can be wrong. write_file runs in the Host, which"
            " checks the policy by its own code, without a fence; this way to the file"
            " is closed too, and the denial is known, because the Host itself refused."
            " Both answer with the same denial line, [sandbox: file access denied under"
            " <mode> mode]. To the model, it is one boundary.",
            "模型有两个工具。shell 工具（bash 或 pwsh）在围栏后面启动命令的进程，"
            "围栏由内核把守；文件不允许写，这条路就在围栏处被挡住。"
            "是不是拒绝要从 stderr 读出，可能读错。write_file 在宿主程序里运行，"
            "靠自己的代码检查策略，没有围栏；这条路同样被挡住，而且拒绝是确知的，"
            "因为是宿主程序自己拒绝的。两者都用同一行拒绝标记回答："
            "[sandbox: file access denied under <mode> mode]。"
            "对模型来说，这是同一道边界。",
        ),
    ),
}
