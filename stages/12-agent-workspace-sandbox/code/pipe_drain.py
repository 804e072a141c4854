"""Read two pipes to their end at the same time and keep the beginning of each.

A child that fills one pipe stands still until somebody reads it, so whichever of the
two holds something is read. Each reader keeps what fits, goes on, and forgets the
rest.
"""

from __future__ import annotations

import codecs
import os
import select
import threading
import time
from io import RawIOBase

LONGEST_POLL_SECONDS = 0.2


def new_chunk() -> memoryview:
    """One buffer for a whole run: what is thrown away is never copied."""
    return memoryview(bytearray(65_536))


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

    def read(self, chunk: memoryview) -> None:
        """Read once into `chunk`, and keep what fits; there may be nothing to read."""
        count = self._pipe.readinto(chunk)
        if count == 0:
            self.complete = True
        elif count and not self.truncated:
            room = self._limit - len(self._kept)
            self._kept += chunk[: min(count, room)]
            self.truncated = count > room

    def read_to_end(self) -> None:
        """Read until the end of file, which nothing can end earlier, and close."""
        chunk = new_chunk()
        with self._pipe:
            while not self.complete:
                self.read(chunk)

    def text(self) -> str:
        """Return what was kept as UTF-8, with U+FFFD for bytes that are not.

        The whole is decoded at once, so a character that came in two reads stays
        one. A character that the limit cut in two is left out.
        """
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        return decoder.decode(bytes(self._kept), final=not self.truncated)

    def close(self) -> None:
        self._pipe.close()


class PolledDrain:
    """Drains stdout and stderr in the caller's thread, while it waits (POSIX).

    There is no thread that could fail to start or would have to be woken. Nobody
    reads between two calls of `wait`. Leaving the block closes both pipes.
    """

    def __init__(self, stdout: RawIOBase, stderr: RawIOBase, limit: int) -> None:
        self.stdout = PipeCapture(stdout, limit)
        self.stderr = PipeCapture(stderr, limit)
        self._open = {stdout.fileno(): self.stdout, stderr.fileno(): self.stderr}
        self._chunk = new_chunk()
        # poll() takes descriptors above 1023, select() does not.
        self._poller = select.poll()
        for descriptor in self._open:
            # Somebody else can empty the pipe between poll() and read().
            os.set_blocking(descriptor, False)
            self._poller.register(descriptor, select.POLLIN)

    def __enter__(self) -> PolledDrain:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def wait(self, deadline: float) -> bool:
        """Drain until the monotonic `deadline`; whether both pipes have ended."""
        while self._open:
            remaining = deadline - time.monotonic()
            if remaining <= 0:
                return False
            # A signal that comes just before poll() does not wake it, so that its
            # handler would not be called before something else happens.
            pause = min(remaining, LONGEST_POLL_SECONDS)
            for descriptor, _ in self._poller.poll(pause * 1000):
                self._open[descriptor].read(self._chunk)
                if self._open[descriptor].complete:
                    self._poller.unregister(descriptor)
                    del self._open[descriptor]
        return True

    def stop(self) -> bool:
        """Close both pipes; True: nobody reads any longer."""
        self.stdout.close()
        self.stderr.close()
        return True


class ThreadedDrain:
    """Drains stdout and stderr in a thread each: pipes of Windows cannot be polled.

    Raises `RuntimeError` when a thread cannot be started. Leaving the block closes
    the pipes that have ended. A blocked read cannot be woken, so as long as a
    descendant holds a pipe, its (daemon) thread and descriptor stay.
    """

    def __init__(self, stdout: RawIOBase, stderr: RawIOBase, limit: int) -> None:
        self.stdout = PipeCapture(stdout, limit)
        self.stderr = PipeCapture(stderr, limit)
        self._readers = {
            capture: threading.Thread(target=capture.read_to_end, daemon=True)
            for capture in (self.stdout, self.stderr)
        }
        try:
            for thread in self._readers.values():
                thread.start()
        except RuntimeError:
            self.stop()
            raise

    def __enter__(self) -> ThreadedDrain:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def wait(self, deadline: float) -> bool:
        """Wait until the monotonic `deadline`; whether both pipes have ended."""
        for thread in self._readers.values():
            thread.join(max(0.0, deadline - time.monotonic()))
        return self.stdout.complete and self.stderr.complete

    def stop(self) -> bool:
        """Close what nobody reads any longer; whether that is both pipes."""
        stopped = [c for c, thread in self._readers.items() if not thread.is_alive()]
        for capture in stopped:
            capture.close()
        return len(stopped) == len(self._readers)


OutputDrain = PolledDrain if os.name == "posix" else ThreadedDrain
