"""Read two pipes to their end at the same time and keep the beginning of each.

A child that fills one pipe stands still until somebody reads it, so the two are
read by two threads: stdout by one of its own, stderr by the caller's while it
waits. Each keeps what fits, goes on reading, and forgets the rest.
"""

from __future__ import annotations

import codecs
import os
import select
import threading
import time
from collections.abc import Callable
from io import RawIOBase

CHUNK_BYTES = 65_536
POSIX = os.name == "posix"


class PipeCapture:
    """One pipe and the first `limit` bytes that came out of it.

    `complete` says that the end of file was reached, `truncated` that more came
    than was kept: exactly `limit` bytes are not truncated.
    """

    def __init__(self, pipe: RawIOBase, limit: int) -> None:
        self.complete = False
        self.truncated = False
        self._pipe = pipe
        self._limit = limit
        self._kept = bytearray()
        # One buffer for the whole run: what is thrown away is never copied.
        self._chunk = memoryview(bytearray(CHUNK_BYTES))

    def read_until_woken(self, wake: int) -> None:
        """Read until the end of file, or until `wake` can be read or is closed.

        Closing a pipe does not wake a thread that is blocked in reading it, hence
        the second descriptor. It goes first, or a flood would drown it.
        """
        poller = self._poller()
        poller.register(wake, select.POLLIN)
        while not self.complete:
            if any(ready == wake for ready, _ in poller.poll()):
                return
            self._read()

    def read_until(self, deadline: float) -> None:
        """Read until the end of file or the monotonic `deadline`, in seconds."""
        poller = self._poller()
        while not self.complete:
            remaining = deadline - time.monotonic()
            if remaining <= 0 or not poller.poll(remaining * 1000):
                return
            self._read()

    def read_blocking(self) -> None:
        """Read until the end of file; nothing can end this earlier."""
        with self._pipe:
            while not self.complete:
                self._read()

    def text(self) -> str:
        """Return what was kept as UTF-8, with U+FFFD for bytes that are not.

        The whole is decoded at once, so a character that came in two reads stays
        one. A character that the limit cut in two is left out.
        """
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        return decoder.decode(bytes(self._kept), final=not self.truncated)

    def close(self) -> None:
        self._pipe.close()

    def _poller(self) -> select.poll:
        # poll() takes descriptors above 1023, select() does not. Somebody else can
        # empty the pipe between poll() and read(), so read() must not block.
        os.set_blocking(self._pipe.fileno(), False)
        poller = select.poll()
        poller.register(self._pipe, select.POLLIN)
        return poller

    def _read(self) -> None:
        count = self._pipe.readinto(self._chunk)
        if count == 0:
            self.complete = True
        elif count and not self.truncated:
            room = self._limit - len(self._kept)
            self._kept += self._chunk[: min(count, room)]
            self.truncated = count > room


class OutputDrain:
    """Drains a child's stdout and stderr; leaving the block stops and closes both.

    Raises `RuntimeError` when no thread can be started and `OSError` when no
    descriptor is left; both pipes are closed then.

    Does not end a reader on Windows, where a blocked read cannot be woken: as long
    as a descendant holds a pipe, its (daemon) thread and descriptor stay.
    """

    def __init__(self, stdout: RawIOBase, stderr: RawIOBase, limit: int) -> None:
        self.stdout = PipeCapture(stdout, limit)
        self.stderr = PipeCapture(stderr, limit)
        self._threads: list[threading.Thread] = []
        self._wake: tuple[int, int] | None = None
        try:
            if POSIX:
                self._wake = os.pipe()
                self._start(self.stdout.read_until_woken, self._wake[0])
            else:
                self._start(self.stdout.read_blocking)
                self._start(self.stderr.read_blocking)
        except BaseException:
            self.stop()
            raise

    def __enter__(self) -> OutputDrain:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def wait(self, deadline: float) -> bool:
        """Drain until the monotonic `deadline`; whether both pipes have ended."""
        if POSIX:
            self.stderr.read_until(deadline)
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        return self.stdout.complete and self.stderr.complete

    def stop(self) -> bool:
        """End the readers, at the end of file or before; whether they have ended."""
        if self._wake:
            reader, writer = self._wake
            self._wake = None
            os.close(writer)
            for thread in self._threads:
                if thread.ident is not None:
                    thread.join()
            os.close(reader)
        ended = not any(thread.is_alive() for thread in self._threads)
        if ended:
            self.stdout.close()
            self.stderr.close()
        return ended

    def _start(self, read: Callable[..., None], *arguments: int) -> None:
        thread = threading.Thread(target=read, args=arguments, daemon=True)
        # Known before it runs: an interrupt can come while start() waits for it.
        self._threads.append(thread)
        thread.start()
