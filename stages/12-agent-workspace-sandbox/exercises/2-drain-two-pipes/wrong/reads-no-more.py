"""Rejected by: test_the_child_is_read_to_its_end
Also: test_each_pipe_has_a_limit_of_its_own,
    test_exactly_the_limit_is_not_truncated,
    test_a_character_cut_by_the_limit_is_dropped,
    test_bytes_that_are_no_text_stay_visible

A pipe that has something is named again and again, until somebody takes it. What do you
do with a pipe of which you have kept enough?

有东西的管道会一再被点名，直到有人把它读走。哪根管道你已经留够了，接下来拿它怎么办？
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
            if len(kept[name]) <= limit:
                kept[name] += pipes.read(name)
            cut[name] = len(kept[name]) > limit
    return Output(
        decode(kept["stdout"][:limit], cut["stdout"]),
        decode(kept["stderr"][:limit], cut["stderr"]),
        cut["stdout"],
        cut["stderr"],
    )


def decode(kept, cut):
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    return decoder.decode(kept, final=not cut)
