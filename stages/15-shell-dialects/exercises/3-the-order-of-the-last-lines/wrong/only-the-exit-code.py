"""Rejected by: test_a_denial_names_its_mode
Also: test_a_timeout_is_told_in_milliseconds,
    test_a_signal_takes_the_place_of_the_exit_code,
    test_no_line_takes_the_place_of_another, test_the_lines_have_one_order,
    test_nothing_has_a_word_above_a_line_too, test_a_forged_line_spares_none_of_ours

An outcome has six fields. Which of them does your text never tell?

`Outcome` 有六个字段。哪几个是你的文本从来不说的？
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
    if outcome.exit_code:
        lines.append(EXIT_CODE.format(outcome.exit_code))
    return "\n".join(lines)
