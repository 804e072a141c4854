"""Exercise 12.3: bind a verdict to bytes. The task is in task.md."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol


class Files(Protocol):
    """A folder in which other programs write too."""

    def read(self, path: str) -> bytes:
        """Return what the file holds now; the next read may return other bytes."""

    def modified(self, path: str) -> float:
        """Return the time of the last change."""


@dataclass(frozen=True)
class Receipt:
    """A verdict, and the SHA-256 of the bytes that it is about."""

    path: str
    passed: bool
    sha256: str


class ReleaseRefusedError(ValueError):
    """The file is not what the receipt is about, or the verdict was no."""


def review(files: Files, path: str, check: Callable[[bytes], bool]) -> Receipt:
    """Check the file and return a receipt."""
    # TODO: right as long as nobody saves in between. Repair it.
    passed = check(files.read(path))
    return Receipt(path, passed, hashlib.sha256(files.read(path)).hexdigest())


def release(files: Files, receipt: Receipt) -> bytes:
    """Return the bytes to deliver, or raise ReleaseRefusedError."""
    # TODO: the same here, and it forgets what the receipt says.
    if hashlib.sha256(files.read(receipt.path)).hexdigest() != receipt.sha256:
        raise ReleaseRefusedError("the file changed after its review")
    return files.read(receipt.path)
