"""Hold a signal back while a process is being created or ended.

Python lets a signal's handler raise between any two steps of the main thread, as that
of Ctrl-C does. Between the system's creating a process and our knowing its number,
that would leave a process behind that nobody can name; in the middle of a clean-up,
half of one. Only a handler of our own can wait there: a signal that is blocked in the
main thread goes to another thread, and would stay blocked in the child.
"""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Callable, Iterator
from types import FrameType


class InterruptGuard:
    """Within the block a signal waits, except where it is `admitted`.

    What has waited is delivered to the handler that was there before, at the end
    of the block at the latest. Elsewhere than in the main thread, or where no
    function of Python handles the signal, there is nothing to hold back.
    """

    def __init__(self, number: signal.Signals) -> None:
        self._number = number
        self._before: Callable[[int, FrameType | None], object] | None = None
        self._holding = True
        self._waiting = False

    def __enter__(self) -> InterruptGuard:
        before = signal.getsignal(self._number)
        if callable(before):
            self._before = before
            try:
                signal.signal(self._number, self._handle)
            except ValueError:
                # Not the main thread: no handler is ever called in this one.
                self._before = None
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            found = signal.signal(self._number, self._before)
            if found != self._handle:
                # A handler that was called meanwhile has installed another.
                signal.signal(self._number, found)
            self._deliver()

    @contextlib.contextmanager
    def admitted(self) -> Iterator[None]:
        """A part of the block in which the signal comes through at once."""
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
        while self._waiting:  # the next can come while a handler is at work
            # If the handler raises, the clean-up that follows must not be disturbed.
            holding, self._holding = self._holding, True
            self._waiting = False
            self._before(self._number, frame)
            self._holding = holding
