"""Read two pipes to their end at the same time and keep the beginning of each.

A child that fills one pipe stands still until somebody reads it. So each pipe has
a thread of its own, which keeps what fits, goes on reading, and forgets the rest.
"""

from __future__ import annotations

import codecs
import os
import select
import threading
import time
from io import RawIOBase

CHUNK_BYTES = 65_536
_CAN_WAKE = os.name == "posix"


class Capture(threading.Thread):
    """One pipe: reads it to its end and keeps the first `limit` bytes.

    `complete` says that the end of file was reached, `truncated` that there was
    more than was kept. Exactly `limit` bytes are not truncated.
    """

    def __init__(self, pipe: RawIOBase, limit: int, wake: int | None) -> None:
        # A reader that Windows cannot wake must not keep the interpreter alive.
        super().__init__(daemon=True)
        self.complete = False
        self.truncated = False
        self._kept = bytearray()
        self._pipe = pipe
        self._limit = limit
        self._wake = wake

    def run(self) -> None:
        buffer = memoryview(bytearray(CHUNK_BYTES))
        with self._pipe as pipe:
            wait = self._waiter()
            while wait():
                count = pipe.readinto(buffer)
                if count == 0:
                    self.complete = True
                    return
                if count is not None:
                    self._keep(buffer[:count])

    def text(self) -> str:
        """Return what was kept as UTF-8, with U+FFFD for bytes that are none.

        The whole buffer is decoded at once, so a character that arrived in two
        reads stays one; a character that the limit cut is left out.
        """
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        return decoder.decode(bytes(self._kept), final=not self.truncated)

    def _keep(self, data: memoryview) -> None:
        if self.truncated:
            return
        room = self._limit - len(self._kept)
        self._kept += data[:room]
        self.truncated = len(data) > room

    def _waiter(self):
        """Return a function that waits for data; it returns False when woken."""
        if self._wake is None:
            return lambda: True
        # Closing a pipe does not wake a thread that is blocked in reading it, so
        # nobody blocks in a read: another process can empty the pipe after poll().
        os.set_blocking(self._pipe.fileno(), False)
        poller = select.poll()
        poller.register(self._pipe.fileno(), select.POLLIN)
        poller.register(self._wake, select.POLLIN)
        wake = self._wake
        return lambda: all(ready != wake for ready, _ in poller.poll())


class OutputDrain:
    """Two captures, started together, that can be waited for and stopped."""

    def __init__(self, stdout: RawIOBase, stderr: RawIOBase, limit: int) -> None:
        wake, self._wake_writer = os.pipe() if _CAN_WAKE else (None, None)
        self._wake = wake
        self.stdout = Capture(stdout, limit, wake)
        self.stderr = Capture(stderr, limit, wake)
        self._captures = (self.stdout, self.stderr)
        try:
            for capture in self._captures:
                capture.start()
        except RuntimeError:
            self.stop()
            raise

    def wait(self, deadline: float) -> bool:
        for capture in self._captures:
            capture.join(max(0.0, deadline - time.monotonic()))
        return self.stdout.complete and self.stderr.complete

    def stop(self) -> bool:
        if _CAN_WAKE:
            os.close(self._wake_writer)
            for capture in self._captures:
                if capture.ident is not None:
                    capture.join()
            os.close(self._wake)
        return not any(c.is_alive() for c in self._captures)
