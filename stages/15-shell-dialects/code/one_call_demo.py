"""One call of a shell tool, as a model gets it: python one_call_demo.py MODE COMMAND

The workspace is a folder made for this call. `--outcome` shows what the Host keeps
beside the text. Where there is no PowerShell, `--shell pwsh` is its stand-in, and
what it prints says so.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from contract import MODES, Policy
from dialects import BASH, powershell
from fences import BWRAP, LANDLOCK, NO_FENCE
from render import render
from shell_tool import ShellTool

FENCES = {fence.name: fence for fence in (LANDLOCK, BWRAP, NO_FENCE)}


def arguments() -> argparse.Namespace:
    """The command line; a wrong one ends the program with 2."""
    parser = argparse.ArgumentParser(description="One call of a shell tool.")
    parser.add_argument("mode", choices=MODES)
    parser.add_argument("command")
    parser.add_argument("--shell", choices=("bash", "pwsh"), default="bash")
    parser.add_argument(
        "--fence", choices=FENCES, help="the first that holds here, if not given"
    )
    parser.add_argument("--timeout", type=int, help="milliseconds")
    parser.add_argument("--workdir", help="absolute, or relative to the workspace")
    parser.add_argument("--outcome", action="store_true", help="what the Host keeps")
    return parser.parse_args()


def main() -> int:
    """0, whatever the command did: its end is in the text."""
    asked = arguments()
    holding = [name for name, fence in FENCES.items() if not fence.why_not()]
    fence = FENCES[asked.fence or (holding or ["none"])[0]]
    dialect = BASH if asked.shell == "bash" else powershell()
    with tempfile.TemporaryDirectory() as workspace:
        tool = ShellTool(dialect, Policy(asked.mode, Path(workspace)), fence)
        outcome = tool.run(asked.command, timeout=asked.timeout, workdir=asked.workdir)
    sys.stdout.reconfigure(errors="backslashreplace")
    print(render(outcome))
    if asked.outcome:
        print(f"exit_code={outcome.exit_code} signal={outcome.signal}", end=" ")
        print(f"timed_out={outcome.timed_out} denied={outcome.denied}", end=" ")
        print(f"refused={bool(outcome.refused)} left_out={outcome.left_out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
