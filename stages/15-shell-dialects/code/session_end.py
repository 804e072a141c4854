"""End a session: all that a call has left behind, in whatever process group it is.

A shell with job control (`set -m`) and programs such as `timeout` put what they start
into a process group of its own, where a signal to the shell's group misses it. It
stays in the session, and Linux tells of every process in which session it is.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
from collections.abc import Callable

KILL_SECONDS = 5.0
PROCESSES = "/proc"


def end_session(leader: int) -> None:
    """Kill the group of `leader` at once, and then what else is in its session.

    leader: made the session, and is not reaped, so that its number is no stranger's.

    Not promised: to end what moved to a session of its own, or runs as another user;
    where there is no /proc, what moved to a group of its own; and what forks so fast
    that it is another process whenever somebody looks.
    """
    end_group(leader)
    deadline = time.monotonic() + KILL_SECONDS
    ended = {leader}
    # What was listed may have forked before it was killed.
    while (new := _members(leader) - ended) and time.monotonic() < deadline:
        for number in new:
            _kill(os.kill, number)
        ended |= new


def end_group(leader: int) -> None:
    """Kill the group of `leader`, which is not reaped, and nothing else."""
    _kill(os.killpg, leader)


def await_exit(number: int) -> None:
    """Wait a while for the exit of any process, where the system lets us (Linux 5.3).

    Of one that is gone already the number may be a stranger's, which costs the while.
    """
    with contextlib.suppress(AttributeError, OSError):
        descriptor = os.pidfd_open(number)
        try:
            poller = select.poll()
            poller.register(descriptor, select.POLLIN)
            poller.poll(KILL_SECONDS * 1000)
        finally:
            os.close(descriptor)


def _members(session: int) -> set[int]:
    """The processes in this session, as far as the system lists any."""
    try:
        listed = [int(name) for name in os.listdir(PROCESSES) if name.isdigit()]
    except OSError:
        return set()
    members = set()
    for number in listed:
        try:
            if os.getsid(number) == session:
                members.add(number)
        except OSError:
            continue  # it has ended meanwhile
    return members


def _kill(send: Callable[[int, int], None], number: int) -> None:
    # It has ended, is a zombie (macOS), or runs as another user.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        send(number, signal.SIGKILL)
