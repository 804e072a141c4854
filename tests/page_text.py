"""A Markdown page as the tests see it: headings, fences, links, notes, prose.

The course's pages keep to a small part of Markdown, so a reader by lines is enough.
What it does not know it leaves in the prose.
"""

from __future__ import annotations

import hashlib
import re
import textwrap
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CHINESE = ".zh-CN.md"

FENCE = re.compile(r"^(?P<indent> *)(?P<mark>`{3,}|~{3,})(?P<info>.*)$")
HEADING = re.compile(r"^(?P<hashes>#{1,6}) (?P<text>.*?)(?: \{#(?P<id>[\w-]+)\})?$")
NOTE = re.compile(r"^ *(?:!!!|\?\?\?\+?) (?P<kind>\w+)")
LINK = re.compile(r"(?P<image>!?)\[(?:[^\]\[]|\[[^\]]*\])*\]\((?P<target>[^)\s]+)\)")
DIGEST = re.compile(r'source_sha256: "?(?P<digest>[0-9a-f]{16})\b')


@dataclass(frozen=True)
class Heading:
    """A heading: its level, words, and explicit id where it has one."""

    level: int
    text: str
    id: str | None


@dataclass(frozen=True)
class Fence:
    """A fenced block without its indentation, and the line on which it opens."""

    line: int
    info: str
    text: str

    @property
    def language(self) -> str:
        """The first word after the fence's mark."""
        return self.info.split(maxsplit=1)[0] if self.info.strip() else ""

    @property
    def title(self) -> str:
        """What stands in `title="…"`, or nothing."""
        found = re.search(r'title="([^"]*)"', self.info)
        return found[1] if found else ""


@dataclass
class Page:
    """One Markdown file, taken apart."""

    path: Path
    text: str
    headings: list[Heading] = field(default_factory=list)
    fences: list[Fence] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    images: list[str] = field(default_factory=list)
    prose: list[tuple[int, str]] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The page's path from the root of the repository, for messages."""
        if self.path.is_relative_to(ROOT):
            return self.path.relative_to(ROOT).as_posix()
        return self.path.name


def read_page(path: Path) -> Page:
    """Take the page at `path` apart; a fence that is never closed is a ValueError."""
    page = Page(path, path.read_text(encoding="utf-8"))
    lines = page.text.splitlines()
    number = _front_matter(lines)
    while number < len(lines):
        opening = FENCE.match(lines[number])
        if opening:
            number = _read_fence(page, lines, number, opening)
        else:
            _read_line(page, number + 1, lines[number])
            number += 1
    return page


def _front_matter(lines: list[str]) -> int:
    """The number of the first line after a page's front matter."""
    if not lines or lines[0] != "---":
        return 0
    return lines.index("---", 1) + 1


def _read_fence(page: Page, lines: list[str], start: int, opening: re.Match) -> int:
    mark = opening["mark"]
    closing = re.compile(rf"^ *{mark[0]}{{{len(mark)},}} *$")
    for end in range(start + 1, len(lines)):
        if closing.match(lines[end]):
            body = textwrap.dedent("\n".join(lines[start + 1 : end]))
            page.fences.append(Fence(start + 1, opening["info"].strip(), body))
            return end + 1
    raise ValueError(f"{page.name}:{start + 1}: the fence is never closed")


def _read_line(page: Page, number: int, line: str) -> None:
    page.prose.append((number, line))
    heading = HEADING.match(line)
    if heading:
        level = len(heading["hashes"])
        page.headings.append(Heading(level, heading["text"], heading["id"]))
    note = NOTE.match(line)
    if note:
        page.notes.append(note["kind"])
    for link in LINK.finditer(re.sub(r"`[^`]*`", "", line)):
        (page.images if link["image"] else page.links).append(link["target"])


def english_twin(path: Path) -> Path:
    """The English page that a Chinese one was written from."""
    return path.with_name(path.name.removesuffix(CHINESE) + ".md")


def digest_of(path: Path) -> str:
    """What a translation records of its source: 16 digits of SHA-256 over its bytes."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def all_pages() -> list[Path]:
    """Every Markdown file of the course, and none that a reader's commands left."""
    found = [
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/**/*.md"),
        *(path for path in ROOT.glob("stages/**/*.md") if "code" not in path.parts),
    ]
    return sorted(found)
