"""Exercise 14.2: one good answer."""

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
    """Run `command` for the tool `name`, or raise RefusedError before it runs."""
    if name not in contracts:
        raise RefusedError(f"{name} has no contract; give it one")
    now = executor.fingerprint()
    host = now["host"]
    # Two executors that cannot tell who they are need not be the same.
    if host == UNKNOWN or host != stored["host"]:
        raise RefusedError(
            f"{name}: the executor is {host}, not {stored['host']}; check the wiring"
        )
    if contracts[name].needs_workspace and not now["workspace"]:
        raise RefusedError(
            f"{name} needs the workspace, but {host} has none; check the wiring"
        )
    return executor.run(command)
