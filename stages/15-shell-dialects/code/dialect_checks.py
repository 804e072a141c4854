"""Checks of dialects: the same requests in two phrasebooks, and the stand-in."""

from __future__ import annotations

import os
import subprocess
import sys
import unittest
from pathlib import Path
from string import Formatter
from unittest.mock import patch

from contract import FULL_ACCESS
from dialect_check_support import DIALECTS, POSIX, needs_posix, scratch, tool
from dialects import BASH, PWSH, STAND_IN, STAND_IN_LABEL, STAND_IN_SCRIPT, powershell
from fences import NO_FENCE
from phrasebook import BASH_PHRASES, PWSH_PHRASES

__all__ = ["DialectChecks", "PhrasebookChecks", "StandInChecks"]

# What a shell could take for something else than itself.
WORDS = (
    "plain",
    "two  words",
    "it's",
    "'",
    "''",
    '"$HOME" `id` $(id)',
    "a; b & c | d > e",
    "\\n%s\\",
    "{0} {words}",
    "* ? [a] ~",
    "内容 ‘林’ ‚x‛",
    "-n",
    "1..3",
    "",
)


class PhrasebookChecks(unittest.TestCase):
    def test_both_say_the_same_things(self) -> None:
        """Each phrase is in both phrasebooks, with the same places for words."""
        self.assertEqual(set(BASH_PHRASES), set(PWSH_PHRASES))
        for name, phrase in BASH_PHRASES.items():
            places = [
                {place for _, place, *_ in Formatter().parse(text) if place}
                for text in (phrase, PWSH_PHRASES[name])
            ]
            self.assertEqual(*places, name)

    def test_a_word_arrives_as_it_is(self) -> None:
        """Whatever is in a word, each shell prints that word and runs nothing of it."""
        for dialect in DIALECTS:
            one = tool(dialect, FULL_ACCESS, NO_FENCE)
            command = "; ".join(dialect.say("print", word) for word in WORDS)
            outcome = one.run(command)
            lines = dialect.without_label(outcome.stdout).splitlines()
            self.assertEqual((lines, outcome.stderr), (list(WORDS), ""), dialect.name)

    def test_every_phrase_is_understood(self) -> None:
        """Each shell knows each phrase, alone and before another."""
        numbers = {"count to": (3,), "fail with": (0,), "sleep": (0,), "spawn": (0,)}
        known = {"write a file": ("x", "y"), "swallow": ("x", "y"), **numbers}
        known["run"] = (sys.executable, "-I", "-S", "-c", "pass")
        known["go to"] = (str(scratch()),)
        left_out = {"die", "complain", "fail with"}
        if not POSIX:
            left_out.add("spawn")  # what it starts is a program of POSIX systems
        for dialect in DIALECTS:
            one = tool(dialect, FULL_ACCESS, NO_FENCE)
            define = dialect.say("define", "hello")
            phrases = [
                dialect.say(name, *known.get(name, ("word",)))
                for name in dialect.phrases
                if name not in left_out
            ]
            outcome = one.run("; ".join([define, *phrases]))
            self.assertEqual((outcome.exit_code, outcome.stderr), (0, ""), dialect.name)
            (one.policy.workspace / "x").unlink(missing_ok=True)
            (scratch() / "x").unlink()


class DialectChecks(unittest.TestCase):
    def test_a_command_is_one_argument_behind_the_flags(self) -> None:
        """The program comes first, then its flags; PowerShell has a preamble."""
        for dialect, flags in (
            (BASH, ["-c", "--"]),
            (
                STAND_IN,
                [
                    *("-I", "-S", "-B", str(STAND_IN_SCRIPT)),
                    *("-NoProfile", "-NonInteractive", "-Command"),
                ],
            ),
        ):
            line = dialect.command_line()
            if not line:
                self.skipTest(f"needs {dialect.name}, or a system that runs a stand-in")
            self.assertEqual(line[1:], flags)
            self.assertTrue(Path(line[0]).is_absolute())
        self.assertEqual(PWSH.flags, STAND_IN.flags)
        self.assertIn("[Console]::OutputEncoding", PWSH.preamble)
        self.assertNotIn("\n", PWSH.preamble)

    @needs_posix
    def test_a_real_powershell_replaces_the_stand_in(self) -> None:
        """What is called pwsh on the PATH is taken, and else the stand-in, labelled."""
        folder = scratch() / "programs"
        folder.mkdir()
        with patch.dict(os.environ, {"PATH": str(folder)}):
            self.assertIs(powershell(), STAND_IN)
            program = folder / "pwsh"
            program.write_text("#!/bin/sh\n", encoding="utf-8")
            program.chmod(0o755)
            self.assertIs(powershell(), PWSH)
            self.assertEqual(PWSH.command_line()[0], str(program))
        self.assertEqual((PWSH.label, BASH.label), ("", ""))
        self.assertIn(STAND_IN_LABEL, STAND_IN.header)
        self.assertNotIn("stand-in", PWSH.header)


@needs_posix
class StandInChecks(unittest.TestCase):
    def run_it(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*STAND_IN.command_line()[:-3], *arguments],
            cwd=scratch(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=60,
        )

    def test_it_says_what_it_is_before_anything_else(self) -> None:
        """Whatever it prints, on whichever stream, its label is the first line."""
        for command in (
            PWSH.say("print", "x"),
            PWSH.say("complain", "x"),
            PWSH.say("count to", 3),
            PWSH.say("where"),
            PWSH.say("call"),
            PWSH.say("write a file", "/no/such/folder/x", "x"),
            PWSH.say("swallow", "/no/such/folder/x", "x"),
            "Get-ChildItem",
        ):
            done = self.run_it(*PWSH.flags, PWSH.preamble + command)
            said = done.stdout + done.stderr
            self.assertEqual(said.splitlines()[0], "stand-in, not PowerShell", command)
            self.assertEqual(said.count("stand-in, not PowerShell"), 1)

    def test_it_knows_nothing_but_the_phrasebook(self) -> None:
        """What is not in the phrasebook, though it be PowerShell, ends as 64."""
        for command in (
            "Get-ChildItem",
            "Write-Host 'x'",
            "$a = 1",
            "write-output 'x'",
        ):
            done = self.run_it(*PWSH.flags, PWSH.preamble + command)
            self.assertEqual(done.returncode, 64)
            self.assertIn("knows the phrasebook only", done.stderr)

    def test_it_is_called_as_the_real_one_would_be(self) -> None:
        """Other flags, more arguments or no preamble are refused."""
        command = PWSH.preamble + PWSH.say("print", "x")
        self.assertEqual(self.run_it(*PWSH.flags, command).returncode, 0)
        for arguments in (
            (),
            ("-Command", command),
            (*PWSH.flags, command, "more"),
            (*PWSH.flags, PWSH.say("print", "x")),
        ):
            self.assertEqual(self.run_it(*arguments).returncode, 64, arguments)
