"""Rejected by: test_the_child_is_read_to_its_end

You have what you want to keep. The child does not know that, and goes on writing into
a pipe that nobody reads.

你想保留的已经拿到了，可子进程并不知道，它还在往没人读的管道里写。
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
            cut[name] |= len(piece) > room
        if any(cut.values()):
            break
    return Output(
        decode(kept["stdout"], cut["stdout"]),
        decode(kept["stderr"], cut["stderr"]),
        cut["stdout"],
        cut["stderr"],
    )


def decode(kept, cut):
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    return decoder.decode(kept, final=not cut)
