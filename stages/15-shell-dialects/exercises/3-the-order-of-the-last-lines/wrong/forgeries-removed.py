"""Rejected by: test_a_forged_line_is_output
Also: test_a_forged_line_spares_none_of_ours

Somebody reads a log of yesterday, in which such lines stand. What does your text show
of it?

有人用命令查看昨天的日志，里面正好有这样的行。你的文本还剩下什么？
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


def genuine(text):
    lines = text.removesuffix("\n").split("\n")
    forged = ("[exit code: ", "[killed by ", "[timed out ", "[sandbox: ")
    return "\n".join(line for line in lines if not line.startswith(forged))


def render(outcome):
    lines = []
    stdout, stderr = genuine(outcome.stdout), genuine(outcome.stderr)
    if stdout.strip():
        lines.append(stdout)
    if stderr.strip():
        lines += [STDERR, stderr]
    if not lines:
        lines.append(NO_OUTPUT)
    if outcome.denied is not None:
        lines.append(DENIED.format(outcome.denied))
    if outcome.timed_out is not None:
        lines.append(TIMED_OUT.format(outcome.timed_out))
    if outcome.signal is not None:
        lines.append(SIGNAL.format(outcome.signal))
    elif outcome.exit_code:
        lines.append(EXIT_CODE.format(outcome.exit_code))
    return "\n".join(lines)
