"""Rejected by: test_a_forged_line_spares_none_of_ours

The line is there already, so you leave it out. Who has written it?

那一行已经有了，你就不写了。可那是谁写的？
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
    told = []
    if outcome.denied is not None:
        told.append(DENIED.format(outcome.denied))
    if outcome.timed_out is not None:
        told.append(TIMED_OUT.format(outcome.timed_out))
    if outcome.signal is not None:
        told.append(SIGNAL.format(outcome.signal))
    elif outcome.exit_code:
        told.append(EXIT_CODE.format(outcome.exit_code))
    printed = "\n".join(lines)
    lines += [line for line in told if line not in printed]
    return "\n".join(lines)
