"""What the checks of the guard share: counterparts of it that answer as we like."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import threading
import unittest
from collections.abc import Sequence
from pathlib import Path

from process_check_support import NO_POSIX, link_programs, write_program
from twoshell_guard import PROBE, WHO, Execution, run_local

POSIX = os.name == "posix"
needs_posix = unittest.skipUnless(POSIX, NO_POSIX)
needs_proc = unittest.skipUnless(sys.platform == "linux", "needs Linux and its /proc")
REAL_PYTHON = f'exec "{sys.executable}" "$@"'
# What the guard's own scripts and our commands start. A shell is linked beside them.
PROGRAMS = ("uname", "cat", "ls", "head", "grep", "seq", "sleep", "touch", "tr", "yes")
SHELLS = [name for name in ("bash", "dash") if POSIX and shutil.which(name)]


def make_programs(folder: Path, shell: str, python: str = "") -> Path:
    """A folder of programs in which `shell`, also as `sh`, is the only shell.

    python: what `python3` runs there; without it there is none.
    """
    folder.mkdir()
    link_programs(folder, *PROGRAMS, shell)
    (folder / "sh").symlink_to(folder / shell)
    if python:
        write_program(folder, "python3", python)
    return folder


class ScriptedExecutor:
    """Says who it is, and then answers every command with the same execution.

    It keeps what it was asked to run, and for how many seconds.
    """

    name = "scripted"

    def __init__(
        self,
        stdout: bytes = b"",
        stderr: bytes = b"",
        returncode: int = 0,
        *,
        host: str = "scripted",
        workspace: str = "",
        **flags: bool,
    ) -> None:
        self.execution = Execution(returncode, stdout, stderr, **flags)
        self.answer = f"\0fp\0{host}\0001\0{workspace}\0none\0".encode()
        self.asked: list[tuple[str, str, float]] = []

    def run(self, argv: Sequence[str], timeout_seconds: float) -> Execution:
        """Answer the question who it is, or give the prepared result."""
        self.asked.append((argv[2], argv[-1], timeout_seconds))
        if argv[2] in (WHO, PROBE):
            return Execution(0, self.answer, b"")
        return self.execution


class ShellExecutor:
    """A real shell, of one kind and with a home folder of its own.

    folder: empty; it gets a folder of programs, in which `shell` is the only shell,
        and a home. `sessions` there stands for `/sessions`.
    """

    def __init__(self, folder: Path, shell: str) -> None:
        self.name = shell
        self.home, self.sessions = folder / "home", folder / "sessions"
        self.home.mkdir()
        self.programs = make_programs(folder / "programs", shell, "echo 3.99.0")
        self.environment = {
            "HOME": str(self.home),
            "PATH": str(self.programs),
        }
        if sys.platform == "linux":
            # Where no locale is set, GNU's cat writes a Chinese path in escapes.
            self.environment["LC_ALL"] = "C.UTF-8"

    def run(self, argv: Sequence[str], timeout_seconds: float) -> Execution:
        """Run it here, in a world in which another folder is `/sessions`."""
        words = list(argv)
        if words[2] == PROBE:
            words[2] = PROBE.replace("/sessions", f"'{self.sessions}'")
        return run_local(words, timeout_seconds, env=self.environment)

    def make_workspace(self, name: str = "Workspace") -> Path:
        """Give the home folder a workspace."""
        workspace = self.home / "mnt" / name
        workspace.mkdir(parents=True)
        return workspace


def is_running(pid: int) -> bool:
    """Whether `pid` still executes. A zombie does not, whoever ought to reap it."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(")")[2].split()[0] not in ("Z", "X")


def counts() -> tuple[int, int, int]:
    """Descriptors, threads, and children of this process that are not reaped."""
    children = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = stat.read_text(encoding="utf-8", errors="replace")
            children += int(fields.rpartition(")")[2].split()[1]) == os.getpid()
    descriptors = len(list(Path("/proc/self/fd").iterdir()))
    return descriptors, threading.active_count(), children
