"""The diagram of the home page."""

from __future__ import annotations

from drawing import STRONG, Drawing


def host_and_model(d: Drawing) -> None:
    d.box(30, 12, 300, 62, ("Model", "模型"), ("proposes", "只提议"))
    d.line((110, 74), (110, 146), colour=STRONG)
    d.text(100, 115, ("proposal", "提议"), size=14, anchor="end")
    d.line((250, 146), (250, 74))
    d.text(260, 115, ("result", "结果"), size=14, anchor="start")
    d.rect(30, 146, 300, 134, stroke=STRONG, width=2.5)
    d.text(180, 172, ("Host: your program", "宿主程序：由你来写"), bold=True)
    for y, words in (
        (200, ("checks every proposal", "检查每一个提议")),
        (228, ("runs what it has registered", "只运行登记过的程序")),
        (256, ("decides what leaves", "决定什么可以交付")),
    ):
        d.text(180, y, words)
    d.line((180, 280), (180, 336), colour=STRONG)
    d.text(190, 313, ("only what was checked", "只有检查过的"), size=14, anchor="start")
    d.box(30, 336, 420, 50, ("files, processes, people", "文件、进程、人"))
    d.line((330, 43), (408, 43), (408, 190), dash="5 5", arrow=False)
    d.line((408, 262), (408, 336), dash="5 5")
    d.cross(408, 208)
    d.text(408, 240, ("no other way", "没有别的路"), size=14, room=(334, 480))


DRAWINGS = {
    host_and_model: (
        398,
        ("Host and model", "宿主程序与模型"),
        (
            "The model sends proposals to the Host and gets results back. The Host"
            " checks every proposal, runs what it has registered and decides what"
            " leaves. Only what was checked reaches files, processes and people; the"
            " model has no other way to them.",
            "模型向宿主程序发出提议，收到结果。宿主程序检查每一个提议，"
            "只运行登记过的程序，并决定什么可以交付。"
            "只有检查过的才会到达文件、进程和人，模型没有别的路。",
        ),
    ),
}
