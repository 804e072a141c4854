"""Exercise 12.2: one good answer."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from typing import Protocol


class Pipes(Protocol):
    """The two pipes `"stdout"` and `"stderr"` of one running child."""

    def wait(self) -> list[str]:
        """Wait; name the pipes that can be read now. Empty: both have ended."""

    def read(self, name: str) -> bytes:
        """Return up to 4,096 bytes, waiting for them; `b""` says it has ended."""


@dataclass
class Output:
    """What was kept of both streams, and whether something was left out."""

    stdout: str = ""
    stderr: str = ""
    stdout_truncated: bool = False
    stderr_truncated: bool = False


def drain(pipes: Pipes, limit: int) -> Output:
    """Read both pipes to their end; keep the first `limit` bytes of each."""
    kept = {"stdout": b"", "stderr": b""}
    truncated = {"stdout": False, "stderr": False}
    while ready := pipes.wait():
        for name in ready:
            piece = pipes.read(name)
            room = limit - len(kept[name])
            kept[name] += piece[:room]
            truncated[name] |= len(piece) > room
    return Output(
        _decode(kept["stdout"], truncated["stdout"]),
        _decode(kept["stderr"], truncated["stderr"]),
        truncated["stdout"],
        truncated["stderr"],
    )


def _decode(kept: bytes, cut: bool) -> str:
    # Told that more could follow, the decoder holds a half character back; told
    # that nothing follows, it shows the half as U+FFFD.
    return codecs.getincrementaldecoder("utf-8")("replace").decode(kept, final=not cut)
