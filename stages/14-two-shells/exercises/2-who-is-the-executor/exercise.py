"""Exercise 14.2: who is the executor. The task is in task.md."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

UNKNOWN = "unknown"


@dataclass(frozen=True)
class ToolContract:
    """What a tool needs, kept once, in code."""

    needs_workspace: bool


class Executor(Protocol):
    """The host and shell on which commands really run."""

    def fingerprint(self) -> dict:
        """Ask it who it is now: "host", "python" and "workspace"."""

    def run(self, command: str) -> str:
        """Run a command there, and return its output."""


class RefusedError(Exception):
    """The call is not allowed; nothing has run."""


def run_tool(
    name: str,
    command: str,
    contracts: Mapping[str, ToolContract],
    stored: dict,
    executor: Executor,
) -> str:
    """Run `command` for the tool `name`, or raise RefusedError before it runs.

    `stored` is the fingerprint that the executor gave at start.
    """
    # TODO: right on the day on which everything was wired. Repair it.
    if name == "run_on_desktop" and stored["workspace"] is None:
        raise RefusedError(f"{name} needs the workspace: {stored}")
    output = executor.run(command)
    if executor.fingerprint()["host"] != stored["host"]:
        raise RefusedError(f"{name}: this is not the executor of {stored}")
    return output
