"""Checks of words: what a model is told, in full, written down once more.

A check asks whether a sentence is true, and no check can read one. So nobody shall
change a sentence without meaning to: it has to be changed here, too.
"""

from __future__ import annotations

import unittest

from contract import FULL_ACCESS, READ_ONLY, WORKSPACE_WRITE, Policy
from dialect_check_support import needs_posix, scratch
from dialects import BASH, PWSH, STAND_IN, Dialect
from fences import NO_FENCE, BubblewrapFence, Fence, LandlockFence
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
LANDLOCK_1 = """\
landlock: version 1, refuses {where}: writing, creating, removing, linking and moving \
files. It does not refuse: reading, writing to /dev/null, changing a file's mode, \
group, times or attributes, truncating a file, controlling a device, signals, network \
and sockets, memory, time, disk space. """
LANDLOCK_6 = """\
landlock: version 6, refuses {where}: writing, creating, removing, linking and moving \
files, truncating files, controlling devices, signalling outside processes. It does \
not refuse: reading, writing to /dev/null, changing a file's mode, group, times or \
attributes, network and sockets, memory, time, disk space. """
TEMPORARY = "No folder is for temporary files"
WORKSPACE = "No device can be made in the workspace. The workspace is TMPDIR"
NO_MOVES = ". Files cannot move from one folder to another"
BUBBLEWRAP = """\
bubblewrap: refuses {where}: any change of files, their modes and times. {devices}\
Other processes cannot be seen. /tmp is private: empty at first but for the \
workspace, the call's folder and the shell, and what is written there vanishes. It \
does not refuse: reading, network and sockets, memory, time, disk space. A signal is \
reported as exit code 128+N"""
DEVICES = "No device can be made in the workspace. "
EVERYWHERE, OUTSIDE = "everywhere", "outside the workspace"
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


class DescribedLandlock(LandlockFence):
    """Landlock as it is described where it holds, tried or not."""

    def why_not(self) -> str:
        return ""


class DescribedBubblewrap(BubblewrapFence):
    """bubblewrap as it is described where it holds, tried or not."""

    def why_not(self) -> str:
        return ""


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

    def test_every_label_is_this_one(self) -> None:
        """What a fence covers and what not is told in these words and no others."""
        old, new = DescribedLandlock(1), DescribedLandlock(6)
        for fence, mode, label in (
            (old, READ_ONLY, LANDLOCK_1.format(where=EVERYWHERE) + TEMPORARY),
            (
                *(old, WORKSPACE_WRITE),
                LANDLOCK_1.format(where=OUTSIDE) + WORKSPACE + NO_MOVES,
            ),
            (new, READ_ONLY, LANDLOCK_6.format(where=EVERYWHERE) + TEMPORARY),
            (new, WORKSPACE_WRITE, LANDLOCK_6.format(where=OUTSIDE) + WORKSPACE),
            (
                *(DescribedBubblewrap(), READ_ONLY),
                BUBBLEWRAP.format(where=EVERYWHERE, devices=""),
            ),
            (
                *(DescribedBubblewrap(), WORKSPACE_WRITE),
                BUBBLEWRAP.format(where=OUTSIDE, devices=DEVICES),
            ),
        ):
            self.assertEqual(fence.label(mode), label)
