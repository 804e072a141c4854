"""Rejected by: test_a_full_second_pipe_does_not_stop_the_child

While you wait for the end of one pipe, who empties the other? Let `wait` say where
something can be read.

你等一根管道结束的时候，另一根由谁来读？让 `wait` 告诉你哪里有东西可读。
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
    for name in ("stdout", "stderr"):
        while piece := pipes.read(name):
            room = limit - len(kept[name])
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
