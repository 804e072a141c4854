"""Rejected by: test_an_unfinished_line_is_finished
Also: test_output_is_not_tidied, test_blank_is_nothing

Many programs print their last line without ending it. Where does your next line
begin?

很多程序打印最后一行时不带换行。你的下一行从哪里开始？
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
    body = outcome.stdout if outcome.stdout.strip() else ""
    if outcome.stderr.strip():
        body += STDERR + "\n" + outcome.stderr
    if not body:
        body = NO_OUTPUT + "\n"
    if outcome.denied is not None:
        lines.append(DENIED.format(outcome.denied))
    if outcome.timed_out is not None:
        lines.append(TIMED_OUT.format(outcome.timed_out))
    if outcome.signal is not None:
        lines.append(SIGNAL.format(outcome.signal))
    elif outcome.exit_code:
        lines.append(EXIT_CODE.format(outcome.exit_code))
    return (body + "\n".join(lines)).removesuffix("\n")
