"""Check that a Markdown report has the sections it was asked for.

    python -I -S -B report_check.py REPORT

prints one line of ASCII JSON and ends with

0   every required section is there and has content
2   checked, and a section is missing or empty: `missing_sections`
3   not checked: `error` says why, and there is no digest to rely on

It reads the report once, executes, renders and fetches nothing, and needs no
other file, so that one read-only mount is enough for it. Block structure is that
of CommonMark 0.31.2 (its appendix "A parsing strategy"). What could hide a
heading from a reader is refused: raw HTML blocks, comments and fences without
an end, deep nesting. The check is structural: it does not know whether a
sentence is true, and a report that claims 200 staff passes.
"""

from __future__ import annotations

import hashlib
import html
import json
import os
import re
import stat
import sys
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

REQUIRED_SECTIONS = ("Background", "Risks", "Recommendation")
MAX_REPORT_BYTES = 65_536
MAX_NESTING = 32  # bounds the work for a line, and no report needs more

# Tabs are spaces and "\n" ends a line by the time these patterns are used.
_ATX = re.compile(r"(#{1,6})(?: (.*))?$")
_SETEXT = re.compile(r"(=+|-+) *$")
_RULE = re.compile(r"(?:(?:\* *){3,}|(?:- *){3,}|(?:_ *){3,})$")
_FENCE = re.compile(r"(`{3,})[^`]*$|(~{3,})")
_ITEM = re.compile(r"([-+*]|([0-9]{1,9})[.)])( +|$)")
_ATTRIBUTE = (
    r"[ \n]+[A-Za-z_:][A-Za-z0-9_.:-]*"
    r"""(?:[ \n]*=[ \n]*(?:[^ \n"'=<>`]+|'[^']*'|"[^"]*"))?"""
)
_TAG = (
    rf"<(?:[A-Za-z][A-Za-z0-9-]*(?:{_ATTRIBUTE})*[ \n]*/?"
    r"|/[A-Za-z][A-Za-z0-9-]*[ \n]*)>"
)
_LONE_TAG = re.compile(_TAG + " *$")
_HTML_BLOCK = re.compile(
    r"<(?:\?|!\[CDATA\[|![a-z]|(?:script|pre|style|textarea)(?:[ >]|$)|/?(?:"
    "address|article|aside|base|basefont|blockquote|body|caption|center|col|"
    "colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|"
    "footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|"
    "link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|"
    "section|source|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul"
    r")(?: |/?>|$))",
    re.IGNORECASE,
)
_DEFINITION = re.compile(
    r"\[(?![ \n]*\])(?:[^\[\]\\]|\\.){1,999}\]:[ \n]*"
    r"(?P<to><(?:[^<>\\\n]|\\.)*>|[^\x00-\x20\x7f<][^\x00-\x20\x7f]*)"
    r"""(?:[ \n]+(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\((?:[^()\\]|\\.)*\)))?"""
    r" *(?:\n|\Z)",
    re.DOTALL,
)
_INLINE = re.compile(
    r"(?P<escape>\\[!-/:-@\[-`{-~])|(?P<ticks>`+)|(?P<comment><!--)"
    rf"|(?P<tag>{_TAG})"
    r"|(?P<entity>&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]+);)"
)
# Letters and marks that print nothing; the rest follows from the category.
_BLANK_LETTERS = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f"
    "\uffa0\U000e0100-\U000e01ef]"
)


class UnsupportedReport(ValueError):
    """The report cannot be checked; the message is one sentence for its author."""


@dataclass
class _Section:
    """A heading of level one or two outside lists and quotes, and what follows."""

    level: int
    title: str
    has_content: bool = False


@dataclass
class _Container:
    """A block quote (width 0) or a list item and the columns that it indents."""

    width: int
    is_empty: bool = True


class _Outline:
    """Reads a report line by line and keeps its sections."""

    def __init__(self) -> None:
        self.sections: list[_Section] = []
        self._containers: list[_Container] = []
        # At most one of these three is open; it is the innermost block.
        self._paragraph: list[str] = []
        self._comment: list[str] = []
        self._fence = ""

    def feed(self, line: str) -> None:
        """Take one line, without its end and with its tabs expanded."""
        depth, rest = self._match_containers(line)
        all_matched = depth == len(self._containers)
        if self._fence or self._comment:
            if not all_matched:
                raise self._unclosed()
            self._continue_literal(rest)
            return
        if not rest.strip(" "):
            self._close_to(depth)
            return
        # A line can go on with a paragraph whose quote marks it leaves out.
        underlines = bool(self._paragraph) and all_matched
        while opened := self._open_container(rest, depth, underlines):
            depth, rest = opened
            underlines = False
        text = rest.lstrip(" ")
        if not text:
            return
        if len(rest) - len(text) < 4:
            if self._open_leaf(text, depth, underlines):
                return
        elif not self._paragraph:  # indented code
            self._start_block(depth)
            self._add_content(text)
            return
        if not self._paragraph:
            self._start_block(depth)
        self._paragraph.append(text.rstrip(" "))

    def finish(self) -> list[_Section]:
        """Close what is open; the sections in their order."""
        if self._fence or self._comment:
            raise self._unclosed()
        self._close_to(0)
        return self.sections

    def _match_containers(self, line: str) -> tuple[int, str]:
        for depth, container in enumerate(self._containers):
            text = line.lstrip(" ")
            indent = len(line) - len(text)
            if container.width == 0:
                if indent > 3 or not text.startswith(">"):
                    return depth, line
                line = text[1:].removeprefix(" ")
            elif container.is_empty if not text else indent < container.width:
                return depth, line
            else:
                line = line[container.width :]
        return len(self._containers), line

    def _open_container(
        self, rest: str, depth: int, interrupts: bool
    ) -> tuple[int, str] | None:
        text = rest.lstrip(" ")
        indent = len(rest) - len(text)
        if indent > 3:
            return None
        if text.startswith(">"):
            self._push(depth, _Container(0))
            return depth + 1, text[1:].removeprefix(" ")
        item = _ITEM.match(text)
        if not item or _RULE.match(text) or (interrupts and _SETEXT.match(text)):
            return None
        marker, number, blanks = item.groups()
        is_blank = item.end() == len(text)
        if interrupts and (is_blank or (number and int(number) != 1)):
            return None  # "14. is a number" in the middle of a sentence
        padding = 1 if is_blank or len(blanks) > 4 else len(blanks)
        self._push(depth, _Container(indent + len(marker) + padding))
        return depth + 1, text[len(marker) + padding :]

    def _open_leaf(self, text: str, depth: int, underlines: bool) -> bool:
        """Whether `text` is a block of its own and no part of a paragraph."""
        if heading := _ATX.match(text):
            self._start_block(depth)
            self._add_heading(len(heading[1]), _without_closing(heading[2] or ""))
        elif fence := _FENCE.match(text):
            self._start_block(depth)
            self._fence = fence[1] or fence[2]
        elif text.startswith("<!--"):
            self._start_block(depth)
            self._continue_literal(text)
        elif _HTML_BLOCK.match(text) or (
            not self._paragraph and _LONE_TAG.match(text)
        ):
            raise UnsupportedReport("raw HTML blocks other than comments are refused")
        elif underlines and _SETEXT.match(text) and self._paragraph_text():
            title = self._paragraph_text()
            self._paragraph = []
            self._add_heading(1 if text[0] == "=" else 2, title)
        elif _RULE.match(text):
            self._start_block(depth)
        else:
            return False
        return True

    def _continue_literal(self, rest: str) -> None:
        """Take a line inside a fence or a comment, which may be its last."""
        if self._fence:
            text = rest.strip(" ")
            is_end = (
                text.startswith(self._fence)
                and not text.strip(self._fence[0])
                and len(rest) - len(rest.lstrip(" ")) < 4
            )
            if is_end:
                self._fence = ""
            else:
                self._add_content(text)
            return
        self._comment.append(rest)
        if "-->" in rest:
            visible = _visible("\n".join(self._comment))
            self._comment = []
            ...

    def _push(self, depth: int, container: _Container) -> None:
        if depth == MAX_NESTING:
            raise UnsupportedReport("lists and quotes are nested too deeply")
        self._start_block(depth)
        self._containers.append(container)

    def _start_block(self, depth: int) -> None:
        self._close_to(depth)
        if self._containers:
            self._containers[-1].is_empty = False
