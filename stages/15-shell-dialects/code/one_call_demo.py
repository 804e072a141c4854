"""One call of a shell tool, as a model gets it: python one_call_demo.py MODE COMMAND

The workspace is a folder made for this call. `--outcome` shows what the Host keeps
beside the text. Where there is no PowerShell, `--shell pwsh` is its stand-in, and
what it prints says so.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path

from contract import FULL_ACCESS, MODES, Outcome, Policy
from demo_close import close_after
from dialects import BASH, powershell
from fences import BWRAP, LANDLOCK, NO_FENCE, Fence
from render import render
from shell_tool import ShellTool

FENCES = {fence.name: fence for fence in (LANDLOCK, BWRAP, NO_FENCE)}


def number_or_text(word: str) -> int | str:
    """A timeout as a model could send it, which is for the tool to judge."""
    try:
        return int(word)
    except ValueError:
        return word


def utf8(word: str) -> str:
    """A word of the command line, which is UTF-8 also where the locale is not."""
    return os.fsencode(word).decode("utf-8", "surrogateescape")


def arguments() -> argparse.Namespace:
    """The command line; a wrong one ends the program with 2."""
    parser = argparse.ArgumentParser(description="One call of a shell tool.")
    parser.add_argument("mode", choices=MODES)
    parser.add_argument("command", type=utf8)
    parser.add_argument("--shell", choices=("bash", "pwsh"), default="bash")
    parser.add_argument(
        "--fence",
        choices=FENCES,
        help=f"the first that holds here, if not given; {FULL_ACCESS} has none",
    )
    parser.add_argument("--timeout", type=number_or_text, help="milliseconds")
    parser.add_argument(
        "--workdir", type=utf8, help="absolute, or relative to the workspace"
    )
    parser.add_argument("--outcome", action="store_true", help="what the Host keeps")
    asked = parser.parse_args()
    if asked.mode == FULL_ACCESS and asked.fence not in (None, NO_FENCE.name):
        parser.error(f"{FULL_ACCESS} uses no fence")
    return asked


def fence_for(asked: argparse.Namespace) -> Fence:
    """The fence that was asked for, or the first that holds; no other is tried."""
    if asked.mode == FULL_ACCESS:
        return NO_FENCE
    if asked.fence:
        return FENCES[asked.fence]
    return next((one for one in FENCES.values() if not one.why_not()), NO_FENCE)


def call(asked: argparse.Namespace) -> Outcome:
    """The outcome of the one call, in a workspace that is removed after it."""
    dialect = BASH if asked.shell == "bash" else powershell()
    # What left its session may go on to write in there, and then some of it stays.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as workspace:
        policy = Policy(asked.mode, Path(workspace))
        tool = ShellTool(dialect, policy, fence_for(asked))
        return tool.run(asked.command, timeout=asked.timeout, workdir=asked.workdir)


def main() -> int:
    """0, whatever the command did: its end is in the text."""
    asked = arguments()
    outcome = call(asked)
    print(render(outcome))
    if asked.outcome:
        print(f"exit_code={outcome.exit_code} signal={outcome.signal}", end=" ")
        print(f"timed_out={outcome.timed_out} denied={outcome.denied}", end=" ")
        print(f"refused={bool(outcome.refused)} left_out={outcome.left_out}")
    return 0


if __name__ == "__main__":
    close_after(main)
