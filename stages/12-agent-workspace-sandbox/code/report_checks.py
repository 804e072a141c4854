"""Checks of the report's way out: the checker, its verdict, the receipt, delivery."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from unittest import mock

import artifact_export
from check_support import CODE, is_interrupted, python
from report_check import MAX_REPORT_BYTES, UnsupportedReport, analyze_report
from report_tools import (
    ArtifactError,
    ReportCheckError,
    ReportReview,
    ReportTools,
    export_report,
    read_verdict,
)
from runner import CommandResult, CommandRunner
from workspace import (
    AgentWorkspace,
    FileBudgetError,
    MissingFileError,
    NotAFileError,
    PathNameError,
    WorkspaceEscapeError,
)

__all__ = [
    "ArtifactExportChecks",
    "ArtifactKillChecks",
    "CheckerAnswerChecks",
    "CheckerProgramChecks",
    "CheckerRunChecks",
    "ProposalChecks",
    "ReportContractChecks",
    "ReportMarkdownChecks",
]

CHECKER = CODE / "report_check.py"
LOADED = ["import os, sys", f"sys.path.insert(0, {str(CODE)!r})", "import report_check"]
BEFORE = "# Pilot\n\n## Background\n\nTwenty staff.\n\n"
RISKS = "## Risks\n\nA wrong reply.\n"
AFTER = "\n\n## Recommendation\n\nStart.\n"
GOOD = (BEFORE + RISKS + AFTER).encode()
BAD = (BEFORE + AFTER).encode()

PASSES: tuple[str, ...] = ()
NO_RISKS = ("Risks",)
REFUSED = None

# What stands between BEFORE and AFTER, the verdict, and why. Where the verdict is
# not a refusal, markdown-it-py 4 (CommonMark 0.31.2) finds the same headings.
MARKDOWN = [
    (RISKS, PASSES, "the positive control of all that follows"),
    ("", NO_RISKS, "no such section"),
    # Headings.
    ("   ## Risks\nx", PASSES, "three spaces before a heading"),
    ("x\n    ## Risks\nx", NO_RISKS, "four spaces continue the paragraph"),
    ("    ## Risks\n    x", NO_RISKS, "four spaces are code"),
    (" \t## Risks\nx", NO_RISKS, "a tab reaches column four: code"),
    ("##\tRisks\nx", PASSES, "a tab after the hashes"),
    ("##Risks\nx", NO_RISKS, "no blank after the hashes"),
    ("##\u00a0Risks\nx", NO_RISKS, "NBSP is no blank"),
    ("## Risks ##\nx", PASSES, "closing hashes"),
    ("## Risks\t##### \t\nx", PASSES, "closing hashes of any number"),
    ("## Risks##\nx", NO_RISKS, "hashes without a blank belong to the title"),
    ("## Risks \\#\nx", NO_RISKS, "an escaped hash belongs to the title"),
    ("## Risks ## x\nx", NO_RISKS, "hashes in the middle"),
    ("## ##\nx", NO_RISKS, "an empty title"),
    ("## risks\nx", NO_RISKS, "case counts"),
    ("## **Risks**\nx", NO_RISKS, "emphasis is another title"),
    ("## Risk&#115;\nx", NO_RISKS, "so is an entity"),
    ("## Risks\u200b\nx", NO_RISKS, "and a zero-width space"),
    ("## Risks <!-- mine -->\nx", PASSES, "a comment is no part of the title"),
    ("## <!-- a -- b --> Risks <!--> ##\nx", PASSES, "nor are several"),
    ("## Risks ## <!-- x -->\nx", NO_RISKS, "these hashes do not close"),
    ("## `<!-- x -->` Risks\nx", NO_RISKS, "a comment in code is text"),
    ("# Risks\nx", NO_RISKS, "level one"),
    ("### Risks\nx", NO_RISKS, "level three"),
    ("####### Risks\nx", NO_RISKS, "seven hashes are a paragraph"),
    ("\\## Risks\nx", NO_RISKS, "an escaped heading"),
    ("x\n## Risks\nx", PASSES, "a heading interrupts a paragraph"),
    ("Risks\n-----\nx", PASSES, "underlined: level two"),
    ("  Risks  \n   -  \nx", PASSES, "one dash, indented by three"),
    ("Risks\n=====\nx", NO_RISKS, "underlined: level one"),
    ("Risks\n    ---\nx", NO_RISKS, "four spaces underline nothing"),
    ("Risks\n\n---\nx", NO_RISKS, "an empty line between: a rule"),
    ("Risks\n- - -\nx", NO_RISKS, "a rule, no underline"),
    ("x\nRisks\n---\nx", NO_RISKS, "a title of two lines"),
    ("Risks <!-- a\nb -->\n---\nx", PASSES, "a comment across lines"),
    ("Risks\n> ---\nx", NO_RISKS, "underline in a quote"),
    # Lines.
    ("## Risks\rx", PASSES, "CR ends a line"),
    ("## Risks\r\nx\r\n", PASSES, "CRLF ends one line"),
    ("x\u2028## Risks\nx", NO_RISKS, "U+2028 does not"),
    ("x\x0c## Risks\nx", NO_RISKS, "form feed does not"),
    ("x\x85## Risks\nx", NO_RISKS, "NEL does not"),
    ("\ufeff## Risks\nx", NO_RISKS, "a BOM counts only at the start"),
    # Fences.
    ("```\n## Risks\nx\n```", NO_RISKS, "fenced"),
    ("~~~ text\n## Risks\nx\n~~~~", NO_RISKS, "tildes, closed by more"),
    ("````\n```\n## Risks\nx\n````", NO_RISKS, "three do not close four"),
    ("```\n~~~\n## Risks\nx\n```", NO_RISKS, "tildes do not close backticks"),
    ("~~~ `x`\n## Risks\nx\n~~~", NO_RISKS, "tildes may have backticks after them"),
    ("``` `x`\n## Risks\nx", PASSES, "backticks may not: a paragraph"),
    ("``\n## Risks\nx", PASSES, "two are no fence"),
    ("    ```\n## Risks\nx", PASSES, "four spaces: code, no fence"),
    ("```\n    ```\n## Risks\nx\n```", NO_RISKS, "four spaces do not close"),
    ("```\n``` x\n## Risks\nx\n```", NO_RISKS, "text after it: not closed"),
    ("``` \n```\t\n## Risks\nx", PASSES, "blanks after it: closed"),
    ("x\n```\n## Risks\n```\n", NO_RISKS, "a fence interrupts a paragraph"),
    ("```\nx", REFUSED, "not closed"),
    (RISKS + "~~~\nx\n```", REFUSED, "closed by the other kind"),
    ("- ```\n  x\n", REFUSED, "ended by its list only"),
    ("> ```\n> x\n", REFUSED, "ended by its quote only"),
    ("- ```\n  x\n  ```\n" + RISKS, PASSES, "closed in its list"),
    # Comments and HTML.
    ("<!--\n## Risks\nx\n-->", NO_RISKS, "in a comment"),
    ("<!--\n\n## Risks\nx\n\n-->", NO_RISKS, "empty lines do not end it"),
    ("<!-- a -->\n" + RISKS, PASSES, "ended in its line"),
    ("<!-->\n" + RISKS, PASSES, "the shortest comment"),
    ("<!--->\n" + RISKS, PASSES, "the next one"),
    ("<!-- a -- b --->\n" + RISKS, PASSES, "dashes inside"),
    ("<!-- a --> ## Risks\nx", NO_RISKS, "the rest of the line is no Markdown"),
    ("<!-- a\n--> ## Risks\nx", NO_RISKS, "nor that of the last line"),
    ("    <!--\n" + RISKS, PASSES, "four spaces: code"),
    ("`<!--`\n\n" + RISKS, PASSES, "in a code span"),
    ("`` ` <!-- ` ``\n\n" + RISKS, PASSES, "in a longer one"),
    ("\\<!-- x\n\n" + RISKS, PASSES, "escaped"),
    ("```\n<!--\n```\n" + RISKS, PASSES, "fenced"),
    ("<!-- x\n" + RISKS, REFUSED, "not closed"),
    ("x <!-- y\n\n" + RISKS, REFUSED, "not closed in its paragraph"),
    ("x ` <!-- y\n\n" + RISKS, REFUSED, "a lone backtick begins no code"),
    ("## x <!-- y\n" + RISKS, REFUSED, "not closed in its heading"),
    ("- <!-- x\n\n" + RISKS, REFUSED, "ended by its list only"),
    ("<!-- a --> <!-- b\n" + RISKS + "-->", REFUSED, "a browser hides the section"),
    ("<!-- a --><div hidden>\n" + RISKS, REFUSED, "a tag beside a comment"),
    ("<div>\n" + RISKS, REFUSED, "HTML block, 6"),
    ("<DETAILS open>\n" + RISKS, REFUSED, "in capitals"),
    ("</div>\n" + RISKS, REFUSED, "an end"),
    ("<script>\n" + RISKS + "</script>", REFUSED, "1"),
    ("<?php\n" + RISKS + "?>", REFUSED, "3"),
    ("<!DOCTYPE html>\n" + RISKS, REFUSED, "4"),
    ("<![CDATA[\n" + RISKS + "]]>", REFUSED, "5"),
    ("<x-y z='1'>\n" + RISKS, REFUSED, "7"),
    ("x\n<table>\n" + RISKS, REFUSED, "in a paragraph"),
    ("- <div>\n\n" + RISKS, REFUSED, "in a list"),
    ("<https://example.org/a>\n\n" + RISKS, PASSES, "a link is no HTML"),
    ("<lin@example.org>\n\n" + RISKS, PASSES, "an address neither"),
    ("1 <2 and <b>x</b>\n\n" + RISKS, PASSES, "tags in a line are text"),
    # Quotes and lists.
    ("> ## Risks\n> x", NO_RISKS, "in a quote"),
    ("- ## Risks\n  x", NO_RISKS, "in a list"),
    ("1. x\n\n   ## Risks\n\n   x", NO_RISKS, "further down in an item"),
    ("1. x\n\n  ## Risks\n\n  x", PASSES, "indented too little for the item"),
    ("-\tx\n\n\t## Risks\n\n\tx", NO_RISKS, "by tabs"),
    ("-     x\n\n  ## Risks\n\n  x", NO_RISKS, "code in an item"),
    ("- x\n  - x\n\n    ## Risks\n    x", NO_RISKS, "in an inner list"),
    ("- x\n## Risks\nx", PASSES, "a heading ends a list"),
    ("> x\n## Risks\nx", PASSES, "and a quote"),
    ("> x\nRisks\n---\nx", NO_RISKS, "a line that goes on is not underlined"),
    ("> x\n\nRisks\n---\nx", PASSES, "a new paragraph is"),
    ("-\n\n  ## Risks\n  x", PASSES, "an item that begins with an empty line ended"),
    ("-\n  ## Risks\n  x", NO_RISKS, "or has not"),
    ("x\n14. x\n    ## Risks\n\n    x", NO_RISKS, "14. does not begin a list here"),
    ("x\n14. x\n   ## Risks\nx", PASSES, "so this is no item"),
    ("x\n1. x\n   ## Risks\nx", NO_RISKS, "1. does"),
    ("* * *\n## Risks\nx", PASSES, "a rule is no list"),
    ("\u0661. x\n\n   ## Risks\n\nx", PASSES, "other digits number nothing"),
    ("- " * 8 + "x\n\n" + RISKS, PASSES, "eight levels"),
    ("- " * 9 + "x\n\n" + RISKS, REFUSED, "nine levels"),
    # Content.
    ("## Risks\n", NO_RISKS, "nothing"),
    ("## Risks\n \t\n\u00a0\n\x0b\n\u3000", NO_RISKS, "blanks of all kinds"),
    ("## Risks\n\u200b\ufeff\u2060\u00ad\u3164\u2800", NO_RISKS, "zero-width"),
    ("## Risks\n&nbsp;&#8203;&ZeroWidthSpace;", NO_RISKS, "the same as entities"),
    ("## Risks\n&nbsp x", PASSES, "no entity without a semicolon"),
    ("## Risks\n\\&nbsp;", PASSES, "an escaped one is text"),
    ("## Risks\n`&nbsp;`", PASSES, "one in code too"),
    ("## Risks\n<!-- x -->", NO_RISKS, "a comment"),
    ("## Risks\n\u200b<!-- x -->\u200b", NO_RISKS, "a comment in a paragraph"),
    ("## Risks\n<!-- x --> y", PASSES, "text beside a comment"),
    ("## Risks\n***\n- - -\n___", NO_RISKS, "rules"),
    ("## Risks\n### Sub\n#### Sub", NO_RISKS, "headings"),
    ("## Risks\n> ### Sub\n- # Sub", NO_RISKS, "headings in a quote and a list"),
    ("## Risks\n-\n>\n1.", NO_RISKS, "an empty list and quote"),
    ("## Risks\n\u200b <b></b>", NO_RISKS, "tags around nothing"),
    ("## Risks\n\u200b\\\n\u200b", NO_RISKS, "a line break and nothing else"),
    ("## Risks\n[a]: /u 'title'\n[b]:\n  x\n  (y\n  z)", NO_RISKS, "definitions"),
    ("## Risks\n[a]: /u title", PASSES, "text that looks like one"),
    ("## Risks\n[a]: /u)", PASSES, "unbalanced: text"),
    ("## Risks\n[a]: /u\ntext", PASSES, "text after one"),
    ("[a]: /u\nRisks\n---\nx", REFUSED, "where renderers differ"),
    ("[a]: /u\n14. x\n   ## Risks\nx", REFUSED, "again"),
    ("> [a]: /u\nRisks\n---\nx", REFUSED, "and again"),
    ("> [a]: /u\n" + RISKS, PASSES, "a heading ends it for all"),
    ("## Risks\n### Sub\nx", PASSES, "text below a sub-heading"),
    ("## Risks\n- x", PASSES, "a list"),
    ("## Risks\n> x", PASSES, "a quote"),
    ("## Risks\n```\nx\n```", PASSES, "a code block"),
    ("## Risks\n\n    x", PASSES, "an indented one"),
    ("## Risks\n```\n\n```", NO_RISKS, "an empty one"),
    ("## Risks\n![](risks.png)", PASSES, "an image"),
    ("## Risks\n# Part\nx", NO_RISKS, "level one ends a section"),
    ("## Risks\n## Other\nx", NO_RISKS, "so does level two"),
    ("## Risks\nOther\n===\nx", NO_RISKS, "also underlined"),
    # Twice.
    (RISKS + RISKS, REFUSED, "the same section twice"),
    (RISKS + "\nRisks\n---\nx", REFUSED, "spelled in two ways"),
    (RISKS + "## Risks <!-- 2 --> ##\nx", REFUSED, "or in three"),
    (RISKS + "## Risks", REFUSED, "the second one empty"),
    (RISKS + "## risks\nx", PASSES, "another case is another section"),
    (RISKS + "# Risks\nx\n### Risks\nx", PASSES, "other levels are no sections"),
    (RISKS + "```\n## Risks\n```", PASSES, "fenced text does not count"),
    (RISKS + "## Other\nx\n## Other\nx", PASSES, "others may stand twice"),
]

# The second is repeated behind the first up to 65,536 bytes.
HEAVY = [
    ("", "x <!-- -->"),
    ("x ", "<!--"),
    ("x ", "` ``"),
    ("x ", "<a b='"),
    ("", "- x\n\n"),
    ("", "x\n===\n"),
    ("- " * 16_000 + "x\n", "\n"),
    ("- " * 8 + "x\n", "\n"),
    ("[a]: ", '[a]: b "\n'),
    ("[\n", "    ]:\n"),
    ("## ", " #"),
]


class ReportContractChecks(unittest.TestCase):
    """`analyze_report`: what it returns and what it refuses to judge."""

    def test_a_verdict_has_three_keys_and_the_digest_of_its_bytes(self):
        """A verdict is `passed`, `missing_sections` and `sha256`, nothing else."""
        for payload, missing in ((GOOD, []), (BAD, ["Risks"])):
            expected = {
                "passed": not missing,
                "missing_sections": missing,
                "sha256": hashlib.sha256(payload).hexdigest(),
            }
            self.assertEqual(analyze_report(payload), expected)

    def test_missing_sections_come_in_the_contracts_order(self):
        """Whatever the order in the report, the missing ones are listed in ours."""
        order = ["Background", "Risks", "Recommendation"]
        self.assertEqual(analyze_report(b"")["missing_sections"], order)
        report = b"## Recommendation\n## Risks\nx\n## Background"
        missing = analyze_report(report)["missing_sections"]
        self.assertEqual(missing, ["Background", "Recommendation"])

    def test_a_leading_bom_is_in_the_digest_and_not_in_the_text(self):
        """A BOM hides no heading, and the digest is of the bytes with it."""
        report = b"\xef\xbb\xbf" + GOOD.removeprefix(b"# Pilot\n\n")
        verdict = analyze_report(report)
        self.assertTrue(verdict["passed"])
        self.assertEqual(verdict["sha256"], hashlib.sha256(report).hexdigest())

    def test_exactly_the_budget_is_judged_and_one_byte_more_is_not(self):
        """65,536 bytes are accepted, 65,537 are refused, and nothing is cut."""
        full = GOOD.ljust(MAX_REPORT_BYTES, b"x")
        self.assertEqual(MAX_REPORT_BYTES, 65_536)
        self.assertTrue(analyze_report(full)["passed"])
        with self.assertRaises(UnsupportedReport):
            analyze_report(full + b"x")

    def test_bytes_that_are_not_utf8_are_refused(self):
        """Latin-1, a lone surrogate and UTF-16 are refused, UTF-8 is read."""
        self.assertTrue(analyze_report(GOOD + "é 中 😀".encode())["passed"])
        for bad in (b"\xe9", b"\xed\xa0\x80", b"\xff\xfe", b"\xc0\xaf"):
            with self.subTest(bad), self.assertRaises(UnsupportedReport):
                analyze_report(GOOD + bad)

    def test_a_false_claim_passes(self):
        """The check is structural and says so: a claim of 200 staff passes."""
        self.assertTrue(analyze_report(GOOD.replace(b"Twenty", b"200"))["passed"])


class ReportMarkdownChecks(unittest.TestCase):
    """The supported subset of Markdown, case by case."""

    def test_every_case_of_the_table_has_its_verdict(self):
        """What counts as heading, as content and as refused is what the table says."""
        for part, expected, why in MARKDOWN:
            with self.subTest(why, part=part[:60]):
                try:
                    verdict = analyze_report((BEFORE + part + AFTER).encode())
                except UnsupportedReport as refusal:
                    self.assertIs(expected, REFUSED, refusal)
                else:
                    self.assertIsNot(expected, REFUSED, verdict)
                    self.assertEqual(tuple(verdict["missing_sections"]), expected)

    def test_no_report_within_the_budget_takes_long(self):
        """The heaviest reports we know take a fraction of 3 s of processor time."""
        for beginning, unit in HEAVY:
            text = (beginning + unit * MAX_REPORT_BYTES)[:MAX_REPORT_BYTES]
            started = time.process_time()
            with contextlib.suppress(UnsupportedReport):
                analyze_report(text.encode())
            with self.subTest(unit, beginning=beginning[:10]):
                self.assertLess(time.process_time() - started, 3)


class CheckerProgramChecks(unittest.TestCase):
    """`python -I -S -B report_check.py REPORT`, started as the Host starts it."""

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    # Python 3.10 has no enterContext.
    def enterContext(self, context):
        stack = ExitStack()
        self.addCleanup(stack.close)
        return stack.enter_context(context)

    def write(self, name: str, content: bytes) -> Path:
        path = self.folder / name
        path.write_bytes(content)
        return path

    def check(self, *arguments: object, program: tuple = (CHECKER,), **options):
        """Exit code, stdout and stderr of one run."""
        options = {"stdout": subprocess.PIPE} | options
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-B", *program, *arguments],
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            cwd=self.folder,
            timeout=20,
            **options,
        )
        return done.returncode, done.stdout, done.stderr

    def check_after(self, report: Path, *lines: str):
        """Like `check`, in a process that does `lines` before it checks."""
        program = [*LOADED, *lines, "sys.exit(report_check.main(sys.argv[1:]))"]
        return self.check(report, program=("-c", "\n".join(program)))

    def check_all(self, *reports: Path, first: tuple[str, ...] = ()):
        """The results of `check` for several reports, all from one process.

        The process does the lines of `first` before it checks.
        """
        program = [*LOADED, *first, "for report in sys.argv[1:]:"]
        program.append("    print(report_check.main([report]), flush=True)")
        done = self.check(*reports, program=("-c", "\n".join(program)))
        lines = done[1].splitlines(keepends=True)
        self.assertEqual((done[0], done[2], len(lines)), (0, b"", 2 * len(reports)))
        pairs = zip(lines[::2], lines[1::2], strict=True)
        return [(int(code), line, b"") for line, code in pairs]

    def assert_not_checked(self, result):
        """3, one line of ASCII JSON with `error` and nothing else, silent stderr."""
        code, stdout, stderr = result
        self.assertEqual((code, stderr), (3, b""))
        self.assertTrue(stdout.isascii())
        self.assertEqual((stdout.count(b"\n"), stdout[-1:]), (1, b"\n"))
        answer = json.loads(stdout)
        self.assertEqual(list(answer), ["error"])
        self.assertNotIn(str(self.folder), answer["error"])

    def test_exit_code_and_line_say_the_verdict(self):
        """0 or 2, and the verdict as one line of ASCII JSON; stderr stays silent."""
        good, bad = self.write("好 报告.md", GOOD), self.write("bad.md", BAD)
        for path, report, code in ((good, GOOD, 0), (bad, BAD, 2)):
            line = json.dumps(analyze_report(report)).encode("ascii") + b"\n"
            self.assertEqual(self.check(path), (code, line, b""))

    def test_content_that_cannot_be_checked_is_3(self):
        """Over the budget, not UTF-8, outside the subset: 3; the full budget: 0."""
        full = GOOD.ljust(MAX_REPORT_BYTES, b"x")
        *refused, accepted = self.check_all(
            self.write("large.md", full + b"x"),
            self.write("latin.md", GOOD + b"\xe9"),
            self.write("fence.md", GOOD + b"```\n"),
            self.write("full.md", full),
        )
        for result in refused:
            self.assert_not_checked(result)
        self.assertEqual(accepted[0], 0)

    def test_what_is_no_readable_file_is_3(self):
        """Missing, empty name, folder, link, dangling link: 3, without a host path."""
        reports = [self.folder / "missing.md", "", self.folder]
        try:
            reports.append(self.folder / "link.md")
            reports[-1].symlink_to(self.write("good.md", GOOD))
            reports.append(self.folder / "dangling.md")
            reports[-1].symlink_to("nowhere.md")
        except OSError:
            reports.pop()  # the cases without links still count
        for report, result in zip(reports, self.check_all(*reports), strict=True):
            with self.subTest(report):
                self.assert_not_checked(result)

    @unittest.skipUnless(hasattr(os, "mkfifo"), "this system has no FIFO to make")
    def test_a_fifo_and_a_device_are_3_at_once(self):
        """Nobody writes into the FIFO and /dev/zero never ends: 3, no waiting."""
        fifo = self.folder / "fifo.md"
        os.mkfifo(fifo)
        for result in self.check_all(fifo, Path("/dev/zero")):
            self.assert_not_checked(result)

    @unittest.skipIf(os.name == "nt", "mode bits do not close a file on Windows")
    def test_a_file_without_permission_is_3(self):
        """A file that the checker's user may not read is 3; an open one is 0."""
        self.folder.chmod(0o755)
        if os.getuid() == 0 and not all(
            p.stat().st_mode & 1 for p in self.folder.parents
        ):
            self.skipTest("needs a temporary folder that other users can enter")
        closed, opened = self.write("closed.md", GOOD), self.write("open.md", GOOD)
        closed.chmod(0)
        opened.chmod(0o644)
        # Permissions mean nothing to root, so root becomes somebody else first.
        first = (
            "report_check.analyze_report(b'x')  # all that it needs is loaded",
            "if os.getuid() == 0: os.setgid(65534); os.setuid(65534)",
        )
        results = self.check_all(closed, opened, first=first)
        self.assertEqual([result[0] for result in results], [3, 0])

    @unittest.skipUnless(hasattr(os, "mkfifo"), "needs O_NOFOLLOW and O_NONBLOCK")
    def test_a_report_that_becomes_a_link_or_a_fifo_is_3(self):
        """Swapped after it was looked at and before it is opened: refused at once."""
        self.write("good.md", GOOD)
        swaps = ("link.md", "fifo.md", "gone.md")
        first = (
            "link, fifo, gone = sys.argv[1:]",
            "def act(event, arguments):",
            "    path = arguments[0] if event == 'open' else ''",
            "    if path in sys.argv[1:]: os.unlink(path)",
            "    if path == link: os.symlink('good.md', path)",
            "    if path == fifo: os.mkfifo(path)",
            "sys.addaudithook(act)",
        )
        reports = [self.write(name, GOOD) for name in swaps]
        results = self.check_all(*reports, first=first)
        for name, result in zip(swaps, results, strict=True):
            with self.subTest(name):
                self.assert_not_checked(result)

    def test_wrong_arguments_are_3(self):
        """No report, two, or anything like an option, `--help` included: 3."""
        good = self.write("good.md", GOOD)
        self.write("--help", GOOD)
        for arguments in ((), (good, good), ("--help",)):
            with self.subTest(arguments):
                self.assert_not_checked(self.check(*arguments))

    @unittest.skipIf(os.name == "nt", "a standard stream is closed in another way")
    def test_a_verdict_that_cannot_be_printed_is_3(self):
        """A closed stdout, a pipe that nobody reads, a full disk: 3, no traceback."""
        good = self.write("good.md", GOOD)
        program = [sys.executable, "-I", "-S", "-B", CHECKER, good]
        closed = subprocess.run(
            ["/bin/sh", "-c", 'exec "$@" >&-', "sh", *program],
            stderr=subprocess.PIPE,
            timeout=60,
        )
        self.assertEqual((closed.returncode, closed.stderr), (3, b""))
        reading, writing = os.pipe()
        os.close(reading)
        try:
            self.assertEqual(self.check(good, stdout=writing), (3, None, b""))
        finally:
            os.close(writing)
        if Path("/dev/full").exists():
            with Path("/dev/full").open("wb") as full:
                self.assertEqual(self.check(good, stdout=full), (3, None, b""))

    def test_a_fault_of_the_checker_is_3_and_never_1(self):
        """Whatever goes wrong inside, the program does not end with 1."""
        good = self.write("good.md", GOOD)
        broken = "report_check.REQUIRED_SECTIONS = None"
        self.assert_not_checked(self.check_after(good, broken))


class Counterpart:
    """A runner that starts `code` in place of the command it is asked for.

    `meanwhile` runs first, as another process might between two steps of the Host.
    With `code=None` the command itself is started.
    """

    def __init__(self, workspace, code=None, meanwhile=None, seconds=30.0):
        self.commands: list[list[str]] = []
        self._code, self._meanwhile, self._seconds = code, meanwhile, seconds
        self._runner = CommandRunner(workspace, executables={"python": sys.executable})

    def run(self, command, *, timeout_seconds):
        self.commands.append(list(command))
        if self._meanwhile:
            self._meanwhile()
        if self._code is not None:
            command = python(self._code)
        return self._runner.run(
            command, timeout_seconds=min(timeout_seconds, self._seconds)
        )


class InWorkspace(unittest.TestCase):
    """A workspace with a good and a bad draft, and a folder outside it."""

    def setUp(self):
        stack = ExitStack()
        self.addCleanup(stack.close)
        self.outside = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        self.outside = self.outside.resolve()
        self.workspace = stack.enter_context(AgentWorkspace.temporary())
        self.workspace.write_text("work/report.md", GOOD.decode())
        self.workspace.write_text("work/bad.md", BAD.decode())

    def assert_without_host_path(self, error: BaseException):
        for folder in (self.workspace.root, self.outside, CODE):
            self.assertNotIn(str(folder), str(error))


def proposal(path: object = "work/report.md", action: object = "check_report"):
    return {"action": action, "path": path}


class ProposalChecks(InWorkspace):
    """`ReportTools.execute` up to the start of the checker."""

    def assert_refused(self, cases):
        """Each proposal raises its error, and nothing was started for any."""
        runner = Counterpart(self.workspace)
        tools = ReportTools(self.workspace, runner)
        for refused, error in cases:
            with self.subTest(repr(refused)[:60]), self.assertRaises(error) as caught:
                tools.execute(refused)
            self.assert_without_host_path(caught.exception)
        self.assertEqual(runner.commands, [])
        self.assertTrue(tools.execute(proposal()).passed)
        self.assertEqual(len(runner.commands), 1)

    def test_a_proposal_has_exactly_its_keys_and_types(self):
        """Missing or further keys and other types, subclasses too, are `ValueError`."""

        class Text(str):
            pass

        class Proposal(dict):
            pass

        good = proposal()
        self.assert_refused(
            (case, ValueError)
            for case in (
                None,
                "check_report",
                [("action", "check_report"), ("path", "work/report.md")],
                {},
                {"action": "check_report"},
                {"path": "work/report.md"},
                good | {"arguments": ["-c", "print()"]},
                good | {"interpreter": "python"},
                good | {1: 2},
                {"action": "check_report", Text("path"): "work/report.md"},
                Proposal(good),
                proposal(path=["work/report.md"]),
                proposal(path=b"work/report.md"),
                proposal(path=Path("work/report.md")),
                proposal(path=Text("work/report.md")),
                proposal(path=None),
                proposal(action=Text("check_report")),
                proposal(action=True),
            )
        )

    def test_other_actions_and_areas_are_not_permitted(self):
        """Another action, or a path outside `work/`, is `PermissionError`."""
        self.workspace.import_input("inputs/report.md", GOOD)
        self.workspace.write_text("artifacts/report.md", GOOD.decode())
        (self.workspace.root / "report.md").write_bytes(GOOD)
        self.assert_refused(
            (case, PermissionError)
            for case in (
                proposal(action="run"),
                proposal(action="Check_report"),
                proposal(action=""),
                proposal("inputs/report.md"),
                proposal("work/../inputs/report.md"),
                proposal("artifacts/report.md"),
                proposal("report.md"),
                proposal("WORK/report.md"),
                proposal("workshop/report.md"),
                proposal("work.md"),
                proposal("-c/report.md"),
            )
        )

    def test_the_path_must_name_a_markdown_file_by_its_rules(self):
        """Escapes, malformed paths and other suffixes are the errors they are."""
        self.workspace.write_text("work/report.txt", GOOD.decode())
        self.workspace.write_text("work/.md", GOOD.decode())
        self.assert_refused(
            [
                (proposal("../report.md"), WorkspaceEscapeError),
                (proposal("/work/report.md"), WorkspaceEscapeError),
                (proposal("work\\report.md"), PathNameError),
                (proposal("work/report.md\0"), PathNameError),
                (proposal(""), PathNameError),
                (proposal("work/report.txt"), ValueError),
                (proposal("work/report.MD"), ValueError),
                (proposal("work/.md"), ValueError),
                (proposal("work"), ValueError),
            ]
        )

    def test_type_and_size_are_checked_before_a_command_is_built(self):
        """Missing, a folder, a link, over the budget: refused with nothing started."""
        work = self.workspace.root / "work"
        (work / "folder.md").mkdir()
        (work / "large.md").write_bytes(b"x" * (MAX_REPORT_BYTES + 1))
        cases = [
            (proposal("work/missing.md"), MissingFileError),
            (proposal("work/folder.md"), NotAFileError),
            (proposal("work/large.md"), FileBudgetError),
        ]
        if hasattr(os, "mkfifo"):
            os.mkfifo(work / "fifo.md")
            (work / "link.md").symlink_to("report.md")
            cases.append((proposal("work/fifo.md"), NotAFileError))
            cases.append((proposal("work/link.md"), WorkspaceEscapeError))
        self.assert_refused(cases)

    def test_a_workspace_with_larger_files_changes_no_budget(self):
        """The checker's own 65,536 bytes hold also where a workspace allows more."""
        with AgentWorkspace.temporary(max_file_bytes=100_000) as workspace:
            tools = ReportTools(workspace, Counterpart(workspace))
            workspace.write_text("work/report.md", "x" * (MAX_REPORT_BYTES + 1))
            with self.assertRaises(FileBudgetError):
                tools.execute(proposal())


class CheckerRunChecks(InWorkspace):
    """`ReportTools.execute` with a checker that really runs."""

    def execute(self, *, path="work/report.md", **counterpart):
        runner = Counterpart(self.workspace, **counterpart)
        return ReportTools(self.workspace, runner).execute(proposal(path))

    def assert_no_verdict(self, **counterpart):
        with self.assertRaises(ReportCheckError) as caught:
            self.execute(**counterpart)
        self.assert_without_host_path(caught.exception)

    def test_a_receipt_says_what_was_checked(self):
        """Passed and not passed are receipts, by plain path, with their digests."""
        tools = ReportTools(self.workspace)
        for given, path, payload, missing in (
            ("work/./x/../report.md", "work/report.md", GOOD, ()),
            ("work/bad.md", "work/bad.md", BAD, ("Risks",)),
        ):
            digest = hashlib.sha256(payload).hexdigest()
            expected = ReportReview(path, not missing, missing, digest)
            self.assertEqual(tools.execute(proposal(given)), expected)

    def test_the_command_is_the_hosts_own(self):
        """Isolated, without site and byte code, our own checker, one plain path."""
        runner = Counterpart(self.workspace)
        ReportTools(self.workspace, runner).execute(proposal("work//report.md"))
        command = ["python", "-I", "-S", "-B", str(CHECKER), "work/report.md"]
        self.assertEqual(runner.commands, [command])

    def test_nothing_in_the_workspace_replaces_the_checker(self):
        """A checker, a `json` or a start file that an agent planted is not run."""
        forged = "print('forged'); raise SystemExit(0)"
        for name in ("report_check.py", "json.py", "sitecustomize.py"):
            self.workspace.write_text(f"work/{name}", forged)
            (self.workspace.root / name).write_text(forged, encoding="utf-8")
        self.assertEqual(self.execute(path="work/bad.md").missing_sections, ("Risks",))
        self.assertTrue(self.execute().passed)

    def test_a_draft_outside_the_subset_has_no_verdict_but_a_reason(self):
        """What the checker cannot read is an error that says why, and no "no"."""
        self.workspace.write_text("work/report.md", GOOD.decode() + "```\n")
        with self.assertRaisesRegex(ReportCheckError, "fence is not closed"):
            self.execute()

    def test_a_draft_that_changes_between_reading_and_checking_has_no_verdict(self):
        """A verdict about other bytes than the Host read is not believed."""

        def change():
            self.workspace.write_text("work/report.md", GOOD.decode() + "\n")

        self.assert_no_verdict(meanwhile=change)
        self.assertTrue(self.execute().passed)

    def test_a_checker_that_did_not_finish_has_no_verdict(self):
        """Too late, killed, or too loud: an error, though the answer is all right."""
        answer = json.dumps(analyze_report(GOOD))
        says = f"import os, sys, time; os.write(1, {answer!r}.encode() + b'\\n');"
        self.assertTrue(self.execute(code=says).passed)
        self.assert_no_verdict(code=says + "time.sleep(60)", seconds=0.2)
        self.assert_no_verdict(code=says + "os.write(2, b'x' * 20_000)")
        self.assert_no_verdict(code=says + "sys.exit(1)")
        self.assert_no_verdict(code="raise RuntimeError")
        if os.name != "nt":
            self.assert_no_verdict(code=says + "os.kill(os.getpid(), 9)")

    def test_a_checker_that_cannot_start_has_no_verdict(self):
        """A missing program is an error of the check and not of the proposal."""
        program = self.outside / "python"
        program.write_bytes(b"")
        program.chmod(0o755)
        runner = CommandRunner(self.workspace, executables={"python": program})
        program.unlink()
        nobody = CommandRunner(self.workspace, executables={})
        for without_python in (runner, nobody):
            with self.assertRaises(ReportCheckError) as caught:
                ReportTools(self.workspace, without_python).execute(proposal())
            self.assert_without_host_path(caught.exception)


class CheckerAnswerChecks(unittest.TestCase):
    """`read_verdict`: a receipt only when everything agrees."""

    DIGEST = hashlib.sha256(GOOD).hexdigest()
    PASSED = json.dumps(analyze_report(GOOD)) + "\n"
    FAILED = json.dumps(
        {"passed": False, "missing_sections": ["Risks"], "sha256": DIGEST}
    )
    FAILED += "\n"

    def read(self, returncode: int | None, stdout: str, **known: bool) -> ReportReview:
        """The receipt for a run that ended well, but for what `known` says."""
        defaults = {
            "stderr": "",
            "stdout_truncated": False,
            "stderr_truncated": False,
            "truncated": False,
            "timed_out": False,
            "output_complete": True,
            "cleanup_complete": True,
            "duration_seconds": 0.1,
        }
        result = CommandResult(returncode, stdout, **defaults | known)
        return read_verdict(result, "work/report.md", self.DIGEST)

    def assert_not_believed(self, returncode, stdout, **known):
        with self.subTest(returncode=returncode, stdout=stdout[:90], **known):
            with self.assertRaises(ReportCheckError) as caught:
                self.read(returncode, stdout, **known)
            self.assertNotIn("\n", str(caught.exception))

    def test_an_answer_that_agrees_is_a_receipt(self):
        """0 with "passed" and 2 with "not passed" are believed."""
        self.assertTrue(self.read(0, self.PASSED).passed)
        self.assertEqual(self.read(2, self.FAILED).missing_sections, ("Risks",))

    def test_exit_code_and_answer_must_agree(self):
        """Any other pair of exit code and answer is no verdict."""
        for code in (None, 1, 2, 3, 125, 137, -9):
            self.assert_not_believed(code, self.PASSED)
        for code in (None, 0, 1, 3, -15):
            self.assert_not_believed(code, self.FAILED)

    def test_a_run_not_known_to_its_end_has_no_verdict(self):
        """Truncated, timed out, incomplete or not cleaned up: nothing is believed."""
        for code, stdout in ((0, self.PASSED), (2, self.FAILED)):
            self.assert_not_believed(code, stdout, timed_out=True)
            self.assert_not_believed(code, stdout, truncated=True)
            self.assert_not_believed(code, stdout, output_complete=False)
            self.assert_not_believed(code, stdout, cleanup_complete=False)

    def test_the_answer_is_one_line_of_ascii_json(self):
        """Cut, doubled, decorated or non-ASCII answers are not believed."""
        line = self.PASSED.removesuffix("\n")
        for stdout in (
            "",
            "\n",
            line,
            line[:-1] + "\n",
            line + "\n\n",
            "\n" + line + "\n",
            line + "\r\n",
            line + "\n" + line + "\n",
            line + " x\n",
            line + line + "\n",
            line.replace(",", ",\n") + "\n",
            line.replace(" ", "\u00a0") + "\n",
            line.replace("passed", "p\u0430ssed") + "\n",
            "[" * 8_000 + "\n",
            "[" + line + "]\n",
            "0\n",
            "null\n",
            "NaN\n",
        ):
            self.assert_not_believed(0, stdout)

    def test_the_answer_has_exactly_its_keys_and_types(self):
        """Further, missing and doubled keys and other types are not believed."""
        true = {"passed": True, "missing_sections": [], "sha256": self.DIGEST}
        for changed in (
            {"passed": 1},
            {"passed": "true"},
            {"passed": None},
            {"passed": float("nan")},
            {"missing_sections": None},
            {"missing_sections": {}},
            {"missing_sections": ""},
            {"missing_sections": False},
            {"sha256": None},
            {"sha256": self.DIGEST.upper()},
            {"sha256": "0" * 64},
            {"error": None},
            {"error": "no"},
            {"score": 1},
        ):
            self.assert_not_believed(0, json.dumps(true | changed) + "\n")
        for key in true:
            less = {name: value for name, value in true.items() if name != key}
            self.assert_not_believed(0, json.dumps(less) + "\n")
        twice = self.PASSED.replace("{", '{"passed": false, ')
        self.assert_not_believed(0, twice)

    def test_the_missing_sections_must_fit_the_verdict(self):
        """Sections are those of the contract, once and in order; none if passed."""
        for passed, code, missing in (
            (True, 0, ["Risks"]),
            (False, 2, []),
            (False, 2, ["Costs"]),
            (False, 2, ["Risks", "Risks"]),
            (False, 2, ["Risks", "Background"]),
            (False, 2, [["Risks"]]),
            (False, 2, "Risks"),
            (False, 2, [1]),
        ):
            answer = {"passed": passed, "missing_sections": missing}
            answer["sha256"] = self.DIGEST
            self.assert_not_believed(code, json.dumps(answer) + "\n")

    def test_the_checkers_reason_is_passed_on_only_in_its_form(self):
        """With exit 3 a short printable reason is told, anything else is not."""
        with self.assertRaisesRegex(ReportCheckError, "checked: too long$"):
            self.read(3, '{"error": "too long"}\n')
        for error in ("a\\nb", "\\u001b[2J", "x" * 201):
            with self.assertRaisesRegex(ReportCheckError, "checked$"):
                self.read(3, f'{{"error": "{error}"}}\n')
        for code in (0, 1, 2, None):
            self.assert_not_believed(code, '{"error": "too long"}\n')


class ArtifactExportChecks(InWorkspace):
    """`export_report`: what is delivered, and that a refusal leaves nothing."""

    def setUp(self):
        super().setUp()
        digest = hashlib.sha256(GOOD).hexdigest()
        self.review = ReportReview("work/report.md", True, (), digest)

    def export(self, destination=None, **changed):
        review = ReportReview(**vars(self.review) | changed)
        return export_report(
            self.workspace, review, destination or self.outside / "report.md"
        )

    def assert_refused(self, destination=None, *, review=None, **changed):
        """An `ArtifactError` without a host path, and every file as it was."""
        before = self.everything()
        with self.assertRaises(ArtifactError) as caught:
            if review is None:
                self.export(destination, **changed)
            else:
                export_report(self.workspace, review, self.outside / "report.md")
        self.assert_without_host_path(caught.exception)
        self.assertEqual(self.everything(), before)

    def everything(self):
        """Path, and bytes or link target, of all there is inside and outside."""
        found = {}
        for folder in (self.outside, self.workspace.root):
            for path in folder.rglob("*"):
                found[path] = path.is_file() and path.read_bytes()
                if path.is_symlink():
                    found[path] = os.readlink(path)  # noqa: PTH115
        return found

    def test_the_checked_bytes_are_delivered(self):
        """One file with exactly the checked bytes, and an artifact that says so."""
        payload = b"\xef\xbb\xbf" + GOOD.replace(b"\n", b"\r\n")
        self.workspace.write_text("work/report.md", payload.decode())
        review = ReportTools(self.workspace).execute(proposal())
        target = self.outside / "\u62a5\u544a 1.md"
        artifact = export_report(self.workspace, review, target)
        self.assertEqual([*self.outside.iterdir()], [target])
        self.assertEqual(target.read_bytes(), payload)
        self.assertEqual((artifact.path, artifact.size_bytes), (target, len(payload)))
        self.assertEqual(artifact.sha256, hashlib.sha256(payload).hexdigest())
        self.assertEqual(target.stat().st_nlink, 1)

    @unittest.skipIf(os.name == "nt", "Windows has no umask for new files")
    def test_the_file_has_the_ordinary_mode(self):
        """The mode is what any new file gets under the umask of the moment."""
        for umask, mode in ((0o022, 0o644), (0o077, 0o600), (0o002, 0o664)):
            self.addCleanup(os.umask, os.umask(umask))
            artifact = self.export(self.outside / f"{mode:o}.md")
            self.assertEqual(stat.S_IMODE(artifact.path.stat().st_mode), mode)

    def test_only_a_receipt_that_passed_delivers(self):
        """`passed=False`, a truthy value and what is no receipt are refused."""

        class Review(ReportReview):
            pass

        self.assert_refused(passed=False)
        self.assert_refused(passed=1)
        for review in ("passed", vars(self.review), Review(**vars(self.review))):
            self.assert_refused(review=review)
        self.export()

    def test_a_changed_or_missing_draft_is_not_delivered(self):
        """The receipt is for bytes: others, even good ones, are refused."""
        self.assert_refused(sha256="0" * 64)
        self.assert_refused(sha256=None)
        self.workspace.write_text("work/report.md", GOOD.decode() + "\n")
        self.assert_refused()
        (self.workspace.root / "work" / "report.md").unlink()
        self.assert_refused()
        (self.workspace.root / "work" / "report.md").write_bytes(b"x" * 65_537)
        self.assert_refused()
        self.workspace.write_text("work/report.md", GOOD.decode())
        self.export()

    def test_a_receipt_made_by_hand_delivers_no_bad_draft(self):
        """The bytes are checked again, so `passed=True` alone is worth nothing."""
        self.workspace.write_text("work/fence.md", GOOD.decode() + "```\n")
        for name in ("bad", "fence"):
            payload = self.workspace.read_bytes(f"work/{name}.md")
            digest = hashlib.sha256(payload).hexdigest()
            self.assert_refused(relative_path=f"work/{name}.md", sha256=digest)

    def test_the_artifacts_digest_is_that_of_its_bytes(self):
        """Even a digest that claims to equal every other is not repeated."""

        class Any(str):
            __hash__ = str.__hash__

            def __ne__(self, other):
                return False

        artifact = self.export(sha256=Any("0" * 64))
        self.assertEqual(artifact.sha256, hashlib.sha256(GOOD).hexdigest())

    def test_a_receipt_made_by_hand_names_no_other_file(self):
        """Only a `.md` in `work/` is delivered, by the same rule as a proposal."""
        self.workspace.import_input("inputs/report.md", GOOD)
        self.workspace.write_text("work/report.txt", GOOD.decode())
        (self.outside / "other.md").write_bytes(GOOD)
        for path in (
            "inputs/report.md",
            "work/report.txt",
            f"../{self.outside.name}/other.md",
            "work/../../x.md",
            None,
            7,
        ):
            self.assert_refused(relative_path=path)

    def test_an_existing_destination_is_kept(self):
        """A file, a folder, a link and a dangling link are refused as they are."""
        (self.outside / "file.md").write_bytes(b"Lin's own")
        (self.outside / "folder.md").mkdir()
        names = ["file.md", "folder.md"]
        try:
            (self.outside / "link.md").symlink_to("file.md")
            (self.outside / "dangling.md").symlink_to("nowhere.md")
            names += ["link.md", "dangling.md"]
        except OSError:
            pass  # this user may not make links; the other two still count
        for name in names:
            with self.subTest(name):
                self.assert_refused(self.outside / name)

    def test_a_destination_inside_the_workspace_is_refused(self):
        """Inside by its name, by `..` and by a link is inside."""
        root = self.workspace.root
        inside = [root / "x.md", root / "artifacts" / "x.md"]
        inside.append(root / ".." / root.name / "work" / ".." / "x.md")
        try:
            (self.outside / "link").symlink_to(root / "artifacts", True)
            inside.append(self.outside / "link" / "x.md")
            (self.outside / "link-2").symlink_to(root, True)
            inside.append(self.outside / "link-2" / "work" / "x.md")
        except OSError:
            pass  # this user may not make links; the others still count
        other_case = root.with_name(root.name.upper()) / "x.md"
        if other_case.parent.exists():
            inside.append(other_case)
        for destination in inside:
            with self.subTest(destination.name):
                self.assert_refused(destination)
        twin = root.with_name(root.name + "-copy")
        twin.mkdir()
        self.addCleanup(twin.rmdir)
        artifact = self.export(twin / "x.md")
        self.addCleanup(artifact.path.unlink)

    def test_a_folder_behind_a_link_or_dots_is_an_ordinary_destination(self):
        """Outside by another spelling is outside; the artifact tells the real path."""
        folder = self.outside / "folder"
        folder.mkdir()
        destinations = [self.outside / "x" / ".." / "folder" / "1.md"]
        (self.outside / "x").mkdir()
        if folder.drive == Path.cwd().drive:
            destinations.append(Path(os.path.relpath(folder / "3.md")))
        try:
            (self.outside / "link").symlink_to(folder, True)
            destinations.append(self.outside / "link" / "2.md")
        except OSError:
            pass  # this user may not make links; the other one still counts
        for destination in destinations:
            artifact = self.export(destination)
            self.assertEqual(artifact.path, folder / destination.name)

    def test_the_name_must_be_portable(self):
        """What could not be a file's name on every system is refused."""
        for name in ("a:b.md", "NUL.md", "report.md.", "a\u200b.md", "a\tb", "e\u0301"):
            with self.subTest(name):
                self.assert_refused(self.outside / name)
        for destination in ("..", "x" * 256, "a\0b", "\ud800.md"):
            with self.subTest(destination):
                self.assert_refused(self.outside / destination)
        self.assert_refused(Path())
        self.assert_refused(str(self.outside / "report.md"))
        self.export(self.outside / ("x" * 252 + ".md")[-255:])

    def test_the_parent_must_exist(self):
        """A missing parent, a file as parent and a ring of links are refused."""
        (self.outside / "file").write_bytes(b"")
        parents = ["missing", "file", "missing/..", "a\0b", "\ud800"]
        with contextlib.suppress(OSError):
            (self.outside / "ring").symlink_to("ring")
            parents.append("ring")
        for parent in parents:
            with self.subTest(parent):
                self.assert_refused(self.outside / parent / "report.md")

    @unittest.skipIf(os.name == "nt", "no RLIMIT_FSIZE to fill a disk with")
    def test_a_failed_write_leaves_nothing_and_can_be_repeated(self):
        """A disk that fills up while writing is a refusal and an empty folder."""
        import resource

        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

        def fill_disk(*_):
            resource.setrlimit(resource.RLIMIT_FSIZE, (20, limits[1]))
            raise OSError(errno.EPERM, "no hard links")

        try:
            with mock.patch("os.link", fill_disk):
                self.assert_refused()  # it fills up at the second file
            self.assert_refused()  # and now at the first
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
            signal.signal(signal.SIGXFSZ, handler)
        self.export()

    def test_without_hard_links_nothing_is_overwritten_either(self):
        """Where the system refuses a second name, the first is made exclusively."""
        (self.outside / "file.md").write_bytes(b"Lin's own")
        no_links = mock.Mock(side_effect=OSError(errno.EPERM, "no hard links"))
        with mock.patch("os.link", no_links):
            self.assert_refused(self.outside / "file.md")
            artifact = self.export()
        self.assertEqual(artifact.path.read_bytes(), GOOD)
        self.assertEqual(len([*self.outside.iterdir()]), 2)

    def test_a_name_that_the_process_cannot_say_is_refused(self):
        """Where file names are ASCII, a Chinese one is an `ArtifactError`."""
        ascii_only = UnicodeEncodeError("ascii", "\u62a5", 0, 1, "not in range")
        with mock.patch("os.link", mock.Mock(side_effect=ascii_only)):
            self.assert_refused(self.outside / "\u62a5.md")

    def test_an_interrupt_leaves_nothing_unless_the_report_is_delivered(self):
        """Ctrl-C between any two steps: no file of ours, or the complete report."""
        moment, target = 1, self.outside / "report.md"
        while is_interrupted(self.export, moment, artifact_export):
            moment += 1
            if target.exists():
                self.assertEqual(target.read_bytes(), GOOD)
            else:
                self.assertEqual([*self.outside.iterdir()], [])
            for left in self.outside.iterdir():
                left.unlink()
        self.assertGreater(moment, 10)

    def test_of_many_exports_to_one_name_one_succeeds(self):
        """The name is taken once, and the losers leave no file behind."""
        start = threading.Barrier(8)

        def deliver(_):
            start.wait()
            try:
                return self.export()
            except ArtifactError:
                return None

        with ThreadPoolExecutor(8) as pool:
            artifacts = [*filter(None, pool.map(deliver, range(8)))]
        self.assertEqual(len(artifacts), 1)
        self.assertEqual([*self.outside.iterdir()], [artifacts[0].path])
        self.assertEqual(artifacts[0].path.read_bytes(), GOOD)


# Exports again and again, each time in a child that kills itself one line of
# `artifact_export` later than the one before, until some live to the end.
KILLED_EXPORTS = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
import artifact_export
from report_tools import ReportReview
from workspace import AgentWorkspace

workspace = AgentWorkspace(Path(sys.argv[2]))
review = ReportReview("work/report.md", True, (), sys.argv[4])

def export_until(moment):
    def trace(frame, event, argument):
        nonlocal moment
        if frame.f_code.co_filename != artifact_export.__file__:
            return None
        if event == "line":
            moment -= 1
        if moment == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return trace

    target = Path(sys.argv[3], f"{moment}.md")
    sys.settrace(trace)
    artifact_export.export_report(workspace, review, target)
    sys.settrace(None)

moment, statuses = 0, set()
while 0 not in statuses:
    children = []
    for moment in range(moment + 1, moment + 9):
        children.append(os.fork())
        if children[-1] == 0:
            export_until(moment)
            os._exit(0)
    statuses = {os.waitpid(child, 0)[1] for child in children}
    if not statuses <= {0, signal.SIGKILL}:
        sys.exit(f"unexpected among {statuses}")
print(moment)
"""


@unittest.skipUnless(hasattr(os, "fork"), "needs fork and SIGKILL")
class ArtifactKillChecks(InWorkspace):
    """The exporting process is killed at every line of its module."""

    def test_a_kill_leaves_the_destination_complete_or_absent(self):
        """Whenever the kill comes, the name is free or has all the bytes."""
        digest = hashlib.sha256(GOOD).hexdigest()
        arguments = [CODE, self.workspace.root, self.outside, digest]
        done = subprocess.run(
            [sys.executable, "-S", "-B", "-c", KILLED_EXPORTS, *arguments],
            capture_output=True,
            encoding="utf-8",
            timeout=60,
        )
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        moments = int(done.stdout)
        present = [
            path
            for path in (self.outside / f"{n + 1}.md" for n in range(moments))
            if path.exists()
        ]
        for path in present:
            self.assertEqual(path.read_bytes(), GOOD)
        # Both outcomes were met, and the last run was not killed.
        self.assertIn(self.outside / f"{moments}.md", present)
        self.assertGreater(len(present), 1)
        self.assertLess(len(present), moments - 10)
        # What a kill may leave besides is a file of its own kind of name.
        for path in set(self.outside.iterdir()) - set(present):
            self.assertTrue(path.name.startswith(".host-first-"))


if __name__ == "__main__":
    unittest.main()
