"""Rejected by: test_a_character_cut_by_the_limit_is_dropped

The replacement sign at the end says that the child wrote something broken. Did it, or
was it your limit?

末尾的替换符号是在说子进程写了坏数据。真是它写坏的，还是你的上限切坏的？
"""

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
    return Output(
        decode(kept["stdout"], cut["stdout"]),
        decode(kept["stderr"], cut["stderr"]),
        cut["stdout"],
        cut["stderr"],
    )


def decode(kept, cut):
    return kept.decode("utf-8", "replace")
