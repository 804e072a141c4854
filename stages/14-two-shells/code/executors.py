"""Executors: the hosts and shells on which a tool's command can really run.

What a shell can see is a property of where it runs, not of the tool's name. So
there is one small object for each such place, and the guard asks it who it is.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from twoshell_guard import Execution, run_local

TRIAL_SECONDS = 10.0
# What a program needs to run at all. Neither /etc nor a home is among it.
SYSTEM_FOLDERS = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64")
FENCED_HOST = "cloud-side"
FENCED_HOME = "/tmp/home"
FENCED_ENVIRONMENT = {
    "HOME": FENCED_HOME,
    "LANG": "C.UTF-8",
    "PATH": "/usr/local/bin:/usr/bin:/bin",
}


class ExecutorError(RuntimeError):
    """There is no such executor here; the message says why and what helps."""


class Executor(Protocol):
    """One host and shell. `name` is for people; `fingerprint` finds out the rest."""

    name: str

    def run(self, argv: Sequence[str], timeout_seconds: float) -> Execution:
        """Run a program there, and end it and what it started at the deadline.

        Each word of argv arrives as it is. Raises nothing for what the program does.
        """
        ...


class LocalExecutor:
    """This shell, with everything that the Host's user can see and do.

    home: a folder that its commands take for the home folder. Without it, they
        have the real one.
    """

    name = "local"

    def __init__(self, home: Path | None = None) -> None:
        self._home = home

    def run(self, argv: Sequence[str], timeout_seconds: float) -> Execution:
        """Run a program as a child of the Host."""
        if self._home is None or os.name != "posix":
            # Which refuses a system that is not POSIX.
            return run_local(argv, timeout_seconds)
        try:
            home = os.fsencode(self._home)
        except UnicodeEncodeError:
            # The locale has no such character; then names of files are UTF-8 here.
            home = str(self._home).encode("utf-8", "surrogateescape")
        return run_local(argv, timeout_seconds, env={**os.environb, b"HOME": home})


class SimulatedExecutor(LocalExecutor):
    """The same shell again, with an empty home, where there is no second one.

    home: an empty folder.
    reason: why there is no second shell here.

    It shows what a tool does when the workspace is not found, and fences nothing:
    same host name, same files by their absolute paths, same network. Whoever
    prints what it did prints its name with it.
    """

    name = "simulated"

    def __init__(self, home: Path, reason: str) -> None:
        super().__init__(home)
        self.reason = reason


class FencedExecutor:
    """A really different shell on the same machine, through bubblewrap (Linux).

    Each command gets a fence of its own: the system's programs, read-only; an
    environment built from nothing; a host name, a process tree, a /tmp and an
    empty home of its own; no network but a loopback; no workspace, no /etc, no
    files of the user. With the command all that it started ends, and its /tmp.
    The same happens when the Host dies.

    Raises `ExecutorError` where bubblewrap is missing, or is there and cannot make
    a fence, as where user namespaces are switched off. It is tried, not assumed.

    What it does not do: limit memory, processor time or the size of its /tmp, or
    hide the kernel, which it shares, with the command line that it was started with
    and the sizes of disks. Settings in /usr, as in /usr/local/etc, are seen. A
    command can write to its own /dev as well, because locks need /dev/shm. It is
    not for hostile code: stage 12 says what that takes.
    """

    name = "fenced"

    def __init__(self) -> None:
        program = shutil.which("bwrap")
        if program is None:
            raise ExecutorError(
                "bubblewrap is not installed here (Linux: apt-get install bubblewrap)"
            )
        self._program = str(Path(program).absolute())
        trial = self.run(["/bin/sh", "-c", "echo fenced"], TRIAL_SECONDS)
        if (trial.returncode, trial.stdout) != (0, b"fenced\n"):
            raise ExecutorError(
                f"bubblewrap is installed but makes no fence here: {complaint(trial)}"
            )

    def run(self, argv: Sequence[str], timeout_seconds: float) -> Execution:
        """Run a program in a new fence."""
        # bubblewrap's own environment can be read inside, in /proc/1/environ. So it
        # is built for both, and --clearenv would not be enough.
        return run_local(
            [self._program, *fence_options(), "--", *argv],
            timeout_seconds,
            env=FENCED_ENVIRONMENT,
        )


def fence_options() -> list[str]:
    """The arguments of bubblewrap, in its order: it mounts as it reads."""
    options = [
        "--unshare-all",
        "--die-with-parent",
        *("--cap-drop", "ALL"),
        *("--hostname", FENCED_HOST),
    ]
    for name in SYSTEM_FOLDERS:
        folder = Path(name)
        # On many systems /bin is a link to usr/bin, and has to be one inside too.
        if folder.is_symlink():
            options += ["--symlink", str(folder.readlink()), name]
        elif folder.is_dir():
            options += ["--ro-bind", name, name]
    return [
        *options,
        *("--proc", "/proc"),
        *("--dev", "/dev"),
        *("--tmpfs", "/tmp"),
        *("--dir", FENCED_HOME),
        *("--chdir", FENCED_HOME),
        *("--remount-ro", "/"),
    ]


def second_shell(empty_home: Path) -> Executor:
    """The most different shell that this machine really has, found by trying it.

    Where there is none, a simulated one with `empty_home`, which says so. A
    container is not looked for: whoever has one names it to `ContainerExecutor`.
    """
    try:
        return FencedExecutor()
    except ExecutorError as error:
        return SimulatedExecutor(empty_home, str(error))


def complaint(execution: Execution) -> str:
    """What a program said on stderr, in one short and printable line."""
    if execution.timed_out:
        return "it did not end in time"
    words = " ".join(execution.stderr.decode("utf-8", "replace").split())
    return re.sub(r"[^ -~]", "?", words)[:200] or "it gave no reason"
