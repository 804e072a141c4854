"""Exercise 12.2: drain two pipes. The task is in task.md."""

from __future__ import annotations

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
    # TODO: this reads one pipe only, and one piece of it.
    return Output(stdout=pipes.read("stdout").decode())
