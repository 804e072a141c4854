"""Rejected by: test_stderr_stands_under_its_heading
Also: test_blank_is_nothing, test_output_is_not_tidied, test_one_line_end_is_dropped,
    test_an_unfinished_line_is_finished, test_a_forged_line_is_output,
    test_a_forged_line_spares_none_of_ours

Here is a complaint between the lines of a result. How is a reader to know from which
stream it came?

结果里夹着一句抱怨。读的人怎么知道它出自哪个流？
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
        lines.append(outcome.stderr.removesuffix("\n"))
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
