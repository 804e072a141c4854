"""Checks of the demos, started as a reader starts them."""

from __future__ import annotations

import functools
import os
import re
import signal
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from dialect_check_support import (
    DIALECTS,
    SIDE_BY_SIDE,
    needs_bash,
    scratch,
)
from dialects import BASH, STAND_IN_LABEL
from fences import BWRAP, LANDLOCK

__all__ = ["ClosingChecks", "DemoChecks", "OneCallChecks", "TwoCopiesChecks"]

CODE = Path(__file__).resolve().parent
IN_ASCII = {"LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
FENCED = not (LANDLOCK.why_not() and BWRAP.why_not())


def run_demo(
    name: str,
    *arguments: str,
    encoding: str = "utf-8",
    programs: str = "",
    leaves: bool = False,
    in_ascii: bool = False,
    ignored: str = "",
) -> subprocess.CompletedProcess[str]:
    """A demo's result, at a terminal of this encoding, with our folder for its own.

    programs: a folder in front of the others on its PATH.
    leaves: whether it leaves something in its folder, as it must not.
    in_ascii: whether Python's own encoding for words is ASCII there.
    ignored: the name of a signal that it is started to ignore.
    """
    # Not sh: dash takes such a signal back from whom it starts.
    ignoring = ["bash", "-c", f"trap '' {ignored}; exec \"$@\"", "bash"]
    place = Path(tempfile.mkdtemp(dir=scratch()))
    done = subprocess.run(
        [*(ignoring if ignored else []), sys.executable, str(CODE / name), *arguments],
        env={
            **os.environ,
            **(IN_ASCII if in_ascii else {}),
            **dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(place)),
            "PATH": os.pathsep.join(filter(None, [programs, os.environ["PATH"]])),
            "PYTHONIOENCODING": encoding,
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding=encoding,
        timeout=120,
    )
    left = list(place.iterdir())
    if bool(left) != leaves:
        raise AssertionError(f"it left {left}")
    return done


@functools.cache
def shown() -> subprocess.CompletedProcess[str]:
    """The demo's result, once, at a terminal as it may be in China."""
    return run_demo("demo.py", encoding="gbk")


@needs_bash
@unittest.skipUnless(
    len(DIALECTS) > 1, "needs pwsh, or a system that runs its stand-in"
)
class DemoChecks(unittest.TestCase):
    def test_every_promise_is_kept(self) -> None:
        """The demo ends well, and finds nothing against a promise of either shell."""
        self.assertEqual((shown().returncode, shown().stderr), (0, ""))
        lines = [line for line in shown().stdout.splitlines() if " stated, " in line]
        self.assertEqual(len(lines), 2)
        for line in lines:
            self.assertRegex(line, r": 1?\d stated, 0 findings against them$")

    def test_the_descriptions_share_all_but_header_and_own(self) -> None:
        """Most sentences are both shells', and three at most are one's own."""
        lines = shown().stdout.splitlines()
        both = [line for line in lines if line.startswith("both  - ")]
        self.assertGreater(len(both), 8)
        for name in ("bash", "pwsh"):
            own = [line for line in lines if line.startswith(f"{name}  - ")]
            self.assertLessEqual(len(own), 3)

    def test_a_stand_in_is_labelled_wherever_it_is_shown(self) -> None:
        """Each line about the second shell has the label, if it is not the real one."""
        label = f" ({STAND_IN_LABEL})" if DIALECTS[1].label else ""
        for line in shown().stdout.splitlines():
            if found := re.match(r"pwsh( \(.*?\))?[>,]", line):
                self.assertEqual(found[1] or "", label, line)
        self.assertEqual(DIALECTS[0], BASH)

    @unittest.skipUnless(FENCED, "needs Landlock or bubblewrap")
    def test_one_vocabulary_for_every_layer(self) -> None:
        """Both shells and the file tool answer a refused write with the same line."""
        line = "    [sandbox: file access denied under workspace-write mode]"
        self.assertEqual(shown().stdout.splitlines().count(line), 3)

    def test_a_broken_promise_is_a_failure(self) -> None:
        """With shells that only fail, promises are broken, and the demo ends as 1."""
        folder = Path(tempfile.mkdtemp(dir=scratch()))
        for name in ("bash", "pwsh"):
            (folder / name).write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
            (folder / name).chmod(0o755)
        done = run_demo("demo.py", programs=str(folder))
        self.assertRegex(done.stdout, r"stated, [1-9]\d* findings against them")
        self.assertEqual(done.returncode, 1)

    def test_no_random_path_is_shown(self) -> None:
        """Folders of the run are shown by a name."""
        self.assertIn("> cd OUTSIDE; pwd\n    OUTSIDE\n", shown().stdout)
        self.assertIn("> pwd\n    WORKSPACE\n", shown().stdout)
        self.assertNotIn(str(scratch()), shown().stdout)
        self.assertNotRegex(shown().stdout, "outside-|/var/tmp")


class TwoCopiesChecks(unittest.TestCase):
    def test_two_copies_disagree_on_every_run(self) -> None:
        """On ten of ten runs the two renderers written by hand give different texts."""
        done = run_demo("two_copies_demo.py", encoding="gbk")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        last = done.stdout.splitlines()[-1]
        self.assertEqual(last, "The two copies disagree on 10 of 10 runs.")
        texts = re.findall(r"^  (bash|pwsh|both)  (.*)$", done.stdout, re.MULTILINE)
        self.assertEqual([name for name, _ in texts], ["bash", "pwsh", "both"] * 10)


UNCONFINED = "danger-full-access"
REPLACE = 'cd /; rmdir "$HOME"; : >"$HOME"'
FORGED = "[exit code: 7]"
CHINESE = os.fsdecode("echo 中".encode())
OUTCOME = "exit_code=None signal=9 timed_out=400 denied=None refused=False left_out=0"
NO_BWRAP = """\
#!/bin/sh
echo tried >>"${0%/*}/mark"
exit 1
"""


@dataclass(frozen=True)
class OneCall:
    """Arguments of the demo and what it prints, as patterns.

    tried: whether bubblewrap is started, which here makes no fence.
    leaves: whether the command leaves what cannot be removed as a folder is.
    in_ascii: whether Python's own encoding for words is ASCII there.
    ignored: the name of a signal that it is started to ignore.
    """

    arguments: tuple[str, ...]
    text: str
    stderr: str = ""
    code: int = 0
    tried: bool = False
    leaves: bool = False
    in_ascii: bool = False
    ignored: str = ""


ONE_CALLS = {
    "all at once, in ASCII, and a file where the workspace was": OneCall(
        (
            *(UNCONFINED, f"echo '{FORGED}'; {CHINESE}; pwd; {REPLACE}; sleep 60"),
            *("--workdir", "/", "--timeout", "400", "--outcome"),
        ),
        rf"{re.escape(FORGED)}\n中\n/\n\[timed out after 400ms\]\n"
        rf"\[killed by signal: 9\]\n{OUTCOME}\n",
        leaves=True,
        in_ascii=True,
    ),
    "the first fence that holds": OneCall(
        ("read-only", "echo ran"),
        "not run: .*\n" if LANDLOCK.why_not() else "ran\n",
        tried=bool(LANDLOCK.why_not()),
    ),
    "no fence that holds, as exit codes are lost": OneCall(
        ("read-only", "echo ran"),
        "not run: .* nothing is run: there is no fence\n",
        ignored="CHLD",
    ),
    "a timeout that is no number": OneCall(
        (UNCONFINED, "echo ran", "--timeout", "abc"),
        "not run: timeout must be a whole number of milliseconds from 1 to .*\n",
    ),
    "a fence that does not hold": OneCall(
        ("read-only", "echo ran", "--fence", "bubblewrap", "--shell", "pwsh"),
        "not run: .*bubblewrap makes no fence here.*\n",
        tried=True,
    ),
    "a fence that would not be used": OneCall(
        (UNCONFINED, "echo ran", "--fence", "landlock"),
        "",
        stderr=r"usage: [\s\S]*: danger-full-access uses no fence\n",
        code=2,
    ),
}


@needs_bash
class OneCallChecks(unittest.TestCase):
    def call(self, name: str) -> None:
        """Run the demo so, with a bubblewrap that fails."""
        call = ONE_CALLS[name]
        folder = Path(tempfile.mkdtemp(dir=scratch()))
        (folder / "bwrap").write_text(NO_BWRAP, encoding="utf-8")
        (folder / "bwrap").chmod(0o755)
        done = run_demo(
            "one_call_demo.py",
            *call.arguments,
            programs=str(folder),
            leaves=call.leaves,
            in_ascii=call.in_ascii,
            ignored=call.ignored,
        )
        self.assertEqual(done.returncode, call.code, done.stderr)
        self.assertRegex(done.stdout, rf"^(?:{call.text})\Z")
        self.assertRegex(done.stderr, rf"^(?:{call.stderr})\Z")
        self.assertEqual((folder / "mark").exists(), call.tried)

    def test_each_call(self) -> None:
        """It prints what a model gets, tries no fence but its own, and ends well."""
        with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
            runs = {name: pool.submit(self.call, name) for name in ONE_CALLS}
            for name, run in runs.items():
                with self.subTest(name):
                    run.result()


class ClosingChecks(unittest.TestCase):
    """`close_after`, by which every demo ends, around a `main` of our own."""

    def run_closing(self, main: str, redirect: str = "") -> tuple[int, str, str]:
        """How Python ends with this `main`, started by a shell that redirects it so.

        Its descriptor 0 is a pipe that nobody reads.
        """
        program = (
            "import os, signal, sys; sys.path.insert(0, sys.argv.pop(1))\n"
            "from demo_close import close_after\n"
            f"def main():\n    print('begun')\n    {main}\n"
            "close_after(main)"
        )
        read_end, write_end = os.pipe()
        os.close(read_end)
        done = subprocess.run(
            [
                *("bash", "-c", f'exec "$@" {redirect}', "bash"),
                *(sys.executable, "-I", "-S", "-B", "-c", program, str(CODE)),
            ],
            stdin=write_end,
            capture_output=True,
            encoding="utf-8",
            timeout=60,
        )
        os.close(write_end)
        return done.returncode, done.stdout, done.stderr

    @needs_bash
    def test_each_ending(self) -> None:
        """Whatever comes in between, there is one line at most and a fitting code."""
        interrupt = f"os.kill(os.getpid(), {int(signal.SIGINT)})"
        rows = [
            ("return 3", "", 3, "begun\n", ""),
            (interrupt, "", 130, "begun\n", "-c: interrupted\n"),
            ("open(sys.argv[0] + '/x')", "", 1, "begun\n", "-c: No such file .*\n"),
            ("return 0", ">&-", 1, "", "-c: standard output is closed; .*\n"),
            ("return 0", ">&0", 1, "", ""),
        ]
        if Path("/dev/full").exists():
            words = "-c: No space left on device\n"
            rows.append(("sys.exit(0)", ">/dev/full", 1, "", words))
        with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
            runs = list(pool.map(lambda row: self.run_closing(*row[:2]), rows))
        for (*asked, code, stdout, stderr), seen in zip(rows, runs, strict=True):
            with self.subTest(asked):
                self.assertEqual(seen[:2], (code, stdout))
                self.assertRegex(seen[2], rf"^{stderr}\Z")

    def test_every_demo_ends_so(self) -> None:
        """Each demo of this stage hands its `main` to `close_after`."""
        ending = '\n\nif __name__ == "__main__":\n    close_after(main)\n'
        demos = [*CODE.glob("*demo.py")]
        self.assertEqual(len(demos), 3)
        for demo in demos:
            self.assertTrue(demo.read_text(encoding="utf-8").endswith(ending), demo)
