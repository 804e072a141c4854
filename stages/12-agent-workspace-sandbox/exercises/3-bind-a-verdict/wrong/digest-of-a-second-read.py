"""Rejected by: test_verdict_and_digest_are_about_the_same_bytes

Count how often a review opens the file. What may have happened between the first time
and the second?

数一数一次检查读了几遍文件。第一遍和第二遍之间可能发生了什么？
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
    passed = check(files.read(path))
    return Receipt(path, passed, sha256(files.read(path)).hexdigest())


def release(files, receipt):
    payload = files.read(receipt.path)
    if not receipt.passed or sha256(payload).hexdigest() != receipt.sha256:
        raise ReleaseRefusedError
    return payload
