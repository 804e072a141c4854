"""A command that leaves somebody behind: python deadline_demo.py

The command prints one line and ends at once. A process that it started in the
background still holds its output, and writes a file one second later. Both ways of
running it are given half a second.
"""

from __future__ import annotations

import subprocess
import time

from demo_exit import exit_after
from runner import CommandRunner
from workspace import AgentWorkspace

SHELL = "/bin/sh"
TIMEOUT_SECONDS = 0.5
COMMAND = "(sleep 1; echo written >work/late.txt) & echo started"


def was_written_late(workspace: AgentWorkspace) -> bool:
    """Wait longer than the background process needs; whether its file appears."""
    late = workspace.root / "work" / "late.txt"
    end = time.monotonic() + 1
    while not late.exists() and time.monotonic() < end:
        time.sleep(0.05)
    return late.exists()


def with_subprocess(workspace: AgentWorkspace) -> None:
    """Run the command the usual way, and say what became of it."""
    try:
        subprocess.run(
            [SHELL, "-c", COMMAND],
            cwd=workspace.root,
            capture_output=True,
            timeout=TIMEOUT_SECONDS,
        )
        print("subprocess.run: ended by itself")
    except subprocess.TimeoutExpired:
        print("subprocess.run: timed out")
    print("  and wrote a file afterwards:", was_written_late(workspace))


def with_runner(workspace: AgentWorkspace) -> None:
    """Run it through the command runner, and say what is known."""
    runner = CommandRunner(workspace, executables={"sh": SHELL})
    result = runner.run(["sh", "-c", COMMAND], timeout_seconds=TIMEOUT_SECONDS)
    print("the runner: timed out" if result.timed_out else "the runner: ended")
    print("  exit code", result.returncode, "and output", repr(result.stdout))
    print("  and wrote a file afterwards:", was_written_late(workspace))


def main() -> int:
    """Show both, each in a workspace of its own."""
    for show in (with_subprocess, with_runner):
        with AgentWorkspace.temporary() as workspace:
            show(workspace)
    return 0


if __name__ == "__main__":
    exit_after(main)
