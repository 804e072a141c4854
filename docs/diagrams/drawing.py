"""A drawing in the course's style, with its words in one language.

A drawing is 480 units wide, so that its words are still legible on a phone. Colours
are CSS variables of the site with a fallback for viewers that know none, such as an
image on a forge. Each text is measured roughly, and one that would not fit is an error.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from html import escape

WIDTH = 480
LANGUAGES = {"en": ".svg", "zh-CN": ".zh-CN.svg"}

INK = "var(--diagram-ink, #1b2733)"
PAPER = "var(--diagram-paper, #fff)"
BOX = "var(--diagram-box, #f3f5f8)"
LINE = "var(--diagram-line, #566270)"
STRONG = "var(--diagram-strong, #17588f)"
STOP = "var(--diagram-stop, #b3261e)"
MONOSPACE = "ui-monospace, Menlo, Consolas, monospace"

# English and Chinese; or one string for both, which is code and drawn as such.
Words = tuple[str, str] | str
Point = tuple[float, float]


def text_width(text: str, size: float) -> float:
    """Return roughly how wide the text is drawn: a Han character is a square."""
    return sum(size if ord(c) > 0x2E7F else size * 0.55 for c in text)


@dataclass
class Drawing:
    """Shapes, drawn one over the other in the order in which they are added."""

    name: str
    height: int
    title: Words
    description: Words
    language: str
    shapes: list[str] = field(default_factory=list)

    def say(self, words: Words) -> str:
        """Return the words in this drawing's language."""
        if isinstance(words, str):
            return words
        return words[list(LANGUAGES).index(self.language)]

    def text(
        self,
        x: float,
        y: float,
        words: Words,
        *,
        size: float = 15,
        anchor: str = "middle",
        colour: str = INK,
        bold: bool = False,
        room: tuple[float, float] = (0, WIDTH),
    ) -> None:
        """Write one line, or end the program when it leaves its room."""
        text, is_code = self.say(words), isinstance(words, str)
        width = text_width(text, size) * (1.1 if is_code or bold else 1)
        left = {"start": x, "middle": x - width / 2, "end": x - width}[anchor]
        if left < room[0] or left + width > room[1]:
            sys.exit(f"{self.name} {self.language}: no room for {text!r}")
        style = ' font-weight="600"' * bold
        style += f' font-family="{MONOSPACE}"' * is_code
        self.shapes.append(
            f'<text x="{x}" y="{y}" font-size="{size}" text-anchor="{anchor}"'
            f' fill="{colour}"{style}>{escape(text)}</text>'
        )

    def rect(
        self,
        x: float,
        y: float,
        w: float,
        h: float,
        *,
        stroke: str = LINE,
        fill: str = BOX,
        width: float = 1.5,
        dash: str = "",
    ) -> None:
        """Draw a frame with round corners."""
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        self.shapes.append(
            f'<rect x="{x}" y="{y}" width="{w}" height="{h}" rx="6" fill="{fill}"'
            f' stroke="{stroke}" stroke-width="{width}"{dashes}/>'
        )

    def box(
        self,
        x: float,
        y: float,
        w: float,
        h: float,
        head: Words,
        *lines: Words,
        stroke: str = LINE,
    ) -> None:
        """Draw a box with a bold first line and smaller ones, centred."""
        self.rect(x, y, w, h, stroke=stroke)
        top = y + h / 2 - 10 * len(lines) + 5
        room = (x + 4, x + w - 4)
        self.text(x + w / 2, top, head, bold=True, room=room)
        for number, line in enumerate(lines, 1):
            self.text(x + w / 2, top + 20 * number, line, size=14, room=room)

    def line(
        self, *points: Point, colour: str = LINE, dash: str = "", arrow: bool = True
    ) -> None:
        """Draw a line through the points, with an arrow's head at its end."""
        path = " L".join(f"{x} {y}" for x, y in points)
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        self.shapes.append(
            f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="1.8"'
            f"{dashes}/>"
        )
        if arrow:
            self._head(points[-2], points[-1], colour)

    def _head(self, before: Point, tip: Point, colour: str) -> None:
        (x0, y0), (x, y) = before, tip
        length = max(abs(x - x0), abs(y - y0))
        ux, uy = (x - x0) / length, (y - y0) / length
        corners = [
            (x - 9 * ux + side * 5 * uy, y - 9 * uy + side * 5 * ux) for side in (1, -1)
        ]
        points = " ".join(f"{a:g},{b:g}" for a, b in [(x, y), *corners])
        self.shapes.append(f'<polygon points="{points}" fill="{colour}"/>')

    def cross(self, x: float, y: float) -> None:
        """Mark a way that is closed."""
        self.shapes.append(
            f'<path d="M{x - 8} {y - 8}l16 16m0 -16l-16 16" fill="none"'
            f' stroke="{STOP}" stroke-width="3"/>'
        )

    def svg(self) -> str:
        """Return the file's content."""
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
