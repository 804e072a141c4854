"""Rejected by: test_a_verdict_of_no_is_never_released

An unchanged file can be an unchanged bad file. What else does the receipt say?

没变的文件也可能是没变的坏文件。回执里还写了什么？
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
    payload = files.read(receipt.path)
    if sha256(payload).hexdigest() != receipt.sha256:
        raise ReleaseRefusedError
    return payload
