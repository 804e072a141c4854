"""Start registered programs for the Host, under one deadline and with bounded output.

This is the Host's own plumbing: an agent never gets a runner, only operations that
the Host builds from it.
"""

from __future__ import annotations

import errno
import os
import signal
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from child_process import ChildProcess
from command_values import (
    CommandRefused,
    child_environment,
    command_words,
    positive_count,
    positive_seconds,
    registered_programs,
)
from interrupt_guard import InterruptGuard
from pipe_drain import OutputDrain

__all__ = ["CommandNotStarted", "CommandRefused", "CommandResult", "CommandRunner"]

# Time for last words between TERM and KILL. A process that ignores TERM holds up
# every deadline by this much, so it is kept short.
TERM_SECONDS = 0.01
# Nothing can refuse KILL, but a busy machine takes its time to carry it out. This
# much may be added to the grace period, so that a short one leaves no zombie.
KILL_SECONDS = 0.3
# Reading what is still in the pipes of a group that is dead takes no longer.
READ_SECONDS = 0.1


class CommandNotStarted(OSError):
    """The program could not be started; no process of it exists.

    The message says whether the program or the working directory is missing. It
    names the program by its alias and carries no path of the Host.
    """


class HasRoot(Protocol):
    """What a runner needs of a workspace: the directory that children start in."""

    root: Path


@dataclass(frozen=True)
class CommandResult:
    """What is known about one run after it has been ended.

    returncode: exit code; negative: the signal that ended the program; None: its
        exit is not confirmed.
    stdout, stderr: the beginning of each, as UTF-8 with U+FFFD for other bytes.
    stdout_truncated, stderr_truncated: there was more than was kept.
    truncated: one of the two was.
    timed_out: the program had not exited, or a pipe was not at its end, when the
        deadline passed. Also a descendant that holds a pipe makes a time-out.
    output_complete: both pipes reached end of file, so nothing is missing but what
        was truncated. It can be true after a time-out, when killing closed the pipes.
    cleanup_complete: the program was reaped, and both readers came to the end of
        their pipe and stopped. False also says that somebody who was not killed may
        still hold a pipe. True does not prove that nobody is left: a descendant
        that left the group and holds no pipe is not noticed.
    duration_seconds: monotonic, from before the start until after the clean-up.
    """

    returncode: int | None
    stdout: str
    stderr: str
    stdout_truncated: bool
    stderr_truncated: bool
    truncated: bool
    timed_out: bool
    output_complete: bool
    cleanup_complete: bool
    duration_seconds: float


class CommandRunner:
    """Runs registered programs in a workspace, one process group a run.

    workspace: its `root` is the working directory of every child.
    executables: absolute path of a regular executable file for each alias. It is
        checked here and not again; it is started as written, not resolved, because
        a virtual environment's `python` finds itself by that name. Batch files are
        refused: on Windows they hand their arguments to a shell.
    max_output_bytes: how much of stdout, and how much of stderr, is kept.
    grace_seconds: how long ending a run may take after its deadline or exit.
    environment: added to the few variables that every child gets. Nothing is
        inherited, `PATH` included.

    Raises `CommandRefused` for anything else.

    What this does not do:

    - Termination is not rollback: what a program wrote stays written.
    - It is not a hard real-time guarantee: a busy machine is late.
    - It is not a sandbox: a program may read, write and connect as the Host may.
    - It does not end a descendant that left the process group, in a session of its
      own or as a shell with job control does it; a run that such a process
      holds a pipe of reports it, and returns in `timeout + grace` nevertheless.
    - On Windows it ends only the program itself, none of its descendants, and a
      reader whose pipe such a descendant holds stays until that one ends.
    - What the handler of SIGINT (Ctrl-C) or SIGTERM raises ends the run and leaves
      nothing behind; it waits while a process is being created or ended. What
      handlers of other signals raise is not held back, and can leave a process
      behind that was just being created.
    - It does not know an exit code that other code of the Host takes away, by
      ignoring SIGCHLD or by waiting for any child: `returncode` is None then.
    - It does not reap killed descendants. Where the Host is the first process of a
      container, they stay zombies until it does; an init (`--init`) reaps them.
    """

    def __init__(
        self,
        workspace: HasRoot,
        *,
        executables: Mapping[str, str | Path],
        max_output_bytes: int = 16_384,
        grace_seconds: float = 1.0,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._workspace = workspace
        self._programs = registered_programs(executables)
        self._max_output_bytes = positive_count("max_output_bytes", max_output_bytes)
        self._grace_seconds = positive_seconds("grace_seconds", grace_seconds)
        self._environment = child_environment(environment)

    def run(self, command: Sequence[str], *, timeout_seconds: float) -> CommandResult:
        """Run `command`, an alias and its arguments, and end whatever it started.

        timeout_seconds: from now until the program has exited *and* both its pipes
            are at their end; at most 86,400.

        The call returns within `timeout_seconds` + `grace_seconds` + half a second.
        A non-zero exit code and a time-out are results, not errors. Raises
        `CommandRefused` before anything is started, `CommandNotStarted` when
        nothing could be.
        """
        alias, arguments = command_words(command, self._programs)
        timeout = positive_seconds("timeout_seconds", timeout_seconds)
        started = time.monotonic()
        deadline = started + timeout
        with (
            InterruptGuard(signal.SIGINT) as interrupt,
            InterruptGuard(signal.SIGTERM) as termination,
            self._start(alias, arguments) as child,
            self._drain(alias, child) as output,
        ):
            with interrupt.admitted(), termination.admitted():
                finished = _both_ended(child, output, deadline)
            cleanup_deadline = time.monotonic() + self._grace_seconds
            if not finished:
                child.terminate()
                last_words = min(cleanup_deadline, time.monotonic() + TERM_SECONDS)
                _both_ended(child, output, last_words)
            # Also after a success: a quiet process in the background ends here.
            returncode = child.end(cleanup_deadline + KILL_SECONDS)
            # However short the grace period, what a killed group has left in its
            # pipes is read.
            complete = output.wait(
                max(cleanup_deadline, time.monotonic() + READ_SECONDS)
            )
            stopped = output.stop()
        return CommandResult(
            returncode=returncode,
            stdout=output.stdout.text(),
            stderr=output.stderr.text(),
            stdout_truncated=output.stdout.truncated,
            stderr_truncated=output.stderr.truncated,
            truncated=output.stdout.truncated or output.stderr.truncated,
            timed_out=not finished,
            output_complete=complete,
            cleanup_complete=complete and stopped and returncode is not None,
            duration_seconds=time.monotonic() - started,
        )

    def _start(self, alias: str, arguments: Sequence[str]) -> ChildProcess:
        root = self._workspace.root
        try:
            return ChildProcess(
                self._programs[alias],
                arguments,
                cwd=root,
                environment=self._environment,
                grace_seconds=self._grace_seconds,
            )
        except OSError as error:
            # Its own text may hold a path of the Host, so we say it in our words.
            # Asking the file system afterwards could find another state.
            if _is_about(error, root):
                reason = "the working directory is missing or cannot be entered"
            elif isinstance(error, FileNotFoundError):
                reason = f"the program {alias!r} (or its interpreter) is missing"
            else:
                reason = f"the program {alias!r}: {os.strerror(error.errno)}"
            raise CommandNotStarted(error.errno, reason) from None

    def _drain(self, alias: str, child: ChildProcess) -> OutputDrain:
        try:
            return OutputDrain(child.stdout, child.stderr, self._max_output_bytes)
        except RuntimeError:
            reason = f"the program {alias!r} was ended: its output cannot be read"
            raise CommandNotStarted(errno.EAGAIN, reason) from None


def _is_about(error: OSError, directory: Path) -> bool:
    """Whether a start failed because `directory` cannot be the working directory."""
    if os.name == "nt":
        return isinstance(error, NotADirectoryError)
    return error.filename == directory


def _both_ended(child: ChildProcess, output: OutputDrain, deadline: float) -> bool:
    return output.wait(deadline) and child.wait(deadline)
