"""Checks of the demos, started as a reader would start them."""

from __future__ import annotations

import functools
import hashlib
import os
import re
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

from check_support import CODE, run_script

__all__ = [
    "BoundaryDemoChecks",
    "DeadlineDemoChecks",
    "DemoChecks",
    "DemoRefusalChecks",
    "RaceDemoChecks",
    "ReceiptDemoChecks",
]


def run_twice() -> SimpleNamespace:
    """`demo.py` twice into one folder, and what is there after each."""
    with tempfile.TemporaryDirectory(prefix="demo 检查 ") as scratch:
        output = Path(scratch).resolve() / "stage12 output"
        runs, delivered = [], []
        for _ in range(2):
            runs.append(run_script("demo.py", "--output-dir", str(output)))
            delivered.append({p.name: p.read_bytes() for p in output.iterdir()})
    return SimpleNamespace(output=output, runs=runs, delivered=delivered)


def run_in_gbk() -> SimpleNamespace:
    """`demo.py` on a GBK terminal, into a folder whose name GBK does not have."""
    with tempfile.TemporaryDirectory() as scratch:
        output = Path(scratch).resolve() / "报告 \u0e01"
        done = run_script("demo.py", "--output-dir", str(output), encoding="gbk")
        return SimpleNamespace(done=done, delivered=(output / "report.md").is_file())


def run_cut_short() -> SimpleNamespace:
    """`demo.py` whose output nobody reads."""
    with tempfile.TemporaryDirectory() as scratch:
        pipeline = f'"$0" "$1" --output-dir "{scratch}/output" | true'
        done = subprocess.run(
            ["/bin/sh", "-c", pipeline, sys.executable, str(CODE / "demo.py")],
            env={**os.environ, "TMPDIR": scratch},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=60,
        )
        return SimpleNamespace(done=done, left_behind=os.listdir(scratch))


def run_alone(name: str) -> SimpleNamespace:
    """Another demo, in a folder of its own that is also its temporary one."""
    with tempfile.TemporaryDirectory() as scratch:
        done = run_script(name, temporary=scratch, cwd=scratch)
        return SimpleNamespace(done=done, left_behind=os.listdir(scratch))


@functools.cache
def started_demos() -> dict[str, Future]:
    """All demos, started together when the first is asked for: most of them wait."""
    pool = ThreadPoolExecutor(4)
    others = ("race", "deadline", "boundary", "receipt")
    demos = {name: pool.submit(run_alone, f"{name}_demo.py") for name in others}
    demos["twice"] = pool.submit(run_twice)
    demos["GBK"] = pool.submit(run_in_gbk)
    if Path("/bin/sh").exists():
        demos["cut short"] = pool.submit(run_cut_short)
    return demos


class DemoChecks(unittest.TestCase):
    """`demo.py` run twice into one folder; the checks look at what it did."""

    @classmethod
    def setUpClass(cls):
        seen = started_demos()["twice"].result()
        cls.output, cls.runs, cls.delivered = seen.output, seen.runs, seen.delivered
        cls.first_report = cls.output / "report.md"
        cls.first_bytes = cls.delivered[0]["report.md"]

    def test_demo_prints_its_story(self):
        """The demo prints the four promised lines, in their order."""
        lines = self.runs[0].stdout.splitlines()
        promised = [
            "first check: False missing: ('Risks',)",
            "second check: True",
            "workspace removed: True",
            "export survives: True",
        ]
        self.assertEqual([line for line in lines if line in promised], promised)
        self.assertEqual((self.runs[0].returncode, self.runs[0].stderr), (0, ""))

    def test_demo_lists_the_workspace(self):
        """The inventory names the brief and the draft, with their sizes."""
        printed = self.runs[0].stdout
        self.assertRegex(printed, r"(?m)^ +\d+ bytes  inputs/brief\.txt$")
        size = len(self.first_bytes)
        self.assertRegex(printed, rf"(?m)^ +{size} bytes  work/report\.md$")

    def test_delivered_bytes_are_the_checked_ones(self):
        """The printed digest is that of the delivered file, which has all sections."""
        digest = hashlib.sha256(self.first_bytes).hexdigest()
        self.assertIn(f"sha256: {digest}\n", self.runs[0].stdout)
        self.assertIn(f"exported: {self.first_report}\n", self.runs[0].stdout)
        for section in (b"## Background", b"## Risks", b"## Recommendation"):
            self.assertIn(section, self.first_bytes)

    def test_workspace_is_gone(self):
        """The workspace that the demo names does not exist afterwards."""
        for done in self.runs:
            root = Path(done.stdout.split("workspace: ", 1)[1].splitlines()[0])
            self.assertTrue(root.is_absolute())
            self.assertFalse(root.exists())

    def test_second_run_takes_another_name(self):
        """A second run delivers beside the first report and leaves its bytes alone."""
        self.assertEqual(self.runs[1].returncode, 0, self.runs[1].stderr)
        self.assertEqual(sorted(self.delivered[1]), ["report-2.md", "report.md"])
        self.assertEqual(self.delivered[1]["report.md"], self.first_bytes)

    def test_a_gbk_terminal_gets_the_whole_story(self):
        """On a GBK terminal a path that GBK lacks characters for is shown escaped."""
        seen = started_demos()["GBK"].result()
        self.assertEqual((seen.done.returncode, seen.done.stderr), (0, ""))
        self.assertTrue(seen.delivered)
        shown = r"(?m)^exported: .+报告 \\u0e01.report\.md$"
        self.assertRegex(seen.done.stdout, shown)

    @unittest.skipUnless(Path("/bin/sh").exists(), "needs a shell's pipe")
    def test_a_reader_that_leaves_early_gets_no_complaint(self):
        """Cut short by `| head`, the demo neither complains nor leaves a workspace."""
        seen = started_demos()["cut short"].result()
        self.assertEqual(seen.done.stderr, b"")
        self.assertLessEqual(set(seen.left_behind), {"output"})


class DemoRefusalChecks(unittest.TestCase):
    """What `demo.py` says when it cannot deliver."""

    def test_wrong_output_dir_is_one_line(self):
        """An output directory that is a file is one line on stderr and exit 1."""
        with tempfile.TemporaryDirectory() as scratch:
            occupied = Path(scratch) / "occupied"
            occupied.write_bytes(b"a file")
            done = run_script(
                "demo.py", "--output-dir", str(occupied), temporary=scratch
            )
            self.assertEqual(os.listdir(scratch), ["occupied"])
            self.assertEqual(occupied.read_bytes(), b"a file")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"\Ademo\.py: no report was delivered: .+\n\Z")

    @unittest.skipUnless(
        hasattr(os, "geteuid") and os.geteuid() != 0,
        "needs an ordinary user: root may write everywhere",
    )
    def test_unwritable_output_dir_is_one_line(self):
        """An output directory without write permission is one line and exit 1."""
        with tempfile.TemporaryDirectory() as scratch:
            Path(scratch).chmod(0o500)
            done = run_script("demo.py", "--output-dir", scratch)
            self.assertEqual(os.listdir(scratch), [])
            Path(scratch).chmod(0o700)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"\Ademo\.py: no report was delivered: .+\n\Z")


class BoundaryDemoChecks(unittest.TestCase):
    """`boundary_demo.py` run once; the checks look at what it showed."""

    @classmethod
    def setUpClass(cls):
        seen = started_demos()["boundary"].result()
        cls.done, cls.left_behind = seen.done, seen.left_behind
        cls.lines = cls.done.stdout.splitlines()

    def test_api_refuses_and_child_reads(self):
        """The workspace refuses the file beside it, and a child reads that file."""
        self.assertEqual((self.done.returncode, self.done.stderr), (0, ""))
        refused = "workspace, ../host-canary.txt: refused, WorkspaceEscapeError"
        self.assertIn(refused, self.lines)
        self.assertIn("child, its absolute path: SYNTHETIC CANARY", self.lines)

    def test_variable_is_not_handed_over(self):
        """The child's own environment lacks the variable that the Host holds."""
        self.assertIn("child, its own environment: absent", self.lines)

    @unittest.skipUnless(sys.platform == "linux", "only Linux has /proc/PID/environ")
    def test_variable_is_read_from_the_parent(self):
        """On Linux the child reads that variable from the Host's /proc entry."""
        self.assertIn("child, the Host's /proc entry: SYNTHETIC CANARY", self.lines)

    def test_nothing_stays(self):
        """The demo says that everything is removed, and the folder shows it."""
        self.assertIn("everything removed: True", self.lines)
        self.assertEqual(self.left_behind, [])


@unittest.skipUnless(Path("/bin/sh").exists(), "needs /bin/sh")
class DeadlineDemoChecks(unittest.TestCase):
    """`deadline_demo.py` run once; the checks look at what it showed."""

    @classmethod
    def setUpClass(cls):
        seen = started_demos()["deadline"].result()
        cls.done, cls.left_behind = seen.done, seen.left_behind

    def test_only_the_runner_ends_what_was_left_behind(self):
        """After a time-out the usual way leaves a writer, and the runner does not."""
        self.assertEqual((self.done.returncode, self.done.stderr), (0, ""))
        usual, ours = self.done.stdout.split("the runner: timed out\n")
        self.assertIn("subprocess.run: timed out\n", usual)
        self.assertIn("and wrote a file afterwards: True\n", usual)
        self.assertIn("exit code 0 and output 'started\\n'\n", ours)
        self.assertIn("and wrote a file afterwards: False\n", ours)

    def test_nothing_stays(self):
        """Both workspaces are gone afterwards."""
        self.assertEqual(self.left_behind, [])


@unittest.skipUnless(os.link in os.supports_follow_symlinks, "needs links to links")
class RaceDemoChecks(unittest.TestCase):
    """`race_demo.py` run once; the checks look at what it counted."""

    @classmethod
    def setUpClass(cls):
        seen = started_demos()["race"].result()
        cls.done, cls.left_behind = seen.done, seen.left_behind

    def test_the_workspace_reads_nothing_from_outside(self):
        """The workspace read the draft many times and the outside file never."""
        self.assertEqual((self.done.returncode, self.done.stderr), (0, ""))
        counted = r"(?m)^the workspace: [1-9]\d* reads, 0 of them from outside, "
        self.assertRegex(self.done.stdout, counted)

    def test_the_obvious_way_can_be_caught(self):
        """Resolving first and opening then reads the outside file now and then."""
        counted = r"(?m)^resolve, then open: \d+ reads, (\d+) of them from outside, "
        found = re.search(counted, self.done.stdout)
        self.assertIsNotNone(found, self.done.stdout)
        if found[1] == "0":
            self.skipTest("the two processes never met in that time")

    def test_nothing_stays(self):
        """The folder with the workspace and the outside file is gone afterwards."""
        self.assertEqual(self.left_behind, [])


class ReceiptDemoChecks(unittest.TestCase):
    """`receipt_demo.py` run once; the checks look at what it showed."""

    def test_only_the_checked_bytes_are_delivered(self):
        """Only the checked bytes are delivered, and only to a name that is free."""
        seen = started_demos()["receipt"].result()
        done = seen.done
        self.assertEqual(seen.left_behind, [])
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        outcomes = [line.split(": ")[1] for line in done.stdout.splitlines()]
        delivered = "delivered, 391 bytes"
        self.assertEqual(outcomes, ["refused", "refused", delivered, "refused"])
