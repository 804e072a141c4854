"""Attend one process until it ends: read its pipes, keep its deadline, end its session.

The end of a call is the exit of its command, not the end of its pipes: a child left
in the background holds those for as long as it likes.
"""

from __future__ import annotations

import contextlib
import io
import os
import select
import signal
import subprocess
import threading
import time
from collections.abc import Iterator

from excerpt import Stream
from fence_launch import Launch
from session_end import KILL_SECONDS

POSIX = os.name == "posix"
CHUNK_BYTES = 65_536
# A signal that comes just before poll() does not wake it, and neither does an event.
LONGEST_POLL_SECONDS = 0.05
# Without a descriptor for the exit we have to ask.
POLL_SECONDS = 0.005
# What is in the pipes of a command that has ended is read in no time, unless someone
# who left the session keeps filling them.
READ_SECONDS = 0.1


def attend(
    launch: Launch,
    stdout: Stream,
    stderr: Stream,
    deadline: float,
    cancelled: threading.Event,
) -> bool:
    """Wait for the exit of its process, then end its session; whether it was late.

    stdout, stderr: are fed with everything that was printed before the end.
    deadline: monotonic. It, `cancelled`, and whatever is raised in here (Ctrl-C),
        end the processes too.

    Its process's `returncode` is known afterwards, or None if even KILL was not
    enough. What is not ended, `Launch.end` says.
    """
    reader = _PolledReader if POSIX else _ThreadedReader
    with reader(launch.process, stdout, stderr) as pipes:
        try:
            exited = pipes.read_until_exit(deadline, cancelled)
        finally:
            # While the leader is there to name its session.
            launch.end()
            with contextlib.suppress(subprocess.TimeoutExpired):
                launch.process.wait(KILL_SECONDS)
        pipes.read_rest(time.monotonic() + READ_SECONDS)
    stdout.feed(b"", final=True)
    stderr.feed(b"", final=True)
    return not exited


@contextlib.contextmanager
def interrupt_cancels(cancelled: threading.Event) -> Iterator[None]:
    """Let Ctrl-C set `cancelled`, and raise `KeyboardInterrupt` after the block.

    Raised at once, it could come up between the start of a process and the moment
    in which anybody knows of it. Other handlers than Python's own are left alone.
    """
    in_main = threading.current_thread() is threading.main_thread()
    if not in_main or signal.getsignal(signal.SIGINT) != signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, lambda *_: cancelled.set())
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        if cancelled.is_set():
            raise KeyboardInterrupt


class _PolledReader:
    """Reads both pipes in the caller's thread while it waits for the exit (POSIX)."""

    def __init__(
        self, process: subprocess.Popen[bytes], stdout: Stream, stderr: Stream
    ) -> None:
        self._process = process
        self._streams = {
            process.stdout.fileno(): stdout,
            process.stderr.fileno(): stderr,
        }
        self._poller = select.poll()
        for descriptor in self._streams:
            os.set_blocking(descriptor, False)
            self._poller.register(descriptor, select.POLLIN)
        self._exit = _exit_descriptor(process.pid)
        if self._exit is not None:
            self._poller.register(self._exit, select.POLLIN)

    def __enter__(self) -> _PolledReader:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.stdout.close()
        self._process.stderr.close()
        if self._exit is not None:
            os.close(self._exit)

    def read_until_exit(self, deadline: float, cancelled: threading.Event) -> bool:
        """Read what comes; False when the deadline or a cancel came first."""
        longest = POLL_SECONDS if self._exit is None else LONGEST_POLL_SECONDS
        while not self._has_exited():
            remaining = deadline - time.monotonic()
            if remaining <= 0 or cancelled.is_set():
                return False
            for descriptor, _ in self._poller.poll(min(remaining, longest) * 1000):
                if descriptor != self._exit:
                    self._read(descriptor)
        return True

    def read_rest(self, deadline: float) -> None:
        """Read what is there. Nobody waits for more, and an end may never come."""
        for descriptor in list(self._streams):
            while self._read(descriptor) and time.monotonic() < deadline:
                pass

    def _read(self, descriptor: int) -> bool:
        """Read once; False when there is nothing now, or nothing any more."""
        try:
            data = os.read(descriptor, CHUNK_BYTES)
        except BlockingIOError:
            return False
        if not data:
            self._poller.unregister(descriptor)
            del self._streams[descriptor]
            return False
        self._streams[descriptor].feed(data)
        return True

    def _has_exited(self) -> bool:
        if not hasattr(os, "waitid"):
            return self._process.poll() is not None
        # It stays unreaped, so that its number does not become a stranger's.
        state = os.WEXITED | os.WNOHANG | os.WNOWAIT
        try:
            return os.waitid(os.P_PID, self._process.pid, state) is not None
        except ChildProcessError:
            return True


class _ThreadedReader:
    """Reads each pipe in a thread: pipes of Windows cannot be polled.

    As long as a descendant holds a pipe, its thread stays, and so does the pipe.
    """

    def __init__(
        self, process: subprocess.Popen[bytes], stdout: Stream, stderr: Stream
    ) -> None:
        self._process = process
        self._threads = [
            threading.Thread(target=_feed_all, args=pair, daemon=True)
            for pair in ((process.stdout, stdout), (process.stderr, stderr))
        ]

    def __enter__(self) -> _ThreadedReader:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def read_until_exit(self, deadline: float, cancelled: threading.Event) -> bool:
        """The same. The threads read; this waits."""
        while self._process.poll() is None:
            remaining = deadline - time.monotonic()
            if remaining <= 0 or cancelled.is_set():
                return False
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(min(remaining, LONGEST_POLL_SECONDS))
        return True

    def read_rest(self, deadline: float) -> None:
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))


def _feed_all(pipe: io.RawIOBase, stream: Stream) -> None:
    with pipe:
        while data := pipe.read(CHUNK_BYTES):
            stream.feed(data)


def _exit_descriptor(pid: int) -> int | None:
    """A descriptor that becomes readable when `pid` exits, where there are such."""
    if hasattr(os, "pidfd_open"):
        # An old kernel, or a filter that forbids the call.
        with contextlib.suppress(OSError):
            return os.pidfd_open(pid)
    return None
