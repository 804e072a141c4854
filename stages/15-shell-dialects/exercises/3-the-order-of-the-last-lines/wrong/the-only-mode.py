"""Rejected by: test_a_denial_names_its_mode

There are several modes. Which of them has refused here?

模式不止一种。这里是哪一种拒绝的？
"""

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
    stdout: str = ""
    stderr: str = ""
    exit_code: int | None = None
    signal: int | None = None
    timed_out: int | None = None
    denied: str | None = None


def render(outcome):
    lines = []
    if outcome.stdout.strip():
        lines.append(outcome.stdout.removesuffix("\n"))
    if outcome.stderr.strip():
        lines += [STDERR, outcome.stderr.removesuffix("\n")]
    if not lines:
        lines.append(NO_OUTPUT)
    if outcome.denied is not None:
        lines.append(DENIED.format("read-only"))
    if outcome.timed_out is not None:
        lines.append(TIMED_OUT.format(outcome.timed_out))
    if outcome.signal is not None:
        lines.append(SIGNAL.format(outcome.signal))
    elif outcome.exit_code:
        lines.append(EXIT_CODE.format(outcome.exit_code))
    return "\n".join(lines)
