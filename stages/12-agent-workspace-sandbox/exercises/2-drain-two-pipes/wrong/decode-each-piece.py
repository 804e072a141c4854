"""Rejected by: test_a_character_split_between_two_reads_stays_whole

A read ends where 4,096 bytes end, and that may be inside a character. Keep bytes for
as long as bytes arrive.

一次读取在第 4,096 个字节处结束，那里可能正好在一个字符中间。字节还没收完，就先按字节保存。
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
    text = {"stdout": "", "stderr": ""}
    count = {"stdout": 0, "stderr": 0}
    cut = {"stdout": False, "stderr": False}
    while ready := pipes.wait():
        for name in ready:
            piece = pipes.read(name)
            room = max(0, limit - count[name])
            count[name] += len(piece)
            cut[name] |= len(piece) > room
            decoder = codecs.getincrementaldecoder("utf-8")("replace")
            text[name] += decoder.decode(piece[:room], final=len(piece) <= room)
    return Output(text["stdout"], text["stderr"], cut["stdout"], cut["stderr"])
