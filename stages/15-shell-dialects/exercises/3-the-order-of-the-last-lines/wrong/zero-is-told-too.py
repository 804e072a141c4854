"""Rejected by: test_a_success_is_its_output_alone
Also: test_nothing_has_a_word, test_an_unfinished_line_is_finished,
    test_a_forged_line_is_output

What does a success have to say about its end? Ask for the numbers that the task leaves
out.

成功的命令，关于结束还有什么要说？看看题目排除了哪些数。
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
        lines.append(SIGNAL.format(outcome.signal))
    elif outcome.exit_code is not None:
        lines.append(EXIT_CODE.format(outcome.exit_code))
    return "\n".join(lines)
