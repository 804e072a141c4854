"""Check that a Markdown report has the sections it was asked for.

    python -I -S -B report_check.py REPORT

prints one line of ASCII JSON and ends with 0 (passed), 2 (checked, and sections
in `missing_sections` are missing or empty) or 3 (not checked: `error` says why,
and there is no digest to rely on). It executes, renders and fetches nothing and
needs no other file, so one read-only mount carries it.

Blocks are those of CommonMark 0.31.2 (appendix "A parsing strategy"). Refused is
what could show a reader other headings than we see: HTML other than comments at
the start of a line, comments and fences without an end, nesting beyond 8. The
check is structural: a report that claims 200 staff passes.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
import sys
from collections.abc import Iterator

REQUIRED_SECTIONS = ("Background", "Risks", "Recommendation")
MAX_REPORT_BYTES = 65_536
MAX_NESTING = 8  # bounds the work for a line; some renderers drop text below 9

# By the time these are used, tabs are spaces and lines are joined by "\n".
_ATX = re.compile(r"(#{1,6})(?: (.*))?$")
_SETEXT = re.compile(r"(?:=+|-+) *$")
_RULE = re.compile(r"(?:(?:\* *){3,}|(?:- *){3,}|(?:_ *){3,})$")
_FENCE = re.compile(r"(`{3,})[^`]*$|(~{3,})")
_ITEM = re.compile(r"([-+*]|([0-9]{1,9})[.)])( +|$)")
_HTML = re.compile(r"<(?:[!?/]|[A-Za-z](?![^\s<>/]*[:@]))")  # no <https://...>
_DEFINITION = re.compile(
    r"\[(?![ \n]*\])(?:[^\[\]\\]|\\.){1,999}\]:[ \n]*"
    r"(?:<(?:[^<>\\\n]|\\.)*>|(?!<)(?:[^\x00-\x20\x7f()\\]"
    r"|\\(?:[!-~]|(?![!-~]))|\([^\x00-\x20\x7f()]*\))+)"
    r"""(?:[ \n]+(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\((?:[^()\\]|\\.)*\)))?"""
    r" *(?:\n|\Z)",
    re.DOTALL,
)
_INLINE = re.compile(
    r"(?P<escape>\\[!-/:-@\[-`{-~])|(?P<ticks>`+)|(?P<comment><!--)"
    r"|(?P<unseen>\\\n|</?[A-Za-z][A-Za-z0-9-]*(?:[ \n/][^<>]*)?>)"
    r"|(?P<entity>&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]+);)"
)
_TICKS = re.compile("`+")
# Fixed ranges: the verdict must not depend on this Python's Unicode version.
_VISIBLE = re.compile(
    "[^\x00-\x20\x7f-\xa0\xad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f"
    "\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff"
    "\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)


class UnsupportedReport(ValueError):
    """The report cannot be checked; the message is one sentence for its author."""


def analyze_report(payload: bytes) -> dict[str, object]:
    """The verdict on a report of at most 65,536 bytes, and their digest.

    Returns `passed`, `missing_sections` (also those without content, in the
    order of `REQUIRED_SECTIONS`) and `sha256`, all three from `payload` alone.
    Raises `UnsupportedReport`. The time grows in proportion to the size.
    """
    if len(payload) > MAX_REPORT_BYTES:
        raise UnsupportedReport(f"the report is over {MAX_REPORT_BYTES} bytes")
    try:
        text = payload.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UnsupportedReport("the report is not UTF-8; save it as UTF-8") from None
    outline = _Outline()
    blank_lines = 0
    # Not splitlines(): U+2028, form feed and NEL end no line in Markdown.
    for line in re.split(r"\r\n|\r|\n", text):
        blank_lines = 0 if line.strip(" \t") else blank_lines + 1
        if blank_lines < 3:  # more of them say nothing new
            outline.feed(line.expandtabs(4))
    sections = [each for each in outline.finish() if each.level == 2]
    missing = []
    for name in REQUIRED_SECTIONS:
        found = [section for section in sections if section.title == name]
        if len(found) > 1:
            raise UnsupportedReport(f"there are several sections {name}; keep one")
        if not found or not found[0].has_content:
            missing.append(name)
    digest = hashlib.sha256(payload).hexdigest()
    return {"passed": not missing, "missing_sections": missing, "sha256": digest}


# No dataclasses here: importing them takes as long as checking a report.
class _Section:
    """A heading of level one or two outside lists and quotes, and its body."""

    def __init__(self, level: int, title: str) -> None:
        self.level = level
        self.title = title
        self.has_content = False


class _Container:
    """A list item and the columns it indents, or a block quote (width 0)."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.is_empty = True


class _Outline:
    """Reads a report line by line and keeps its sections."""

    def __init__(self) -> None:
        self.sections: list[_Section] = []
        self.containers: list[_Container] = []
        # The innermost block: at most one of these three is open.
        self.paragraph: list[str] = []
        self.comment: list[str] = []
        self.fence = ""
        self.may_define = False  # the paragraph may begin with link definitions

    def feed(self, line: str) -> None:
        depth, rest = self._match_containers(line)
        all_matched = depth == len(self.containers)
        if self.fence or self.comment:
            if not all_matched:
                self.finish()  # says which of the two has no end
            self._continue_literal(rest)
            return
        if not rest.strip(" "):
            self._close_to(depth)
            return
        continues = bool(self.paragraph) and all_matched
        while inner := self._open_container(rest, depth, continues):
            depth, rest = inner
            continues = False
        text = rest.strip(" ")
        if not text:
            return
        is_indented = _indent(rest) > 3
        if not is_indented and self._open_leaf(text, depth, continues):
            return
        if self.paragraph:  # goes on, even where its `>` or indent is left out
            self._add_line(text)
            if not continues or is_indented or _ITEM.match(text):
                self._refuse_definition()
            return
        self._start_block(depth)
        if is_indented:
            self._add_content(text)  # code
        else:
            self._add_line(text)

    def finish(self) -> list[_Section]:
        if self.fence:
            raise UnsupportedReport("a code fence is not closed; close it")
        if self.comment:
            raise UnsupportedReport("an HTML comment is not closed; close it")
        self._close_to(0)
        return self.sections

    def _match_containers(self, line: str) -> tuple[int, str]:
        for depth, container in enumerate(self.containers):
            indent = _indent(line)
            if container.width == 0:
                if indent > 3 or not line.startswith(">", indent):
                    return depth, line
                line = line[indent + 1 :].removeprefix(" ")
                continue
            is_blank = indent == len(line)
            if container.is_empty if is_blank else indent < container.width:
                return depth, line
            line = line[container.width :]
        return len(self.containers), line

    def _open_container(
        self, rest: str, depth: int, interrupts: bool
    ) -> tuple[int, str] | None:
        indent = _indent(rest)
        text = rest[indent:]
        if indent > 3:
            return None
        if text.startswith(">"):
            self._push(depth, _Container(0))
            return depth + 1, text[1:].removeprefix(" ")
        item = _ITEM.match(text)
        if not item or _RULE.match(text):
            return None
        marker, number, blanks = item.groups()
        is_blank = item.end() == len(text)
        if interrupts and (is_blank or (number and int(number) != 1)):
            return None  # a sentence whose line happens to begin with "14."
        padding = 1 if is_blank or len(blanks) > 4 else len(blanks)
        self._push(depth, _Container(indent + len(marker) + padding))
        return depth + 1, text[len(marker) + padding :]

    def _open_leaf(self, text: str, depth: int, continues: bool) -> bool:
        """Whether `text` is a block of its own, not part of a paragraph."""
        if heading := _ATX.match(text):
            self._start_block(depth)
            self._add_heading(len(heading[1]), _without_closing(heading[2] or ""))
        elif fence := _FENCE.match(text):
            self._start_block(depth)
            self.fence = fence[1] or fence[2]
        elif text.startswith("<!--"):
            self._start_block(depth)
            self._continue_literal(text)
        elif _HTML.match(text):
            raise UnsupportedReport("a line begins with HTML; write Markdown")
        elif continues and _SETEXT.match(text):
            self._refuse_definition()
            title = "\n".join(self.paragraph)
            self.paragraph = []
            self._add_heading(1 if text[0] == "=" else 2, title)
        elif _RULE.match(text):
            self._start_block(depth)
        else:
            return False
        return True

    def _add_line(self, text: str) -> None:
        self.paragraph.append(text)
        if self.paragraph[0].startswith("["):
            self.may_define |= "]:" in text

    def _refuse_definition(self) -> None:
        # Renderers differ on what such a line is after a link definition.
        if self.may_define:
            raise UnsupportedReport("put an empty line after link definitions")

    def _continue_literal(self, rest: str) -> None:
        if self.fence:
            text = rest.strip(" ")
            ends = text.startswith(self.fence) and not text.strip(self.fence[0])
            if ends and _indent(rest) < 4:
                self.fence = ""
            else:
                self._add_content(text)
            return
        self.comment.append(rest)
        if "-->" in rest:
            source = "\n".join(self.comment)
            beside = source[_comment_end(source, 0) :]
            if "<" in beside:
                raise UnsupportedReport("end the line after an HTML comment")
            self.comment = []
            self._add_content(beside)

    def _push(self, depth: int, container: _Container) -> None:
        if depth == MAX_NESTING:
            raise UnsupportedReport("lists and quotes are nested too deeply")
        self._start_block(depth)
        self.containers.append(container)

    def _start_block(self, depth: int) -> None:
        self._close_to(depth)
        if self.containers:
            self.containers[-1].is_empty = False

    def _close_to(self, depth: int) -> None:
        del self.containers[depth:]
        if not self.paragraph:
            return
        text = "\n".join(self.paragraph)
        start = 0
        while definition := _DEFINITION.match(text, start):
            start = definition.end()
        self.paragraph = []
        self.may_define = False
        for kind, piece in _inline(text[start:]):
            if kind == "entity":
                self._add_content(_character(piece))
            elif kind != "unseen":
                self._add_content(piece)

    def _add_heading(self, level: int, source: str) -> None:
        title = "".join(piece for _, piece in _inline(source)).strip(" ")
        if level <= 2 and not self.containers:
            self.sections.append(_Section(level, title))

    def _add_content(self, text: str) -> None:
        if self.sections and _VISIBLE.search(text):
            self.sections[-1].has_content = True


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _without_closing(title: str) -> str:
    bare = title.rstrip(" ").rstrip("#")
    return bare if not bare or bare.endswith(" ") else title


def _inline(text: str) -> Iterator[tuple[str, str]]:
    """The pieces of a paragraph or title with their kinds, comments left out.

    Code spans, escapes and tags are told apart because `<!--` in them is text.
    """
    last_run = {len(run[0]): run.start() for run in _TICKS.finditer(text)}
    end = 0
    while found := _INLINE.search(text, end):
        yield "text", text[end : found.start()]
        kind, end = found.lastgroup, found.end()
        if kind == "comment":
            end = _comment_end(text, found.start())
            continue
        if kind == "ticks" and last_run.get(len(found[0]), -1) >= end:
            runs = _TICKS.finditer(text, end)
            end = next(run.end() for run in runs if len(run[0]) == len(found[0]))
        yield kind, text[found.start() : end]
    yield "text", text[end:]


def _character(entity: str) -> str:
    import html  # seldom needed, and as slow to import as a report is to check

    return html.unescape(entity)


def _comment_end(text: str, start: int) -> int:
    for short in ("<!-->", "<!--->"):
        if text.startswith(short, start):
            return start + len(short)
    end = text.find("-->", start + len("<!--"))
    if end < 0:
        raise UnsupportedReport("an HTML comment is not closed; close it")
    return end + len("-->")


def _read(path: str) -> bytes:
    """At most one byte more than the budget, of a regular file only."""
    try:
        if stat.S_ISREG(os.lstat(path).st_mode):
            # It may become a link or a FIFO now: do not follow, do not wait.
            flags = os.O_RDONLY
            for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY"):
                flags |= getattr(os, name, 0)
            with os.fdopen(os.open(path, flags), "rb") as report:
                if stat.S_ISREG(os.fstat(report.fileno()).st_mode):
                    return report.read(MAX_REPORT_BYTES + 1)
    except FileNotFoundError:
        raise UnsupportedReport("the report does not exist") from None
    except (OSError, ValueError):  # a NUL in the name is a ValueError
        raise UnsupportedReport("the report cannot be read") from None
    raise UnsupportedReport("the report is not a regular file")


def main(arguments: list[str]) -> int:
    """Print the verdict on the one report named; return the exit code."""
    try:
        if len(arguments) != 1 or arguments[0].startswith("-"):
            raise UnsupportedReport("give one argument: the path of the report")
        result = analyze_report(_read(arguments[0]))
        code = 0 if result["passed"] else 2
    except UnsupportedReport as refusal:
        result, code = {"error": str(refusal)}, 3
    except Exception as fault:  # a fault of ours is no verdict: 3, never 1
        result, code = {"error": f"the checker failed: {type(fault).__name__}"}, 3
    line = json.dumps(result).encode("ascii") + b"\n"
    try:
        # Not print(): what a closed stdout leaves in its buffer fails again at
        # exit, with a code of Python's own.
        while line:
            line = line[os.write(1, line) :]
    except OSError:
        return 3
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
