"""Checks of the failure as it is shown, and of the lines by which a shell reports."""

from __future__ import annotations

import functools
import os
import platform
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from subprocess import PIPE

from process_check_support import file_name, link_programs, words_of, write_program
from shell_check_support import REAL_PYTHON, SHELLS, make_programs, needs_posix

__all__ = ["AnnounceChecks", "DemoEndChecks", "EmptyValueDemoChecks"]

CODE = Path(__file__).resolve().parent
DEMO = CODE / "empty_value_demo.py"
ANNOUNCE = (CODE / "announce.sh").read_text(encoding="utf-8")
# A demo that says a word and then does what it is told; $1 is the folder of the code.
STORY = """
import signal, sys
sys.path.insert(0, sys.argv[1])
sys.argv[0] = "/somewhere/some_demo.py"
from demo_end import tell
def story():
    print("begun")
    {last}
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.exit(tell(story))
"""
STOPPED = {"bash": 127, "dash": 2}
needs_bash = unittest.skipUnless("bash" in SHELLS, "needs bash")


def run_demo(**variables: str) -> subprocess.CompletedProcess[str]:
    """Run the demo as a reader would, with these variables."""
    return subprocess.run(
        [sys.executable, str(DEMO)],
        env={**os.environ, **variables},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
    )


@functools.cache
def shown() -> subprocess.CompletedProcess[str]:
    """The demo's output, in an environment in which WS has a value already."""
    return run_demo(WS="/somewhere")


class FolderCase(unittest.TestCase):
    """A folder for each test, which is gone afterwards."""

    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory(prefix=file_name("failure 检查 "))
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name).resolve()

    def new(self, name: str) -> Path:
        folder = self.folder / name
        folder.mkdir(parents=True)
        return folder


@needs_bash
class EmptyValueDemoChecks(FolderCase):
    def after(self, command: str) -> str:
        """The line that the demo prints below a command."""
        lines = shown().stdout.splitlines()
        places = [n for n, line in enumerate(lines) if line.endswith(command)]
        self.assertEqual(len(places), 1, shown().stdout)
        return lines[places[0] + 1].strip()

    def test_the_demo_ends_well_and_says_the_same_again(self) -> None:
        """The demo ends with 0, without a complaint, and prints the same each time."""
        self.assertEqual((shown().returncode, shown().stderr), (0, ""))
        self.assertEqual(run_demo(LC_ALL="C.UTF-8").stdout, shown().stdout)

    def test_the_pipeline_loses_the_status(self) -> None:
        """Step one ends with 0 and an empty value, because head ended with 0."""
        self.assertEqual(self.after('| head -1)"'), "status 0, WS=[]")

    def test_pipefail_saves_the_status_alone(self) -> None:
        """Step two has the status of ls, 2 with GNU's, and the value is still empty."""
        self.assertRegex(self.after("and the same"), r"^status [12], WS=\[\]$")

    def test_the_value_names_a_path_under_the_root(self) -> None:
        """Step three asks for a file under the root, which is not there."""
        said = self.after('cat "$WS/_skills/x/SKILL.md"')
        self.assertRegex(said, r"^status 1, cat: /_skills/x/SKILL\.md: No such file")

    def test_the_stand_in_names_what_rm_would_have(self) -> None:
        """The stand-in for rm prints its arguments, and the real one is not run."""
        said = self.after('would_run rm -rf "$WS/tmp"')
        self.assertEqual(said, "status 0, would run: rm -rf /tmp")
        log = self.folder / "called"
        programs = self.new("programs")
        write_program(programs, "rm", f'echo called >>"{log}"')
        search = f"{programs}{os.pathsep}{os.environ['PATH']}"
        self.assertEqual(run_demo(PATH=search).stdout, shown().stdout)
        self.assertFalse(log.exists())
        subprocess.run(["sh", "-c", "rm"], env={"PATH": search}, check=True)
        self.assertTrue(log.exists())

    def test_the_fix_stops_each_shell_and_lets_a_value_pass(self) -> None:
        """An empty value ends bash with 127 and dash with 2; a value passes."""
        for shell in SHELLS:
            for line in (
                f"   {shell}, empty: status {STOPPED[shell]}, no workspace here",
                f"   {shell}, found: status 0, next line: /found/tmp",
            ):
                self.assertIn(line, shown().stdout.splitlines())

    @unittest.skipUnless(Path("/dev/full").exists(), "needs /dev/full")
    def test_a_full_disk_is_one_line(self) -> None:
        """Output that cannot be written is one line on stderr, without a traceback."""
        with Path("/dev/full").open("wb") as full:
            done = subprocess.run(
                [sys.executable, str(DEMO)],
                stdin=subprocess.DEVNULL,
                stdout=full,
                stderr=PIPE,
                encoding="utf-8",
                timeout=60,
            )
        told = "empty_value_demo.py: No space left on device\n"
        self.assertEqual((done.returncode, done.stderr), (1, told))

    def without(self, shell: str) -> subprocess.CompletedProcess[str]:
        programs = self.new(f"all but {shell}")
        shells = {"bash", "dash"} - {shell}
        link_programs(programs, "ls", "head", "cat", *shells)
        return run_demo(PATH=str(programs))

    def test_without_bash_it_says_so(self) -> None:
        """Without bash the demo is one line that says so, and a status of 1."""
        done = self.without("bash")
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertRegex(done.stdout, r"^This demo needs bash.*\n$")

    def test_a_bash_that_is_no_shell_counts_as_none(self) -> None:
        """A program called bash that is no shell is told from one."""
        programs = self.new("programs")
        write_program(programs, "bash", "echo no system installed")
        done = run_demo(PATH=str(programs))
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"^This demo needs bash.*\n$")

    def test_without_dash_the_rest_is_shown(self) -> None:
        """Without dash the fix is shown in bash, and the demo says what is missing."""
        done = self.without("dash")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("   bash, empty: status 127", done.stdout)
        self.assertTrue(done.stdout.endswith("   dash: there is none here\n"))

    def test_with_a_workspace_it_shows_nothing_wrong(self) -> None:
        """Where the value is not empty, the demo says so in place of the story."""
        programs = self.new("programs")
        write_program(programs, "ls", "echo /sessions/one/mnt/Workspace")
        done = run_demo(PATH=f"{programs}{os.pathsep}{os.environ['PATH']}")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"^There is a workspace below /sessions.*\n$")


@needs_posix
class DemoEndChecks(unittest.TestCase):
    """`tell`, with which both demos of the stage end."""

    def ending(
        self,
        last: str,
        redirection: str = "",
        stdout: object = PIPE,
        **variables: str,
    ) -> tuple:
        """Exit status, output and errors of a story that ends with this line."""
        program = [sys.executable, "-S", "-c", STORY.format(last=last), str(CODE)]
        done = subprocess.run(
            ["sh", "-c", f'exec "$@" {redirection}', "sh", *program],
            # Where Python does not buffer, it is told at its first line, not its end.
            env={**os.environ, "PYTHONUNBUFFERED": "", **variables},
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=PIPE,
            encoding="utf-8",
            timeout=60,
        )
        return done.returncode, done.stdout, done.stderr

    def test_the_status_is_the_storys(self) -> None:
        """What the story returns is the exit status, and all it printed is there."""
        self.assertEqual(self.ending("return 3"), (3, "begun\n", ""))

    def test_what_a_terminal_cannot_show_is_escaped(self) -> None:
        """A character that the output's encoding lacks is no end of a demo."""
        last = r"return print('\u4e2d')"
        for encoding, shown in (("ascii", "\\u4e2d"), ("utf-8", "中")):
            ended = self.ending(last, PYTHONIOENCODING=encoding)
            self.assertEqual(ended, (0, f"begun\n{shown}\n", ""))

    def test_both_demos_end_by_it(self) -> None:
        """Each demo of this stage hands its story to `tell`."""
        demos = sorted(CODE.glob("*demo.py"))
        self.assertEqual(len(demos), 2)
        for path in demos:
            self.assertIn("from demo_end import tell\n", path.read_text("utf-8"))

    def test_ctrl_c_is_one_line(self) -> None:
        """Ctrl-C ends with 130 and one line, after what was printed before."""
        ended = self.ending("signal.raise_signal(signal.SIGINT)")
        self.assertEqual(ended, (130, "begun\n", "some_demo.py: interrupted\n"))

    @unittest.skipUnless(Path("/dev/full").exists(), "needs /dev/full")
    def test_a_full_disk_is_one_line(self) -> None:
        """Output that cannot be written is one line, whenever that is noticed."""
        told = (1, "", "some_demo.py: No space left on device\n")
        for last in ("return 0", "print('x' * 100_000)"):
            self.assertEqual(self.ending(last, "> /dev/full"), told)

    def test_a_reader_who_leaves_early_gets_no_complaint(self) -> None:
        """Where nobody reads on, it ends without a word, and not with 0."""
        reading, writing = os.pipe()
        os.close(reading)
        with os.fdopen(writing, "wb") as nobody:
            ended = self.ending("return 0", stdout=nobody)
        self.assertEqual(ended, (1, None, ""))

    def test_a_closed_output_is_one_line(self) -> None:
        """Without a standard output the story does not begin, and one line says so."""
        status, _, errors = self.ending("raise LookupError", ">&-")
        self.assertEqual(status, 1)
        told = "some_demo.py: standard output is closed; nothing was done\n"
        self.assertEqual(errors, told)

    def test_a_fault_of_ours_is_shown_whole(self) -> None:
        """An exception that is nobody else's doing keeps its traceback."""
        status, output, errors = self.ending("raise LookupError('ours')")
        self.assertEqual((status, output), (1, "begun\n"))
        self.assertIn("Traceback", errors)


@needs_posix
class AnnounceChecks(FolderCase):
    """`announce.sh` as the top of a script, in each shell that is here."""

    def announce(
        self,
        shell: str,
        *,
        options: str = "-u",
        python: str = "echo 3.99.0",
        **variables: str,
    ) -> subprocess.CompletedProcess[str]:
        programs = self.folder / f"programs {shell}"
        if not programs.exists():
            make_programs(programs, shell, python)
        sessions = self.folder / "sessions"
        script = ANNOUNCE.replace("/sessions", f'"{sessions}"')
        return subprocess.run(
            [shell, "-c", f'set {options}\n{script}echo "next: $WS"'],
            env={"PATH": str(programs), **variables},
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=60,
        )

    def test_it_is_three_lines(self) -> None:
        """Three lines beside comments: find, announce, and stop where there is none."""
        lines = [line for line in ANNOUNCE.splitlines() if not line.startswith("#")]
        self.assertEqual(len(lines), 3)
        self.assertTrue(lines[2].startswith(': "${WS:?'))

    def test_without_a_workspace_the_shell_stops(self) -> None:
        """It announces an empty value, and the next line never runs."""
        for shell in SHELLS:
            done = self.announce(shell, python=REAL_PYTHON, HOME=str(self.folder))
            host, version = os.uname().nodename, platform.python_version()
            self.assertEqual(done.stdout, f"shell={host} py={version} ws=[]\n")
            self.assertIn("WS: no workspace in this shell", done.stderr)
            self.assertEqual(done.returncode, STOPPED[shell])

    def test_with_a_workspace_it_goes_on(self) -> None:
        """It announces that one was found, sets WS, and the next line runs."""
        workspace = self.new("mnt/Workspace")
        for shell in SHELLS:
            done = self.announce(shell, HOME=str(self.folder))
            announced, following = done.stdout.splitlines()
            self.assertRegex(announced, r"^shell=\S+ py=3\.99\.0 ws=\[found\]$")
            self.assertEqual(following, f"next: {words_of(workspace)}")
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_session_comes_before_the_home_folder(self) -> None:
        """The first workspace below /sessions is the one, before that in the home."""
        self.new("mnt/Workspace")
        first = self.new("sessions/a b/mnt/Workspace")
        self.new("sessions/c/mnt/Workspace")
        for shell in SHELLS:
            done = self.announce(shell, HOME=str(self.folder))
            self.assertTrue(
                done.stdout.endswith(f"\nnext: {words_of(first)}\n"), done.stdout
            )

    def test_the_log_holds_no_path(self) -> None:
        """Neither line that it writes of its own has a path, found or not."""
        for workspace in (False, True):
            if workspace:
                self.new("sessions/secret-id/mnt/Workspace")
            for shell in SHELLS:
                done = self.announce(shell, HOME=str(self.folder))
                announced = done.stdout.splitlines()[0]
                self.assertIn("ws=[found]" if workspace else "ws=[]", announced)
                self.assertIsNone(re.search("/|secret-id", announced + done.stderr))

    def test_without_python_it_says_none(self) -> None:
        """It needs no python3, and says so in the place of a version."""
        for shell in SHELLS:
            done = self.announce(shell, python="", HOME=str(self.folder))
            self.assertRegex(done.stdout, r"^shell=\S+ py=none ws=\[\]\n$")
            self.assertNotIn("python", done.stderr)

    def test_without_a_uname_it_says_unknown(self) -> None:
        """Where the host's name cannot be had, its place is not left empty."""
        for shell in SHELLS:
            self.announce(shell)
            (self.folder / f"programs {shell}" / "uname").unlink()
            done = self.announce(shell)
            self.assertTrue(done.stdout.startswith("shell=unknown py="), done.stdout)
            self.assertNotIn("uname", done.stderr)

    def test_without_a_home_it_does_not_look_under_the_root(self) -> None:
        """An empty, missing or relative HOME is no workspace, and no error."""
        self.new("mnt/Workspace")
        # The script runs in the folder that has it.
        for shell in SHELLS:
            for home in ({}, {"HOME": ""}, {"HOME": "."}, {"HOME": "mnt/.."}):
                done = self.announce(shell, **home)
                self.assertIn(" ws=[]\n", done.stdout)
                self.assertIn("WS: no workspace in this shell", done.stderr)

    def test_it_works_where_the_first_failure_ends_the_shell(self) -> None:
        """Under `set -e` it announces all the same, found or not."""
        for shell in SHELLS:
            done = self.announce(shell, options="-eu", HOME=str(self.folder))
            self.assertIn(" ws=[]\n", done.stdout)
            self.assertNotEqual(done.returncode, 0)
        self.new("mnt/Workspace")
        for shell in SHELLS:
            done = self.announce(shell, options="-eu", HOME=str(self.folder))
            self.assertIn(" ws=[found]\nnext: /", done.stdout)
            self.assertEqual(done.returncode, 0)

    def test_it_runs_as_a_file_too(self) -> None:
        """As a script of its own it says the same and does not end with 0."""
        for shell in SHELLS:
            done = subprocess.run(
                [shell, str(CODE / "announce.sh")],
                env={"PATH": str(make_programs(self.folder / shell, shell))},
                capture_output=True,
                encoding="utf-8",
                timeout=60,
            )
            self.assertIn(" ws=[]\n", done.stdout)
            self.assertNotEqual(done.returncode, 0)
