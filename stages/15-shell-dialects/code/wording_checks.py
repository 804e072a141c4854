"""Checks of words: what a model is told, in full, written down once more.

A check asks whether a sentence is true, and no check can read one. So nobody shall
change a sentence without meaning to: it has to be changed here, too.
"""

from __future__ import annotations

import unittest

from contract import FULL_ACCESS, READ_ONLY, WORKSPACE_WRITE, Policy
from dialect_check_support import needs_posix, scratch
from dialects import BASH, PWSH, STAND_IN, Dialect
from fences import NO_FENCE, Fence
from shell_tool import ShellTool

__all__ = ["WordingChecks"]

SHARED = """\
- Each call is a fresh process: no working directory, variable or function carries \
over to the next, so pass `workdir` instead of `cd`.
- `workdir` is absolute or relative to the workspace, where a call starts without \
it; with one that cannot be entered, or is below /proc, nothing runs.
- Stdin is empty.
- A result is stdout, then stderr below `[stderr]`; where both are blank, `(no output)`.
- Of more than 20000 characters the beginning and the end are kept, and \
`[N characters left out here]` tells how many are not; that line and `[stderr]` \
count, too.
- A command that fails has `[exit code: N]` as its last line, one that succeeds has \
no such line.
- A command that a signal ends has `[killed by signal: N]` there instead.
- `timeout` is a whole number of milliseconds from 1 to 600000, 30000 without it; a \
command that takes longer is killed, what it printed is kept, and \
`[timed out after Nms]` stands below that.
- A call ends with its command: what that left in the background is killed, unless \
it moved to a session of its own (`setsid`) or, where there is no /proc, to a group \
of its own.
"""
CONFINED = """\
- Labelled: this fence in the mode {}.
- A refused write that makes the command fail, with the system's words on stderr, is \
told by `[sandbox: file access denied under <mode> mode]` below the output, once. \
One whose words are swallowed or go elsewhere is not told; a failure that only \
complains alike is.
"""
UNCONFINED = """\
- Files are not confined.
"""
FORGED = """\
- A command can print lines like these itself; what counts is what the Host saw, and \
it does not read it from the text.
"""
NOTHING = """\
- {} is not enforced here, so nothing is run: there is no fence.
"""
BASH_HEADER = "Runs a bash command (`bash -c`).\n"
BASH_OWN = """\
- A variable of the environment is read as `$NAME`.
- A pipeline ends as its last command does; begin with `set -o pipefail` to see a \
failure of the others.
"""
PWSH_HEADER = "Runs a PowerShell command (`pwsh -Command`).\n"
STAND_IN_HEADER = (
    "Runs a PowerShell command (`pwsh -Command`; stand-in, not PowerShell).\n"
)
PWSH_OWN = """\
- Paths are native: with a drive and backslashes on Windows.
- A variable of the environment is read as `$env:NAME`.
- If a failing external program is called last, the command ends as 1; add \
`exit $LASTEXITCODE` to end as the program did.
"""
DIALECTS = (
    (BASH, BASH_HEADER, BASH_OWN),
    (PWSH, PWSH_HEADER, PWSH_OWN),
    (STAND_IN, STAND_IN_HEADER, PWSH_OWN),
)


class Labelled(Fence):
    """A fence that is described and never used."""

    name = "labelled"

    def why_not(self) -> str:
        return ""

    def _covers(self, mode: str) -> str:
        return f"this fence in the mode {mode}"


def told(dialect: Dialect, mode: str, fence: Fence) -> str:
    """The description, with a line feed at its end."""
    return f"{ShellTool(dialect, Policy(mode, scratch()), fence).description()}\n"


@needs_posix
class WordingChecks(unittest.TestCase):
    maxDiff = None

    def test_every_description_is_this_one(self) -> None:
        """For each dialect and mode, a model is told these words and no others."""
        for dialect, header, own in DIALECTS:
            for mode in (READ_ONLY, WORKSPACE_WRITE):
                self.assertEqual(
                    told(dialect, mode, Labelled()),
                    header + SHARED + CONFINED.format(mode) + FORGED + own,
                )
                nothing = NOTHING.format(mode.capitalize())
                self.assertEqual(told(dialect, mode, NO_FENCE), header + nothing)
            self.assertEqual(
                told(dialect, FULL_ACCESS, NO_FENCE),
                header + SHARED + UNCONFINED + FORGED + own,
            )
