"""Rejected by: test_a_change_that_keeps_time_and_length_is_refused
Also: test_the_same_bytes_are_released, test_what_is_delivered_is_what_was_compared

Copying tools and version control set times at will. Compare something that nobody can
set without having the same bytes.

复制工具和版本控制都会改时间。换一样东西来比：只要字节不同，它就不可能相同。
"""

from dataclasses import dataclass
from hashlib import sha256


@dataclass(frozen=True)
class Receipt:
    path: str
    passed: bool
    sha256: str
    time: float


class ReleaseRefusedError(ValueError):
    pass


def review(files, path, check):
    time = files.modified(path)
    payload = files.read(path)
    return Receipt(path, check(payload), sha256(payload).hexdigest(), time)


def release(files, receipt):
    if not receipt.passed or files.modified(receipt.path) != receipt.time:
        raise ReleaseRefusedError
    return files.read(receipt.path)
