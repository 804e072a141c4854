"""Rejected by: test_what_is_delivered_is_what_was_compared

You compared bytes and then asked for them once more. Are those you return still the
ones you compared?

你比较了一份字节，然后又读了一遍。返回的还是比较过的那一份吗？
"""

from dataclasses import dataclass
from hashlib import sha256


@dataclass(frozen=True)
class Receipt:
    path: str
    passed: bool
    sha256: str


class ReleaseRefusedError(ValueError):
    pass


def review(files, path, check):
    payload = files.read(path)
    return Receipt(path, check(payload), sha256(payload).hexdigest())


def release(files, receipt):
    now = sha256(files.read(receipt.path)).hexdigest()
    if not receipt.passed or now != receipt.sha256:
        raise ReleaseRefusedError
    return files.read(receipt.path)
