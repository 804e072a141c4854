"""What one shell does and the other does not, in that shell's own words."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from asking import ask, printed, script
from output_behaviour import Findings
from shell_call import POSIX

if TYPE_CHECKING:
    from shell_tool import ShellTool

ENDS_AS_7 = ("sh", "-c", "exit 7")
if not POSIX:
    ENDS_AS_7 = (sys.executable, "-c", "raise SystemExit(7)")


def environment(tool: ShellTool) -> Findings:
    """The home folder, by its variable, is the workspace."""
    home = ask(tool, ("home",))
    yield "it has its value", printed(tool, home) == [str(tool.policy.workspace)]


def bash_pipeline(tool: ShellTool) -> Findings:
    """The last command of a pipeline decides, unless it is told otherwise."""
    yield "the last one decides", tool.run("false | true").exit_code == 0
    told = tool.run("set -o pipefail; false | true")
    yield "with pipefail any of them does", told.exit_code == 1


def pwsh_paths(tool: ShellTool) -> Findings:
    """A path is written as the system writes it."""
    told = ask(tool, ("where",))
    yield "as the system writes it", printed(tool, told) == [str(tool.policy.workspace)]


def pwsh_exit_code(tool: ShellTool) -> Findings:
    """A failing program called last ends as 1, unless its own number is asked for."""
    fails = script(tool, ("run", *ENDS_AS_7))
    yield "it ends as 1", tool.run(fails).exit_code == 1
    asked = tool.run(f"{fails}; exit $LASTEXITCODE")
    yield "its own number if asked", asked.exit_code == 7
