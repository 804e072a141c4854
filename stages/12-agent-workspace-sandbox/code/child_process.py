"""A child process together with the group it leads: started, awaited, ended.

On POSIX the child leads a new session, so all that it starts is in its process
group unless it leaves on purpose, and none of them can reach the terminal.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

POSIX = os.name == "posix"
_FIRST_SLEEP = 0.0005
_LONGEST_SLEEP = 0.02
_LONGEST_POLL = 0.2


class ChildProcess:
    """A running program, its two output pipes, and its process group.

    Leaving the block ends the group and reaps the child, whatever has happened;
    that takes at most `grace_seconds`. Raises `OSError` when nothing was started.

    Does not end a process that left the group, nor on Windows any but the child
    itself (that would take a Job Object). Does not wait until the killed members
    of the group are gone: they belong to init, which reaps them when it likes.
    """

    def __init__(
        self,
        program: Path,
        arguments: Sequence[str],
        *,
        cwd: Path,
        environment: Mapping[str, str],
        grace_seconds: float,
    ) -> None:
        command: list[str] | list[bytes] = [str(program), *arguments]
        variables: Mapping[str, str] | Mapping[bytes, bytes] = environment
        if POSIX:
            # The child gets UTF-8, also where the Host's own locale is another.
            command = [os.fsencode(program), *(a.encode("utf-8") for a in arguments)]
            variables = {
                name.encode("utf-8"): value.encode("utf-8")
                for name, value in environment.items()
            }
        self._process = subprocess.Popen(
            command,
            cwd=cwd,
            env=variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=POSIX,
        )
        # The leader's pid names the group as long as one member lives, also when
        # the leader is gone and getpgid() no longer knows it.
        self._group = self._process.pid
        self._grace_seconds = grace_seconds
        self._ended = False
        self._lost = False
        self._exit_event = _exit_event(self._process.pid)
        self.stdout = self._process.stdout
        self.stderr = self._process.stderr

    def __enter__(self) -> ChildProcess:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self.end(time.monotonic() + self._grace_seconds)
        finally:
            if self._exit_event is not None:
                os.close(self._exit_event)

    def wait(self, deadline: float) -> bool:
        """Wait until the child exits or the monotonic `deadline`; whether it has.

        The child stays unreaped where `os.waitid` exists, so that the number of
        its group cannot become that of a stranger before the group is signalled.
        """
        if self._exit_event is not None:
            return self._wait_for_event(deadline)
        if POSIX:
            return _ask_until(self._has_exited, deadline)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(max(0.0, deadline - time.monotonic()))
        return self._process.returncode is not None

    def terminate(self) -> None:
        """Ask the group to end. A process may ignore this, so `end` must follow."""
        if POSIX:
            self._signal_group(signal.SIGTERM)

    def end(self, deadline: float) -> int | None:
        """Kill the group, then reap the child; None: no exit by `deadline`.

        A negative number is the signal that ended the child. None is also returned
        when somebody else in this process has taken the exit status.
        """
        if self._ended:
            return None
        if POSIX:
            self._signal_group(signal.SIGKILL)
            _ask_until(self._is_reaped, deadline)
        else:
            self._process.kill()
            self.wait(deadline)
        # Once the child is reaped, the group's number may become a stranger's.
        self._ended = True
        return None if self._lost else self._process.returncode

    def _signal_group(self, number: signal.Signals) -> None:
        # Nobody is left, or (macOS) only a zombie, or a program that runs as
        # another user: nothing more can be done about any of them.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._group, number)

    def _wait_for_event(self, deadline: float) -> bool:
        poller = select.poll()
        poller.register(self._exit_event, select.POLLIN)
        while True:
            remaining = max(0.0, deadline - time.monotonic())
            # A signal that comes just before poll() does not wake it.
            if poller.poll(min(remaining, _LONGEST_POLL) * 1000):
                return True
            if not remaining:
                return False

    def _has_exited(self) -> bool:
        if not hasattr(os, "waitid"):
            return self._is_reaped()
        state = os.WEXITED | os.WNOHANG | os.WNOWAIT
        try:
            return os.waitid(os.P_PID, self._process.pid, state) is not None
        except ChildProcessError:
            return True

    def _is_reaped(self) -> bool:
        """Reap the child if that needs no waiting; whether it is reaped.

        One that has exited can still have to be waited for: while it is traced, its
        tracer comes first, and that may be a process which left the group.
        """
        if self._process.returncode is None:
            try:
                pid, status = os.waitpid(self._process.pid, os.WNOHANG)
            except ChildProcessError:
                # Somebody else in this process was faster; Popen would make it a 0.
                self._lost = True
                self._process.poll()
            else:
                if pid:
                    self._process.returncode = os.waitstatus_to_exitcode(status)
        return self._process.returncode is not None


def _exit_event(pid: int) -> int | None:
    """Return a descriptor that becomes readable when `pid` exits (Linux 5.3)."""
    if hasattr(os, "pidfd_open"):
        # An older kernel, or a filter that forbids the call: ask again and again.
        with contextlib.suppress(OSError):
            return os.pidfd_open(pid)
    return None


def _ask_until(answer: Callable[[], bool], deadline: float) -> bool:
    """Ask until the answer is yes or the deadline has passed; the last answer."""
    pause = _FIRST_SLEEP
    while not answer():
        remaining = deadline - time.monotonic()
        if remaining <= 0:
            return False
        time.sleep(min(pause, remaining))
        pause = min(pause * 2, _LONGEST_SLEEP)
    return True
