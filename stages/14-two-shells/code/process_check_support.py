"""What the checks of executors, turns and demo share: programs, started and seen."""

from __future__ import annotations

import contextlib
import functools
import os
import secrets
import shutil
import signal
import subprocess
import sys
import time
import unittest
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest.mock import patch

from executors import ExecutorError, FencedExecutor

CODE = Path(__file__).resolve().parent
NO_POSIX = "needs a POSIX shell"


def file_name(words: str) -> str:
    """Words as Python has the name of a file: UTF-8 on the disk, in any locale."""
    return os.fsdecode(words.encode())


def words_of(path: Path) -> str:
    """The reverse: a path as a shell is told, and prints it."""
    return os.fsencode(path).decode()


@functools.cache
def why_no_fence() -> str:
    """Why bubblewrap cannot be checked here, or nothing."""
    try:
        FencedExecutor()
    except ExecutorError as error:
        return str(error)
    return ""


def wait_until(condition: Callable[[], object], seconds: float = 20) -> bool:
    """Ask `condition` again and again; False when it did not hold in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() >= deadline:
            return False
        time.sleep(0.01)
    return True


def processes_with(mark: str) -> list[int]:
    """Processes that run on this Linux machine, in fences too, with this argument."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            # A zombie has no command line.
            if mark.encode() in path.read_bytes().split(b"\0"):
                found.append(int(path.parent.name))
    return found


def new_mark(case: unittest.TestCase, start: str = "mark-") -> str:
    """An argument that no other process has; who has it at the end is ended.

    With `start="300."` it is a number of seconds, which `sleep` takes.
    """
    mark = f"{start}{secrets.randbelow(10**15):015}"

    def end() -> None:
        for pid in processes_with(mark):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    case.addCleanup(end)
    return mark


@contextlib.contextmanager
def search_path(folder: Path, *, only: bool = False) -> Iterator[None]:
    """Programs in `folder` are found first, or alone."""
    rest = "" if only else os.pathsep + os.environ["PATH"]
    with patch.dict(os.environ, {"PATH": f"{folder}{rest}"}):
        yield


def write_program(folder: Path, name: str, *lines: str) -> Path:
    """A shell script called `name`, in the place of a real program."""
    program = folder / name
    text = "\n".join([f"#!{shutil.which('sh')}", *lines, ""])
    program.write_text(text, encoding="utf-8", errors="surrogateescape")
    program.chmod(0o755)
    return program


def link_programs(folder: Path, *names: str) -> None:
    """Make a folder of programs in which only these are found."""
    for name in names:
        if program := shutil.which(name):
            (folder / name).symlink_to(program)


def run_demo(
    *arguments: str, temporary: Path, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run `demo.py` as a reader would, with a temporary folder of its own."""
    return subprocess.run(
        [sys.executable, str(CODE / "demo.py"), *arguments],
        env=demo_environment(temporary, **variables),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
    )


def demo_environment(temporary: Path, **variables: str) -> dict[str, str]:
    """The variables with which the demo is started; its output is buffered."""
    temporary_folder = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(temporary))
    environment = {**os.environ, **temporary_folder, **variables}
    environment.pop("PYTHONUNBUFFERED", None)
    return environment
