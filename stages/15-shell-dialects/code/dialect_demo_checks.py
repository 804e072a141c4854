"""Checks of the demos, started as a reader starts them."""

from __future__ import annotations

import functools
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

from dialect_check_support import DIALECTS, needs_bash, scratch
from dialects import BASH, STAND_IN_LABEL
from fences import BWRAP, LANDLOCK

__all__ = ["DemoChecks", "TwoCopiesChecks"]

CODE = Path(__file__).resolve().parent
FENCED = not (LANDLOCK.why_not() and BWRAP.why_not())


def run_demo(name: str, encoding: str = "utf-8") -> subprocess.CompletedProcess[str]:
    """A demo's result, at a terminal of this encoding, with our folder for its own."""
    folder = scratch() / "temporary"
    folder.mkdir(exist_ok=True)
    place = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder))
    done = subprocess.run(
        [sys.executable, str(CODE / name)],
        env={**os.environ, **place, "PYTHONIOENCODING": encoding},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding=encoding,
        timeout=120,
    )
    if left := list(folder.iterdir()):
        raise AssertionError(f"it left {left}")
    return done


@functools.cache
def shown() -> subprocess.CompletedProcess[str]:
    """The demo's result, once, at a terminal as it may be in China."""
    return run_demo("demo.py", "gbk")


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

    def test_no_random_path_is_shown(self) -> None:
        """Folders of the run are shown by a name."""
        self.assertIn("> cd OUTSIDE; pwd\n    OUTSIDE\n", shown().stdout)
        self.assertIn("> pwd\n    WORKSPACE\n", shown().stdout)
        self.assertNotIn(str(scratch()), shown().stdout)
        self.assertNotRegex(shown().stdout, "outside-|/var/tmp")


class TwoCopiesChecks(unittest.TestCase):
    def test_two_copies_disagree_on_every_run(self) -> None:
        """On ten of ten runs the two renderers written by hand give different texts."""
        done = run_demo("two_copies_demo.py", "gbk")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        last = done.stdout.splitlines()[-1]
        self.assertEqual(last, "The two copies disagree on 10 of 10 runs.")
        texts = re.findall(r"^  (bash|pwsh|both)  (.*)$", done.stdout, re.MULTILINE)
        self.assertEqual([name for name, _ in texts], ["bash", "pwsh", "both"] * 10)
