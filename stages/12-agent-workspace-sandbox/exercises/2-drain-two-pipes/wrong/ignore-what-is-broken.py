"""Rejected by: test_bytes_that_are_no_text_stay_visible

Only the end that your limit cut may be left out in silence. What happens here to a
broken byte in the middle?

只有被你的上限切断的末尾才可以不声不响地去掉。中间有一个坏字节时，这里会怎么样？
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
    return kept.decode("utf-8", "ignore")
