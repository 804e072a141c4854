"""What a shell tool does with processes, folders and time, asked and looked at."""

from __future__ import annotations

import secrets
import shutil
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from asking import ask, gone, outside_folder, printed
from output_behaviour import Findings
from render import render
from shell_call import POSIX

if TYPE_CHECKING:
    from shell_tool import ShellTool

# How long a shell may take to start before a timeout is no longer about its command.
START_SECONDS = 0.4
# By how many times a timeout may be exceeded: a machine can be busy.
LATE = 8
# Much longer than a shell takes, and much shorter than what it must not wait for.
SOON_SECONDS = 20.0


def fresh(tool: ShellTool) -> Findings:
    """Neither a folder nor a variable nor a function survives its call.

    It is not shown by process numbers: behind a fence with process numbers of its
    own, two processes have the same.
    """
    with outside_folder() as elsewhere:
        first = ask(
            tool,
            ("go to", str(elsewhere)),
            ("set", "kept"),
            ("define", "hello"),
            ("where",),
            ("get",),
            ("call",),
        )
    told = printed(tool, first)
    yield (
        "within a call all of them hold",
        told[1:] == ["kept", "hello"] and (Path(told[0]) == elsewhere),
    )
    second = ask(tool, ("where",), ("get",))
    folder, variable = printed(tool, second)
    yield "no folder carries over", Path(folder) == tool.policy.workspace
    yield "no variable carries over", variable == "unset"
    third = ask(tool, ("call",))
    yield "no function carries over", third.exit_code != 0 and not printed(tool, third)


def workdir(tool: ShellTool) -> Findings:
    """A call starts in the folder that it names, and a wrong one is refused."""
    with outside_folder() as elsewhere:
        absolute = ask(tool, ("where",), workdir=str(elsewhere))
        above = ask(tool, ("where",), workdir="..")
        missing = ask(tool, ("print", "ran"), workdir=str(elsewhere / "missing"))
        process = ask(tool, ("print", "ran"), workdir="/proc/self")
    yield "it is a parameter", "workdir" in tool.input_schema()["properties"]
    yield "absolute", list(map(Path, printed(tool, absolute))) == [elsewhere]
    relative = list(map(Path, printed(tool, above)))
    yield "relative to the workspace", relative == [tool.policy.workspace.parent]
    for what, refused in (("a missing one", missing), ("one in /proc", process)):
        yield (
            f"{what} is an error about the folder",
            ("workdir" in refused.refused and not refused.stdout + refused.stderr),
        )


def no_input(tool: ShellTool) -> Findings:
    """Whoever reads stdin finds its end."""
    outcome = ask(tool, ("read",), ("print", "and on"))
    # PowerShell prints the empty text that it read as an empty line.
    lines = list(filter(None, printed(tool, outcome)))
    yield "there is nothing to read", lines == ["and on"]
    yield "nor to wait for", not outcome.timed_out


def timeout(tool: ShellTool) -> Findings:
    """What takes too long is ended; what it printed and was refused is still told."""
    contract = tool.contract
    yield "it is a parameter", "timeout" in tool.input_schema()["properties"]
    for wrong in (
        0,
        -1,
        True,
        1.5,
        float("nan"),
        "abc",
        contract.longest_timeout_ms + 1,
    ):
        refused = ask(tool, ("print", "ran"), timeout=wrong)
        yield f"{wrong} is refused", bool(refused.refused) and not refused.stdout
    began = time.monotonic()
    ask(tool, ("set", "x"))
    start_seconds = max(START_SECONDS, 3 * (time.monotonic() - began))
    milliseconds = int(start_seconds * 1000)
    mark = unused_seconds()
    sleep = ("sleep", mark)
    if sys.platform == "linux" and shutil.which("timeout"):
        # This program moves to a process group of its own, and sleeps there.
        sleep = ("run", "timeout", 999, "sleep", mark)
    phrases = [("print", "before"), sleep, ("print", "after")]
    with outside_folder() as outside:
        if tool.policy.confined:
            phrases.insert(1, ("write a file", str(outside / "file"), "x"))
        late = ask(tool, *phrases, timeout=milliseconds)
    times = late.duration_seconds * 1000 / milliseconds
    yield "it is ended when the time is over", 0.99 < times < LATE
    lines = render(late, contract).splitlines()
    line = contract.timed_out.write(milliseconds)
    yield "what was printed before is kept", printed(tool, late) == ["before"]
    yield "the line is there once", lines.count(line) == 1
    above = (
        contract.denied.write(tool.policy.mode) if tool.policy.confined else "before"
    )
    yield "below the output and a denial", lines.index(above) < lines.index(line)
    yield "above how it ended", lines.index(line) == len(lines) - bool(late.signal) - 1
    if POSIX:
        yield "nothing of it runs on", gone(str(mark))


def background(tool: ShellTool) -> Findings:
    """A child in the background neither delays its call nor outlives it."""
    mark = unused_seconds()
    outcome = ask(tool, ("spawn", mark), ("print", "started"))
    yield "it was started", printed(tool, outcome)[-1:] == ["started"]
    yield "the call does not wait for it", outcome.duration_seconds < SOON_SECONDS
    yield "it is ended", gone(str(mark))


def unused_seconds() -> float:
    """More than the default timeout, and by which whoever sleeps it can be found."""
    return 60 + secrets.randbelow(10**9) / 10**9
