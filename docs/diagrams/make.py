"""Draw the course's diagrams: one spec each, one SVG a language.

    python docs/diagrams/make.py

Authors run this after a change and commit the SVG; readers and CI do not need it.
A drawing is 480 units wide, so that its words are still legible on a phone. Colours
are CSS variables of the site with a fallback for viewers that know none, such as an
image on a forge. Each text is measured roughly, and one that would not fit is an error.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

HERE = Path(__file__).resolve().parent
WIDTH = 480
LANGUAGES = {"en": ".svg", "zh-CN": ".zh-CN.svg"}

INK = "var(--diagram-ink, #1b2733)"
PAPER = "var(--diagram-paper, #fff)"
BOX = "var(--diagram-box, #f3f5f8)"
LINE = "var(--diagram-line, #566270)"
STRONG = "var(--diagram-strong, #17588f)"
STOP = "var(--diagram-stop, #b3261e)"

Words = tuple[str, str]  # English, Chinese


def text_width(text: str, size: float) -> float:
    """Return roughly how wide the text is drawn: a Han character is a square."""
    return sum(size if ord(c) > 0x2E7F else size * 0.55 for c in text)


@dataclass
class Drawing:
    """Shapes in order, with words in one language."""

    name: str
    height: int
    title: Words
    description: Words
    language: str
    shapes: list[str] = field(default_factory=list)

    def say(self, words: Words | str) -> str:
        if isinstance(words, str):
            return words
        return words[list(LANGUAGES).index(self.language)]

    def text(self, x, y, words, *, size=15, anchor="middle", colour=INK, bold=False,
             mono=False, room=None):  # fmt: skip
        text = self.say(words)
        width = text_width(text, size) * (1.1 if mono or bold else 1)
        left = {"start": x, "middle": x - width / 2, "end": x - width}[anchor]
        low, high = room or (0, WIDTH)
        if left < low or left + width > high:
            sys.exit(f"{self.name} {self.language}: no room for {text!r}")
        style = ' font-weight="600"' if bold else ""
        style += ' font-family="ui-monospace, Menlo, Consolas, monospace"' * mono
        self.shapes.append(
            f'<text x="{x}" y="{y}" font-size="{size}" text-anchor="{anchor}"'
            f' fill="{colour}"{style}>{escape(text)}</text>'
        )

    def rect(self, x, y, w, h, *, stroke=LINE, fill=BOX, width=1.5, dash=""):
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        self.shapes.append(
            f'<rect x="{x}" y="{y}" width="{w}" height="{h}" rx="6" fill="{fill}"'
            f' stroke="{stroke}" stroke-width="{width}"{dashes}/>'
        )

    def box(self, x, y, w, h, head, *lines, stroke=LINE, mono=False):
        """Draw a box with a bold first line and smaller ones, centred."""
        self.rect(x, y, w, h, stroke=stroke)
        top = y + h / 2 - 10 * len(lines) + 5
        room = (x + 4, x + w - 4)
        self.text(x + w / 2, top, head, bold=True, mono=mono, room=room)
        for number, line in enumerate(lines, 1):
            self.text(x + w / 2, top + 20 * number, line, size=14, room=room)

    def line(self, *points, colour=LINE, dash="", arrow=True):
        path = " L".join(f"{x} {y}" for x, y in points)
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        self.shapes.append(
            f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="1.8"'
            f"{dashes}/>"
        )
        if arrow:
            self._head(points[-2], points[-1], colour)

    def _head(self, before, tip, colour):
        (x0, y0), (x, y) = before, tip
        length = max(abs(x - x0), abs(y - y0))
        ux, uy = (x - x0) / length, (y - y0) / length
        corners = [
            (x - 9 * ux + side * 5 * uy, y - 9 * uy + side * 5 * ux) for side in (1, -1)
        ]
        points = " ".join(f"{a:g},{b:g}" for a, b in [(x, y), *corners])
        self.shapes.append(f'<polygon points="{points}" fill="{colour}"/>')

    def cross(self, x, y):
        self.shapes.append(
            f'<path d="M{x - 8} {y - 8}l16 16m0 -16l-16 16" fill="none"'
            f' stroke="{STOP}" stroke-width="3"/>'
        )

    def svg(self) -> str:
        ids = f"{self.name}-title {self.name}-desc"
        return (
            '<svg xmlns="http://www.w3.org/2000/svg"'
            f' viewBox="0 0 {WIDTH} {self.height}"'
            f' lang="{self.language}" role="img" aria-labelledby="{ids}"'
            f' font-family="var(--md-text-font-family, system-ui, sans-serif)">'
            f'<title id="{self.name}-title">{escape(self.say(self.title))}</title>'
            f'<desc id="{self.name}-desc">{escape(self.say(self.description))}</desc>'
            f'<rect width="{WIDTH}" height="{self.height}" fill="{PAPER}"/>'
            + "".join(self.shapes)
            + "</svg>\n"
        )


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


def run_layout(d: Drawing) -> None:
    d.box(16, 12, 170, 50, ("Host", "宿主程序"), stroke=STRONG)
    d.box(294, 12, 170, 50, ("Agent", "智能体"), ("proposes paths", "提议路径"))
    d.rect(92, 104, 296, 274, fill=PAPER, width=2)
    d.text(240, 128, ("one run's directory", "一次运行的目录"), bold=True)
    rows = (
        (142, "inputs/", ("brief and sources", "任务说明和资料")),
        (210, "work/", ("drafts", "草稿")),
        (278, "artifacts/", ("staging, not approval", "暂存，不等于批准")),
    )
    for y, name, note in rows:
        d.box(110, y, 260, 58, name, note, mono=True)
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
    d.text(172, 95, ("Host: keys, path, size", "宿主程序：字段、路径、大小"), size=14,
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
    d.box(354, 212, 114, 56, "report.md", ("may change", "随时会变"), mono=True)
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
    d.text(limit + 32, 147, ("killed", "被结束"), size=14, anchor="start", colour=STOP)
    for y in (207, 267):
        d.text(
            limit + 32, y, ("closed", "才关闭"), size=14, anchor="start", colour=STOP
        )
    d.text(240, 332, ("finished = both processes and both pipes",
                      "结束 = 两个进程和两根管道都结束"), bold=True)  # fmt: skip
    d.text(240, 356, ("here: timed out, though the child said 0",
                      "这里：子进程返回了 0，仍算超时"))  # fmt: skip


DRAWINGS = {
    host_and_model: (
        398,
        ("Host and model", "宿主程序与模型"),
        (
            "The model sends proposals to the Host and gets results back. The Host"
            " checks"
            " every proposal, runs what it has registered and decides what leaves. Only"
            " what was checked reaches files, processes and people; the model has no"
            " other way to them.",
            "模型向宿主程序发出提议，收到结果。宿主程序检查每一个提议，"
            "只运行登记过的程序，"
            "并决定什么可以交付。只有检查过的才会到达文件、进程和人，模型没有别的路。",
        ),
    ),
    run_layout: (
        508,
        (
            "A run's directory and who may write where",
            "一次运行的目录，以及谁能写到哪里",
        ),
        (
            "The directory of one run holds inputs, work and artifacts. The Host writes"
            " inputs once. The agent reads inputs and writes work and artifacts."
            " Only the"
            " Host writes the delivered file, outside the directory. The directory"
            " keeps"
            " order and does not isolate.",
            "一次运行的目录里有 inputs、work 和 artifacts。宿主程序只写一次 inputs；"
            "智能体读"
            " inputs，写 work 和 artifacts；只有宿主程序能在目录之外写出交付物。"
            "目录只管整齐，"
            "并不隔离。",
        ),
    ),
    check_and_export: (
        492,
        ("Proposal, check, receipt, export", "提议、检查、回执、导出"),
        (
            "The agent proposes to check work/report.md. The Host looks at keys,"
            " path and"
            " size. A checker process reads the bytes once and answers with exit code,"
            " JSON and digest. The receipt binds the verdict to the digest. Export"
            " reads"
            " the file again, which may have changed: with the same digest these very"
            " bytes are delivered, otherwise it refuses and writes nothing.",
            "智能体提议检查 work/report.md。宿主程序核对字段、路径和大小。"
            "检查进程只读一次字节，"
            "给出退出码、JSON 和摘要。检查回执把结论和摘要绑在一起。文件随时会变，"
            "所以导出时再读"
            "一次：摘要一样，就交付这些字节；变了就拒绝，什么都不写。",
        ),
    ),
    deadline: (
        372,
        ("What a deadline covers", "截止时间管到哪里"),
        (
            "Four bars over time. The direct child exits early with code 0. Its"
            " descendant runs on and holds both pipes, stdout and stderr, until the"
            " deadline, when it is killed and the pipes close within the grace period."
            " A run is finished when both processes and both pipes have ended, so"
            " this one"
            " timed out.",
            "四条横线表示时间。直接子进程很早就以退出码 0 结束。它的后代进程继续运行，"
            "握着 stdout 和 stderr 两根管道，直到截止时间才被结束，"
            "管道在宽限期内关闭。两个进程"
            "和两根管道都结束，运行才算结束，所以这一次算超时。",
        ),
    ),
}


def drawings() -> dict[str, str]:
    """Return every file name with its content."""
    files = {}
    for draw, (height, title, description) in DRAWINGS.items():
        name = draw.__name__.replace("_", "-")
        for language, suffix in LANGUAGES.items():
            drawing = Drawing(name, height, title, description, language)
            draw(drawing)
            files[name + suffix] = drawing.svg()
    return files


if __name__ == "__main__":
    for file_name, content in drawings().items():
        (HERE / file_name).write_text(content, "utf-8", newline="\n")
        print(file_name)
