"""Rejected by: test_every_byte_counts

Before taking the digest you make two different files alike. The reader will get the
file and not its tidied text.

算摘要之前，你先把两份不同的文件变得一样了。收件人拿到的是文件本身，不是整理过的文本。
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


def digest(payload):
    return sha256("\n".join(payload.decode().splitlines()).encode()).hexdigest()


def review(files, path, check):
    payload = files.read(path)
    return Receipt(path, check(payload), digest(payload))


def release(files, receipt):
    payload = files.read(receipt.path)
    if not receipt.passed or digest(payload) != receipt.sha256:
        raise ReleaseRefusedError
    return payload
