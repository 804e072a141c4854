"""Checks of the demos, started as a reader would start them."""

from __future__ import annotations

import functools
import hashlib
import os
import re
import signal
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

from check_support import (
    CODE,
    ENVIRONMENT,
    Beside,
    run_script,
    script_command,
    script_environment,
    wait_until,
)

__all__ = [
    "BoundaryDemoChecks",
    "DeadlineDemoChecks",
    "DemoChecks",
    "DemoExitChecks",
    "DemoInterruptChecks",
    "DemoRefusalChecks",
    "RaceDemoChecks",
    "ReceiptDemoChecks",
]


def run_alone(name: str) -> SimpleNamespace:
    """A demo in a folder of its own that is also its temporary one."""
    with tempfile.TemporaryDirectory() as scratch:
        done = run_script(name, temporary=scratch, cwd=scratch)
        return SimpleNamespace(done=done, left_behind=os.listdir(scratch))


def run_twice() -> SimpleNamespace:
    """`demo.py` twice into one folder, and what is there after each.

    The second run is on a GBK terminal, and GBK has not all of the folder's name.
    """
    with tempfile.TemporaryDirectory(prefix="demo 检查 ") as scratch:
        output = Path(scratch).resolve() / "stage12 \u0e01 output"
        runs, delivered = [], []
        for encoding in ("utf-8", "gbk"):
            arguments = ("--output-dir", str(output))
            runs.append(run_script("demo.py", *arguments, encoding=encoding))
            delivered.append({p.name: p.read_bytes() for p in output.iterdir()})
    return SimpleNamespace(output=output, runs=runs, delivered=delivered)


def run_cut_short() -> SimpleNamespace:
    """`demo.py` whose output nobody reads."""
    with tempfile.TemporaryDirectory() as scratch:
        reader, writer = os.pipe()
        os.close(reader)
        with open(writer, "wb") as nobody:  # noqa: PTH123
            done = subprocess.run(
                script_command("demo.py", "--output-dir", f"{scratch}/output"),
                env=script_environment(scratch),
                stdin=subprocess.DEVNULL,
                stdout=nobody,
                stderr=subprocess.PIPE,
                timeout=60,
            )
        return SimpleNamespace(done=done, left_behind=os.listdir(scratch))


def first_line(demo: subprocess.Popen[str], scratch: str) -> None:
    """Wait until the demo has printed something."""
    demo.stdout.readline()


def swapping(demo: subprocess.Popen[str], scratch: str) -> None:
    """Wait until the draft of `race_demo.py` is a link at times."""
    drafts = functools.partial(Path(scratch).glob, "*/run/work/report.md")
    wait_until(lambda: any(draft.is_symlink() for draft in drafts()))


def run_interrupted(name: str, wait: Callable[..., None]) -> SimpleNamespace:
    """A demo that gets Ctrl-C, as all processes of a terminal do, in its middle.

    On a busy machine it can be over before the signal comes: then once more.
    """
    # An interrupt between opening a file and closing it is told of to developers.
    warnings = [ENVIRONMENT.get("PYTHONWARNINGS"), "ignore::ResourceWarning"]
    plain = {
        "PYTHONUNBUFFERED": "1",
        "PYTHONWARNINGS": ",".join(filter(None, warnings)),
    }
    for _ in range(5):
        with tempfile.TemporaryDirectory() as scratch:
            with subprocess.Popen(
                script_command(name),
                cwd=scratch,
                env=script_environment(scratch) | plain,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                encoding="utf-8",
                start_new_session=True,
            ) as demo:
                wait(demo, scratch)
                os.killpg(demo.pid, signal.SIGINT)
                stderr = demo.communicate(timeout=60)[1]
            left_behind = os.listdir(scratch)
        if demo.returncode != 0:
            break
    return SimpleNamespace(code=demo.returncode, stderr=stderr, left_behind=left_behind)


# In the order in which the checks below need them.
BOUNDARY = Beside(run_alone, "boundary_demo.py")
DEADLINE = Beside(run_alone, "deadline_demo.py")
TWICE = Beside(run_twice)
CUT_SHORT = Beside(run_cut_short)
INTERRUPTED = {
    name: Beside(run_interrupted, name, wait)
    for name, wait in {
        "boundary_demo.py": first_line,
        "deadline_demo.py": first_line,
        "race_demo.py": swapping,
    }.items()
}
RACE = Beside(run_alone, "race_demo.py")
RECEIPT = Beside(run_alone, "receipt_demo.py")


needs_posix = unittest.skipUnless(
    os.name == "posix", "signals and closed streams are those of Linux and macOS"
)


class DemoChecks(unittest.TestCase):
    """`demo.py` run twice into one folder; the checks look at what it did."""

    @classmethod
    def setUpClass(cls):
        seen = TWICE.result()
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
        done = self.runs[1]
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        shown = r"(?m)^exported: .+检查 .+stage12 \\u0e01 output.report-2\.md$"
        self.assertRegex(done.stdout, shown)

    @needs_posix
    def test_a_reader_that_leaves_early_gets_no_complaint(self):
        """Cut short by `| head`, it ends with 1, silently, and leaves no workspace."""
        seen = CUT_SHORT.result()
        self.assertEqual((seen.done.returncode, seen.done.stderr), (1, b""))
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
        told = r"\Ademo\.py: no report was delivered: --output-dir .*; name .+\n\Z"
        self.assertRegex(done.stderr, told)

    def test_an_empty_output_dir_is_one_line(self):
        """An empty name is no name for the current folder: one line and exit 1."""
        with tempfile.TemporaryDirectory() as scratch:
            done = run_script(
                "demo.py", "--output-dir", "", cwd=scratch, temporary=scratch
            )
            self.assertEqual(os.listdir(scratch), [])
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        told = r"\Ademo\.py: no report was delivered: --output-dir is empty; .+\n\Z"
        self.assertRegex(done.stderr, told)

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


class DemoExitChecks(unittest.TestCase):
    """`exit_after`, by which every demo ends, around a `main` of our own."""

    def run_ending(self, *main: str, stdout=subprocess.PIPE, shell: str = ""):
        """Exit code, stdout and stderr of a program that prints, then does `main`."""
        lines = (
            f"import signal, sys; sys.path.insert(0, {str(CODE)!r})",
            "from demo_exit import exit_after",
            "def main():",
            "    print('begun')",
            *(f"    {line}" for line in main),
            "sys.argv[0] = '/folder/some_demo.py'",
            "exit_after(main)",
        )
        command = [sys.executable, "-I", "-S", "-B", "-c", "\n".join(lines)]
        if shell:
            command = ["/bin/sh", "-c", shell, "sh", *command]
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            timeout=60,
        )
        return done.returncode, done.stdout, done.stderr

    def test_every_demo_ends_by_it(self):
        """Each demo of this stage hands its `main` to `exit_after`."""
        ending = '\n\nif __name__ == "__main__":\n    exit_after(main)\n'
        demos = [*CODE.glob("*demo.py")]
        self.assertGreater(len(demos), 5)
        for path in demos:
            with self.subTest(path.name):
                self.assertTrue(path.read_text(encoding="utf-8").endswith(ending))

    def test_the_exit_code_is_mains(self):
        """What `main` returns is the exit code, and all it printed is there."""
        self.assertEqual(self.run_ending("return 3"), (3, "begun\n", ""))

    def test_a_fault_of_ours_is_shown_whole(self):
        """An exception that is nobody else's doing keeps its traceback."""
        code, stdout, stderr = self.run_ending("raise LookupError('ours')")
        self.assertEqual((code, stdout), (1, "begun\n"))
        self.assertIn("Traceback", stderr)

    @needs_posix
    def test_ctrl_c_is_one_line(self):
        """Ctrl-C ends with 130 and one line, after what was printed before."""
        interrupted = self.run_ending("signal.raise_signal(signal.SIGINT)")
        told = "some_demo.py: interrupted\n"
        self.assertEqual(interrupted, (130, "begun\n", told))

    @unittest.skipUnless(Path("/dev/full").exists(), "needs /dev/full, a full disk")
    def test_lost_output_is_one_line_and_no_success(self):
        """On a full disk it is 1 and one line, at whatever moment that is noticed."""
        told = (1, None, "some_demo.py: No space left on device\n")
        at_once = "sys.stdout.reconfigure(write_through=True)"
        for main in (["return 0"], ["sys.exit(0)"], [at_once, "print('more')"]):
            with self.subTest(main), Path("/dev/full").open("wb") as full:
                self.assertEqual(self.run_ending(*main, stdout=full), told)

    @needs_posix
    def test_without_output_nothing_is_begun(self):
        """With its standard output closed a demo says so, and `main` is not called."""
        code, _, stderr = self.run_ending("sys.exit('begun')", shell='exec "$@" >&-')
        self.assertEqual(code, 1)
        self.assertRegex(stderr, r"\Asome_demo\.py: .*closed; nothing was done\n\Z")


@needs_posix
class DemoInterruptChecks(unittest.TestCase):
    """Ctrl-C in the middle of the demos that start processes."""

    def test_nothing_but_a_line_stays(self):
        """It is one line and 130, and no folder and no traceback of a child remains."""
        for name, work in INTERRUPTED.items():
            with self.subTest(name):
                seen = work.result()
                told = (130, f"{name}: interrupted\n")
                self.assertEqual((seen.code, seen.stderr), told)
                self.assertEqual(seen.left_behind, [])


class BoundaryDemoChecks(unittest.TestCase):
    """`boundary_demo.py` run once; the checks look at what it showed."""

    @classmethod
    def setUpClass(cls):
        seen = BOUNDARY.result()
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
        seen = DEADLINE.result()
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
        seen = RACE.result()
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
        seen = RECEIPT.result()
        done = seen.done
        self.assertEqual(seen.left_behind, [])
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        outcomes = [line.split(": ")[1] for line in done.stdout.splitlines()]
        delivered = "delivered, 391 bytes"
        self.assertEqual(outcomes, ["refused", "refused", delivered, "refused"])
