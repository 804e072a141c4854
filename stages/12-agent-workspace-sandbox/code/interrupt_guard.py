"""Hold a Ctrl-C back while a process is being created or ended.

Python raises `KeyboardInterrupt` between any two steps of the main thread. Between
the system's creating a process and our knowing its number, that would leave a
process behind that nobody can name; in the middle of a clean-up, half of one.
"""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType


class InterruptGuard:
    """Within the block SIGINT waits, except where it is `admitted`.

    What has waited is delivered to the handler that was there before, at the end
    of the block at the latest. Elsewhere than in the main thread, or where SIGINT
    is ignored, there is nothing to hold back. Does not hold back what the handlers
    of other signals raise.
    """

    def __init__(self) -> None:
        self._before: Callable[[int, FrameType | None], object] | None = None
        self._holding = True
        self._waiting = False

    def __enter__(self) -> InterruptGuard:
        before = signal.getsignal(signal.SIGINT)
        if threading.current_thread() is threading.main_thread() and callable(before):
            self._before = before
            signal.signal(signal.SIGINT, self._handle)
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
            self._deliver()

    @contextlib.contextmanager
    def admitted(self) -> Iterator[None]:
        """A part of the block in which an interrupt comes through at once."""
        self._holding = False
        self._deliver()
        try:
            yield
        finally:
            self._holding = True

    def _handle(self, number: int, frame: FrameType | None) -> None:
        self._waiting = True
        if not self._holding:
            self._deliver(frame)

    def _deliver(self, frame: FrameType | None = None) -> None:
        if self._waiting:
            # If the handler raises, the clean-up that follows must not be disturbed.
            holding, self._holding = self._holding, True
            self._waiting = False
            self._before(signal.SIGINT, frame)
            self._holding = holding
