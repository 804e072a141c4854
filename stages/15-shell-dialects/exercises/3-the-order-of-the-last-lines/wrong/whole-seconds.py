"""Rejected by: test_a_timeout_is_told_in_milliseconds
Also: test_no_line_takes_the_place_of_another, test_the_lines_have_one_order,
    test_a_forged_line_spares_none_of_ours

Seconds are easier to read. What becomes of half a second?

秒读起来方便。半秒会变成什么？
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
        lines.append(f"[timed out after {outcome.timed_out // 1000}s]")
    if outcome.signal is not None:
        lines.append(SIGNAL.format(outcome.signal))
    elif outcome.exit_code:
        lines.append(EXIT_CODE.format(outcome.exit_code))
    return "\n".join(lines)
