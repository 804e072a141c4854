"""Exercise 15.3: the order of the last lines. The task is in task.md."""

from __future__ import annotations

from dataclasses import dataclass

NO_OUTPUT = "(no output)"
STDERR = "[stderr]"
DENIED = "[sandbox: file access denied under {} mode]"
TIMED_OUT = "[timed out after {}ms]"
SIGNAL = "[killed by signal: {}]"
EXIT_CODE = "[exit code: {}]"


@dataclass(frozen=True)
class Outcome:
    """What the Host saw of a command. None: there was no such thing.

    timed_out: the timeout in milliseconds, if it was over first. denied: the mode
    that refused a file effect.
    """

    stdout: str = ""
    stderr: str = ""
    exit_code: int | None = None
    signal: int | None = None
    timed_out: int | None = None
    denied: str | None = None


def render(outcome: Outcome) -> str:
    """Return the body, then one line each for a denial, a timeout and the end."""
    # TODO: right for a command that prints a line and fails.
    body = outcome.stdout + outcome.stderr
    return body + EXIT_CODE.format(outcome.exit_code)
