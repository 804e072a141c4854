"""The diagrams of stage 12: workspaces and execution boundaries."""

from __future__ import annotations

from drawing import BOX, INK, PAPER, STOP, STRONG, Drawing


def run_layout(d: Drawing) -> None:
    d.box(16, 12, 170, 50, ("Host", "宿主程序"), stroke=STRONG)
    d.box(244, 12, 220, 50, ("Model, through the Host", "模型，经由宿主程序"),
          ("proposes paths", "提议路径"))  # fmt: skip
    d.rect(92, 104, 296, 274, fill=PAPER, width=2)
    d.text(240, 128, ("one run's directory", "一次运行的目录"), bold=True)
    rows = (
        (142, "inputs/", ("brief and sources", "任务说明和资料")),
        (210, "work/", ("drafts", "草稿")),
        (278, "artifacts/", ("staging, not approval", "暂存，不等于批准")),
    )
    for y, name, note in rows:
        d.box(110, y, 260, 58, name, note)
    d.text(
        240, 362, ("tidy, not fenced in", "只管整齐，并不隔离"), size=14, colour=STOP
    )
    d.line((66, 62), (66, 171), (110, 171), colour=STRONG)
    d.text(74, 88, ("once", "一次"), size=14, anchor="start")
    d.line((36, 62), (36, 440), (110, 440), colour=STRONG)
    d.line((340, 142), (340, 62), dash="5 5")
    d.line((432, 62), (432, 239), (370, 239), colour=STRONG)
    d.line((432, 239), (432, 307), (370, 307), colour=STRONG)
    d.box(110, 412, 260, 56, ("delivered file", "交付物"), ("outside", "在目录之外"))
    d.line((92, 492), (132, 492), colour=STRONG)
    d.text(140, 497, ("writes", "写"), size=14, anchor="start")
    d.line((240, 492), (280, 492), dash="5 5")
    d.text(288, 497, ("reads", "读"), size=14, anchor="start")


def check_and_export(d: Drawing) -> None:
    d.box(12, 12, 300, 56, ("Proposal", "提议"),
          ("check work/report.md", "检查 work/report.md"))  # fmt: skip
    d.line((162, 68), (162, 112), colour=STRONG)
    d.text(172, 95, ("Host: keys, path, size", "宿主程序：键、路径、大小"), size=14,
           anchor="start")  # fmt: skip
    d.box(12, 112, 300, 56, ("Checker, a process", "检查进程"),
          ("reads the bytes once", "只读一次字节"))  # fmt: skip
    d.line((162, 168), (162, 212), colour=STRONG)
    d.text(172, 195, ("exit code, JSON, digest", "退出码、JSON、摘要"), size=14,
           anchor="start")  # fmt: skip
    d.box(12, 212, 300, 56, ("Review receipt", "检查回执"),
          ("verdict + SHA-256", "结论 + SHA-256"), stroke=STRONG)  # fmt: skip
    d.line((162, 268), (162, 312), colour=STRONG)
    d.box(12, 312, 300, 56, ("Export reads again", "导出时再读一次"),
          ("the same digest?", "摘要还一样吗？"), stroke=STRONG)  # fmt: skip
    d.line((100, 368), (100, 424), colour=STRONG)
    d.text(90, 401, ("yes", "一样"), size=14, anchor="end")
    d.box(12, 424, 200, 56, ("Delivered file", "交付物"),
          ("these very bytes", "就是这些字节"))  # fmt: skip
    d.line((270, 368), (270, 452), (300, 452), colour=STOP)
    d.text(280, 401, ("no", "变了"), size=14, anchor="start")
    d.box(300, 424, 168, 56, ("Refused", "拒绝"),
          ("nothing is written", "什么都不写"), stroke=STOP)  # fmt: skip
    d.box(354, 212, 114, 56, "report.md", ("may change", "随时会变"))
    d.line((411, 212), (411, 140), (312, 140), dash="5 5")
    d.line((411, 268), (411, 340), (312, 340), dash="5 5")


def deadline(d: Drawing) -> None:
    start, ended, limit, grace = 24, 170, 330, 420
    d.rect(limit, 44, grace - limit, 258, stroke="none", fill=BOX)
    rows = (
        (66, ("direct child", "直接子进程"), ended, INK),
        (126, ("its descendant", "它的后代进程"), limit + 24, STOP),
        (186, ("pipe: stdout", "管道：stdout"), limit + 24, STOP),
        (246, ("pipe: stderr", "管道：stderr"), limit + 24, STOP),
    )
    for y, words, end, colour in rows:
        d.text(start + 7, y, words, anchor="start", room=(0, limit))
        d.line((start, y + 16), (end, y + 16), colour=colour, arrow=False)
        d.line((end, y + 9), (end, y + 23), colour=colour, arrow=False)
    for x, words, anchor in (
        (start, ("start", "开始"), "start"),
        (limit, ("deadline", "截止时间"), "middle"),
        (grace, ("grace", "宽限期"), "middle"),
    ):
        d.line((x, 34), (x, 302), dash="3 4", arrow=False)
        d.text(x, 24, words, size=14, anchor=anchor)
    d.text(ended + 8, 87, ("exit 0", "退出码 0"), size=14, anchor="start",
           room=(ended, limit))  # fmt: skip
    d.text(limit + 32, 147, ("killed", "被杀"), size=14, anchor="start", colour=STOP)
    for y in (207, 267):
        d.text(
            limit + 32, y, ("closed", "才关闭"), size=14, anchor="start", colour=STOP
        )
    d.text(240, 332, ("finished = both processes and both pipes",
                      "结束 = 两个进程和两根管道都结束"), bold=True)  # fmt: skip
    d.text(240, 356, ("here: timed out, though the child said 0",
                      "这里：子进程返回了 0，仍算超时"))  # fmt: skip


DRAWINGS = {
    run_layout: (
        508,
        (
            "A run's directory and who may write where",
            "一次运行的目录，以及谁能写到哪里",
        ),
        (
            "The directory of one run holds inputs, work and artifacts. The Host writes"
            " inputs once. The model, through the Host, reads inputs and writes work"
            " and artifacts. Only the Host writes the delivered file, outside the"
            " directory. The directory keeps order and does not isolate.",
            "一次运行的目录里有 inputs、work 和 artifacts。宿主程序只写一次 inputs；"
            "模型经由宿主程序读 inputs，写 work 和 artifacts；"
            "只有宿主程序能在目录之外写出交付物。目录只管整齐，并不隔离。",
        ),
    ),
    check_and_export: (
        492,
        ("Proposal, check, receipt, export", "提议、检查、回执、导出"),
        (
            "The model proposes to check work/report.md. The Host looks at keys, path"
            " and size. A checker process reads the bytes once and answers with exit"
            " code, JSON and digest. The receipt binds the verdict to the digest."
            " Export reads the file again, which may have changed: with the same digest"
            " these very bytes are delivered, otherwise it refuses and writes nothing.",
            "模型提议检查 work/report.md。宿主程序核对键、路径和大小。"
            "检查进程只读一次字节，给出退出码、JSON 和摘要。"
            "检查回执把结论和摘要绑在一起。文件随时会变，所以导出时再读一次："
            "摘要一样，就交付这些字节；变了就拒绝，什么都不写。",
        ),
    ),
    deadline: (
        372,
        ("What a deadline covers", "截止时间管到哪里"),
        (
            "Four bars over time. The direct child exits early with code 0. Its"
            " descendant runs on and holds both pipes, stdout and stderr, until the"
            " deadline, when it is killed and the pipes close within the grace period."
            " A run is finished when both processes and both pipes have ended, so this"
            " one timed out.",
            "四条横线表示时间。直接子进程很早就以退出码 0 结束。它的后代进程继续运行，"
            "握着 stdout 和 stderr 两根管道，直到截止时间才被杀掉，管道在宽限期内关闭。"
            "两个进程和两根管道都结束，运行才算结束，所以这一次算超时。",
        ),
    ),
}
