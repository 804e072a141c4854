"""Exercise 12.3: one good answer."""

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
    payload = files.read(path)
    return Receipt(path, check(payload), hashlib.sha256(payload).hexdigest())


def release(files: Files, receipt: Receipt) -> bytes:
    """Return the bytes to deliver, or raise ReleaseRefusedError."""
    if not receipt.passed:
        raise ReleaseRefusedError("the review said no")
    payload = files.read(receipt.path)
    if hashlib.sha256(payload).hexdigest() != receipt.sha256:
        raise ReleaseRefusedError("the file changed after its review")
    return payload
