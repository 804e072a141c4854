"""Rejected by: test_a_signal_takes_the_place_of_the_exit_code
Also: test_no_line_takes_the_place_of_another, test_the_lines_have_one_order

You tell a signal as a shell would. Which marker did the contract keep for it?

你照 shell 的习惯来写信号。契约里给信号准备的是哪个标记？
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
        lines.append(DENIED.format(outcome.denied))
    if outcome.timed_out is not None:
        lines.append(TIMED_OUT.format(outcome.timed_out))
    if outcome.signal is not None:
        lines.append(EXIT_CODE.format(128 + outcome.signal))
    elif outcome.exit_code:
        lines.append(EXIT_CODE.format(outcome.exit_code))
    return "\n".join(lines)
