"""Exercise 12.4: deliver without overwriting. The task is in task.md."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path


def deliver(chunks: Iterable[bytes], destination: Path) -> None:
    """Write `chunks` to a new file at `destination`.

    Raises FileExistsError when something has that name already, and lets an error
    of `chunks` through. Afterwards the file is complete, or nothing of ours is left.
    """
    # TODO: this overwrites, and it leaves half a file when `chunks` fails.
    with destination.open("wb") as file:
        for chunk in chunks:
            file.write(chunk)
