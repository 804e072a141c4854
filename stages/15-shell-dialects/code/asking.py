"""Ask a shell tool something in its own shell's words, and look at what happened."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from contract import Outcome

if TYPE_CHECKING:
    from shell_tool import ShellTool

# Not below /tmp, of which bubblewrap shows a private one.
OUTSIDE = "/var/tmp"
Phrase = tuple[object, ...]


def script(tool: ShellTool, *phrases: Phrase) -> str:
    """One command of several phrases, such as `("print", "one")`."""
    return "; ".join(tool.dialect.say(*phrase) for phrase in phrases)


def ask(
    tool: ShellTool,
    *phrases: Phrase,
    timeout: int | None = None,
    workdir: str | None = None,
) -> Outcome:
    """Run one command of several phrases in a real process."""
    return tool.run(script(tool, *phrases), timeout=timeout, workdir=workdir)


def printed(tool: ShellTool, outcome: Outcome) -> list[str]:
    """The lines on stdout."""
    return tool.dialect.without_label(outcome.stdout).splitlines()


@contextlib.contextmanager
def outside_folder() -> Iterator[Path]:
    """A new folder that is not in the workspace, and is gone afterwards."""
    place = OUTSIDE if os.path.isdir(OUTSIDE) else None  # noqa: PTH112
    with tempfile.TemporaryDirectory(prefix="outside-", dir=place) as name:
        yield Path(name).resolve()


def is_running(mark: str) -> bool:
    """Whether some process has `mark` among its arguments. A zombie has none."""
    if sys.platform == "linux":
        for number in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError):
                if mark.encode() in Path("/proc", number, "cmdline").read_bytes():
                    return True
        return False
    listing = subprocess.run(
        ["ps", "-A", "-o", "args="], capture_output=True, check=True
    )
    return mark.encode() in listing.stdout


def gone(mark: str, seconds: float = 5) -> bool:
    """Whether no process has `mark` among its arguments, now or soon."""
    deadline = time.monotonic() + seconds
    while is_running(mark):
        if time.monotonic() >= deadline:
            return False
        time.sleep(0.01)
    return True
