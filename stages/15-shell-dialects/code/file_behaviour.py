"""What a policy does to a command's writes, and what is said of it."""

from __future__ import annotations

import contextlib
import secrets
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from asking import ask, outside_folder, printed
from contract import WORKSPACE_WRITE
from output_behaviour import Findings
from render import render
from shell_call import POSIX

if TYPE_CHECKING:
    from shell_tool import ShellTool

INTERPRETER = (sys.executable, "-I", "-S", "-c")
# The shell of this line forks, so that touch is a grandchild of the tool's shell.
GRANDCHILD = ("sh", "-c", "IFS=; touch $0; :")
WORDS_TO_STDOUT = ("sh", "-c", "IFS=; touch $0 2>&1")


def files(tool: ShellTool) -> Findings:
    """Who may write where, for a shell, what it starts, and what that starts.

    Where nothing is confined all of it happens, which shows that it could.
    """
    may_write_outside = not tool.policy.confined
    may_write_inside = may_write_outside or tool.policy.mode == WORKSPACE_WRITE
    with outside_folder() as outside, file_inside(tool) as inside:
        by_shell, by_interpreter, by_grandchild = (
            outside / name for name in ("shell", "interpreter", "grandchild")
        )
        code = f"open({str(by_interpreter)!r}, 'x')"
        attempts = [
            ("write a file", str(by_shell), "x"),
            ("write a file", str(inside), "x"),
            ("run", *INTERPRETER, code),
        ]
        if POSIX:
            attempts.append(("run", *GRANDCHILD, str(by_grandchild)))
        outcome = ask(tool, *attempts, ("print", "all tried"))
        yield "all was tried", printed(tool, outcome)[-1:] == ["all tried"]
        yield "by the shell", by_shell.exists() == may_write_outside
        yield "by an interpreter", by_interpreter.exists() == may_write_outside
        if POSIX:
            yield "by a grandchild", by_grandchild.exists() == may_write_outside
        yield "in the workspace", inside.exists() == may_write_inside


def denied(tool: ShellTool) -> Findings:
    """A refused write that makes the command fail is told once, a swallowed one not.

    Nor can it be told from a failure whose complaint only sounds like a refusal.
    """
    contract = tool.contract
    line = contract.denied.write(tool.policy.mode)
    with outside_folder() as outside, file_inside(tool) as inside:
        target = outside / "file"
        refused = ask(tool, ("print", "so far"), ("write a file", str(target), "x"))
        lines = render(refused, contract).splitlines()
        yield "the file is not there", not target.exists()
        yield "the line is there once, with the mode", lines.count(line) == 1
        yield "below the output", lines.index("so far") < lines.index(line)
        yield "above the exit code", lines.index(line) == len(lines) - 2
        words = tool.fence.denial_words[0]
        swallowed = ask(tool, ("complain", words), ("swallow", str(target), "x"))
        yield "a swallowed one happens", printed(tool, swallowed) == ["refused"]
        yield "and succeeds", swallowed.exit_code == 0 and not target.exists()
        yield "and is not told, whatever is on stderr", not swallowed.denied
        if POSIX:
            elsewhere = ask(tool, ("run", *WORDS_TO_STDOUT, str(target)))
            yield "the words can go elsewhere", elsewhere.exit_code == 1
            yield "and then it is not told", not elsewhere.denied
        within = ask(tool, ("write a file", str(inside), "x"))
        yield (
            "in the workspace it depends on the mode",
            bool(within.denied) == (tool.policy.mode != WORKSPACE_WRITE),
        )
    alike = ask(tool, ("complain", words), ("fail with", 1))
    yield "a failure that complains alike is taken for one", bool(alike.denied)


def nothing_runs(tool: ShellTool) -> Findings:
    """Where nothing enforces the policy, no command is run, and none is denied."""
    with file_inside(tool) as inside:
        outcome = ask(tool, ("print", "ran"), ("write a file", str(inside), "x"))
        yield "it is refused", bool(outcome.refused)
        yield "nothing was written", not inside.exists()
    yield "nothing was printed", not outcome.stdout
    yield "a refusal to run is no denial", not outcome.denied


@contextlib.contextmanager
def file_inside(tool: ShellTool) -> Iterator[Path]:
    """The path of a new file in the workspace, which is removed if it was made."""
    path = tool.policy.workspace / f"tried-{secrets.token_hex(8)}"
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)
