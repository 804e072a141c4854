"""Rejected by: test_exactly_the_limit_is_not_truncated

Being full is not the same as having left something out. Which of the two can you see
from what was kept, and which only from what was read?

装满了和丢掉了是两回事。哪一个从保留的内容就看得出，哪一个要看读到的内容？
"""

import codecs
from dataclasses import dataclass


@dataclass
class Output:
    stdout: str = ""
    stderr: str = ""
    stdout_truncated: bool = False
    stderr_truncated: bool = False


def drain(pipes, limit):
    kept = {"stdout": b"", "stderr": b""}
    cut = {"stdout": False, "stderr": False}
    while ready := pipes.wait():
        for name in ready:
            piece = pipes.read(name)
            room = limit - len(kept[name])
            kept[name] += piece[:room]
            cut[name] |= len(kept[name]) >= limit
    return Output(
        decode(kept["stdout"], cut["stdout"]),
        decode(kept["stderr"], cut["stderr"]),
        cut["stdout"],
        cut["stderr"],
    )


def decode(kept, cut):
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    return decoder.decode(kept, final=not cut)
