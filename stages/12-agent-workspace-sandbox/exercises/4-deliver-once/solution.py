"""Exercise 12.4: one good answer."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path


def deliver(chunks: Iterable[bytes], destination: Path) -> None:
    """Write `chunks` to a new file at `destination`."""
    # Outside the `try`: when "x" refuses, the file there is somebody else's, and
    # the clean-up below must not touch it.
    file = destination.open("xb")
    try:
        with file:
            for chunk in chunks:
                file.write(chunk)
    except BaseException:
        # Closed by now, without which Windows would not remove it.
        destination.unlink()
        raise
