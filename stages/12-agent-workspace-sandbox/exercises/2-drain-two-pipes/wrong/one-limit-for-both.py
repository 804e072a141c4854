"""Rejected by: test_each_pipe_has_a_limit_of_its_own

A program that says much on one pipe should not silence itself on the other. What is the
room that you work out for a piece taken from?

一个程序在一根管道上说得多，不该让它在另一根上没法开口。每读到一块，你算出的剩余空间是从哪里扣的？
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
            room = limit - len(kept["stdout"]) - len(kept["stderr"])
            kept[name] += piece[:room]
            cut[name] |= len(piece) > room
    return Output(
        decode(kept["stdout"], cut["stdout"]),
        decode(kept["stderr"], cut["stderr"]),
        cut["stdout"],
        cut["stderr"],
    )


def decode(kept, cut):
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    return decoder.decode(kept, final=not cut)
