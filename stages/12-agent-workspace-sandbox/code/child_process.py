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
from collections.abc import Mapping, Sequence
from pathlib import Path

POSIX = os.name == "posix"
_FIRST_SLEEP = 0.0005
_LONGEST_SLEEP = 0.02


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
            poller = select.poll()
            poller.register(self._exit_event, select.POLLIN)
            remaining = max(0.0, deadline - time.monotonic())
            return bool(poller.poll(remaining * 1000))
        if hasattr(os, "waitid"):
            return self._wait_by_asking(deadline)
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
        else:
            self._process.kill()
        exited = self.wait(deadline)
        # Once the child is reaped, the group's number may become a stranger's.
        self._ended = True
        return self._reap() if exited else None

    def _signal_group(self, number: signal.Signals) -> None:
        # Nobody is left, or (macOS) only a zombie, or a program that runs as
        # another user: nothing more can be done about any of them.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._group, number)

    def _reap(self) -> int | None:
        # Popen reports 0 for a child that somebody else has reaped.
        lost = hasattr(os, "waitid") and _has_exited(self._process.pid) is None
        returncode = self._process.wait()
        return None if lost else returncode

    def _wait_by_asking(self, deadline: float) -> bool:
        pause = _FIRST_SLEEP
        while _has_exited(self._process.pid) is False:
            remaining = deadline - time.monotonic()
            if remaining <= 0:
                return False
            time.sleep(min(pause, remaining))
            pause = min(pause * 2, _LONGEST_SLEEP)
        return True


def _exit_event(pid: int) -> int | None:
    """Return a descriptor that becomes readable when `pid` exits (Linux 5.3)."""
    if hasattr(os, "pidfd_open"):
        # An older kernel, or a filter that forbids the call: ask again and again.
        with contextlib.suppress(OSError):
            return os.pidfd_open(pid)
    return None


def _has_exited(pid: int) -> bool | None:
    """Whether our child `pid` has exited, leaving it unreaped; None: not ours."""
    try:
        state = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return None
    return state is not None
