"""What can be wrong with a page: one function a rule, each giving its complaints."""

from __future__ import annotations

import ast
import re
import textwrap
import tomllib
from pathlib import Path
from urllib.parse import unquote

import autocorrect_py
from page_text import CHINESE, DIGEST, ROOT, Page, digest_of, english_twin, read_page

WORDING = tomllib.loads((ROOT / "tests/wording.toml").read_text(encoding="utf-8"))


def stray_excerpts(page: Page, root: Path = ROOT) -> list[str]:
    """Code blocks that are titled with a file and are not that file's own text."""
    wrong = []
    for fence in page.fences:
        where = f"{page.name}:{fence.line}"
        if fence.title.startswith("stages/"):
            source = root / fence.title
            if not source.is_file():
                wrong.append(f"{where}: there is no {fence.title}")
            elif not is_excerpt(fence.text, source.read_text(encoding="utf-8")):
                wrong.append(
                    f"{where}: not in {fence.title}; the nearest lines there are\n"
                    + nearest_lines(fence.text, source.read_text(encoding="utf-8"))
                )
        elif fence.language == "python":
            try:
                ast.parse(fence.text)
            except SyntaxError as error:
                wrong.append(f"{where}: not Python: {error}")
    return wrong


def is_excerpt(excerpt: str, source: str) -> bool:
    """Whether the excerpt's lines stand in the source, in order and unchanged.

    Common indentation may be removed, and a line that is only `# …` stands for one
    or more lines left out.
    """
    lines = source.splitlines()
    deepest = max((len(line) - len(line.lstrip()) for line in lines), default=0)
    pieces = re.split(r"^ *# …\n?", excerpt.rstrip() + "\n", flags=re.MULTILINE)
    if not any(piece.strip() for piece in pieces):
        return False
    return any(
        _stand_in_order(
            [textwrap.indent(piece, " " * depth) for piece in pieces], lines
        )
        for depth in range(0, deepest + 1, 4)
    )


def _stand_in_order(pieces: list[str], lines: list[str]) -> bool:
    start = 0
    for piece in pieces:
        wanted = piece.strip("\n").splitlines()
        if not wanted:
            continue
        for at in range(start, len(lines) - len(wanted) + 1):
            if lines[at : at + len(wanted)] == wanted:
                # At least one line is left out where the mark stands.
                start = at + len(wanted) + 1
                break
        else:
            return False
    return True


def nearest_lines(excerpt: str, source: str) -> str:
    """The source's lines that share most with the excerpt, for the message."""
    wanted = {line.strip() for line in excerpt.splitlines() if line.strip()}
    lines = source.splitlines()
    length = max(1, len(excerpt.splitlines()))
    best = max(
        range(max(1, len(lines) - length + 1)),
        key=lambda at: len(wanted & {line.strip() for line in lines[at : at + length]}),
    )
    return "\n".join(lines[best : best + length])


def structure_of(page: Page) -> dict[str, list]:
    """What twins share: headings, blocks, notes, links and images, in order."""

    def neutral(target: str) -> str:
        return target.replace(".zh-CN.", ".")

    included = [
        re.sub(r"\.(zh-CN|en)\.(svg|md)", r".*.\2", line.strip())
        for _, line in page.prose
        if line.lstrip().startswith('--8<-- "')
    ]
    return {
        "headings": [(heading.level, heading.id) for heading in page.headings],
        "blocks": [(fence.language, fence.text) for fence in page.fences],
        "notes": page.notes,
        "links": sorted(neutral(target) for target in page.links),
        "images": [neutral(target) for target in page.images],
        "included": included,
    }


def twin_faults(page: Page, source: Page) -> list[str]:
    """Where a translation differs from its source in more than words."""
    ours, theirs = structure_of(page), structure_of(source)
    wrong = [
        f"{page.name}: other {part} than {source.name}: "
        f"{[item for item in ours[part] if item not in theirs[part]]} against "
        f"{[item for item in theirs[part] if item not in ours[part]]}"
        for part in ours
        if ours[part] != theirs[part]
    ]
    recorded = DIGEST.search(page.text)
    digest = digest_of(source.path)
    if recorded is None:
        wrong.append(f"{page.name}: records no source_sha256: {digest}")
    elif recorded["digest"] != digest:
        wrong.append(
            f"{page.name}: stale. {source.name} has changed since; bring the "
            f"translation up to date, then write source_sha256: {digest}"
        )
    return wrong


def broken_links(page: Page) -> list[str]:
    """Relative links whose file or heading is not there."""
    wrong = []
    for target in [*page.links, *page.images]:
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = unquote(target).partition("#")
        path = (page.path.parent / file).resolve() if file else page.path
        if not path.exists():
            wrong.append(f"{page.name}: {target}: no such file")
        elif anchor and anchor not in ids_of(read_page(path)):
            wrong.append(f"{page.name}: {target}: no such heading")
        elif file and _leaves_the_language(page.path, path):
            wrong.append(f"{page.name}: {target}: link to the Chinese page")
    return wrong


def _leaves_the_language(page: Path, target: Path) -> bool:
    """Whether a Chinese page links to an English one that has a translation."""
    if not page.name.endswith(CHINESE) or target == english_twin(page):
        return False
    translated = target.with_name(target.name.removesuffix(".md") + CHINESE)
    return target.suffix == ".md" and translated != target and translated.exists()


def ids_of(page: Page) -> set[str]:
    """The anchors of a page: explicit ones, and for the rest what GitHub makes."""
    ids = set()
    for heading in page.headings:
        plain = re.sub(r"[^\w\- ]", "", heading.text.lower()).replace(" ", "-")
        ids.add(heading.id or plain)
    return ids


def wrong_words(page: Page) -> list[str]:
    """Expressions that stand where the glossary fixes another."""
    language = "zh-CN" if page.path.name.endswith(CHINESE) else "en"
    return [
        f"{page.name}:{number}: {bad!r}; the glossary says {rule['use']!r}"
        for rule in WORDING[language]
        for number, line in page.prose
        for bad in rule["not"]
        if bad.lower() in line.lower()
    ]


def typography_faults(page: Page) -> list[str]:
    """What autocorrect would change, and paragraphs that are broken over lines."""
    autocorrect_py.load_config('{"context":{"codeblock":0}}')
    wrong = [
        f"{page.name}:{fault.line}: {fault.old!r} should be {fault.new!r}"
        for fault in autocorrect_py.lint_for(page.text, "markdown").lines
    ]
    han = re.compile(r"^ *[㐀-鿿《“‘（]")
    previous = (0, "")
    for number, line in page.prose:
        if han.match(line) and number == previous[0] + 1 and han.match(previous[1]):
            wrong.append(f"{page.name}:{number}: one line a paragraph, please")
        previous = (number, line)
    return wrong


def bare_headings(page: Page) -> list[str]:
    """Headings without an explicit id, which would get another one a language."""
    return [
        f"{page.name}: {heading.text}: no {{#id}}"
        for heading in page.headings
        if heading.id is None
    ]
