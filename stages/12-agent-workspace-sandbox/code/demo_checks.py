"""Checks of the demos, started as a reader would start them."""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
import unittest
from pathlib import Path

from check_support import run_script

__all__ = ["BoundaryDemoChecks", "DemoChecks", "DemoRefusalChecks"]


class DemoChecks(unittest.TestCase):
    """`demo.py` run twice into one folder; the checks look at what it did."""

    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory(prefix="demo 检查 ")
        cls.addClassCleanup(cls.scratch.cleanup)
        cls.output = Path(cls.scratch.name).resolve() / "stage12 output"
        cls.runs = [run_script("demo.py", "--output-dir", str(cls.output))]
        cls.first_report = cls.output / "report.md"
        cls.first_bytes = cls.first_report.read_bytes()
        cls.runs.append(run_script("demo.py", "--output-dir", str(cls.output)))

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
        names = sorted(path.name for path in self.output.iterdir())
        self.assertEqual(names, ["report-2.md", "report.md"])
        self.assertEqual(self.first_report.read_bytes(), self.first_bytes)

    def test_a_gbk_terminal_gets_the_whole_story(self):
        """On a GBK terminal a path that GBK lacks characters for is shown escaped."""
        with tempfile.TemporaryDirectory() as scratch:
            output = Path(scratch).resolve() / "报告 \u0e01"
            done = run_script("demo.py", "--output-dir", str(output), encoding="gbk")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertTrue((output / "report.md").is_file())
        self.assertRegex(done.stdout, r"(?m)^exported: .+报告 \\u0e01.report\.md$")


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
        with tempfile.TemporaryDirectory() as scratch:
            cls.done = run_script("boundary_demo.py", temporary=scratch, cwd=scratch)
            cls.left_behind = os.listdir(scratch)
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
