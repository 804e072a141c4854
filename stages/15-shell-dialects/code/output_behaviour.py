"""What a shell tool does with a command's output and end, asked and looked at.

Each function asks real processes and yields what has to be true, and whether it is.
The sentences that rest on them are in `promises`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from asking import ask, printed
from render import render

if TYPE_CHECKING:
    from shell_tool import ShellTool

Findings = Iterator[tuple[str, bool]]


def streams(tool: ShellTool) -> Findings:
    """stdout comes first, then stderr under its heading; silence has a word."""
    contract = tool.contract
    both = ask(tool, ("complain", "two"), ("print", "one"), ("complain", "three"))
    lines = render(both, contract).splitlines()
    expected = ["one", contract.stderr_heading, "two", "three"]
    if tool.dialect.label:
        # It says what it is before its first word, wherever that goes.
        expected.insert(2, tool.dialect.label)
    yield "stdout, its heading, stderr", lines == expected
    yield "of little nothing is left out", both.left_out == 0
    blank = ask(tool, ("print", ""), ("complain", " "))
    blank = replace(blank, stdout=tool.dialect.without_label(blank.stdout))
    yield "what is blank has a word", render(blank, contract) == contract.no_output
    failing = ask(tool, ("fail with", 3))
    lines = render(failing, contract).splitlines()
    yield "and so has silence", lines[0] == contract.no_output
    yield "no heading without stderr", contract.stderr_heading not in lines


def left_out(tool: ShellTool) -> Findings:
    """The middle goes, both ends stay within the budget, and the count is exact."""
    contract = tool.contract
    last = contract.budget
    outcome = ask(tool, ("count to", last))
    text = render(outcome, contract)
    yield "within the budget, the notice included", len(text) <= contract.budget
    yield "and not far below it", len(text) > contract.budget * 0.9
    notice = contract.left_out.write(outcome.left_out)
    start, found, end = outcome.stdout.partition(f"\n{notice}\n")
    yield "one notice, with the number", bool(found) and text.count(notice) == 1
    start = tool.dialect.without_label(start)
    yield "the beginning is kept", start.startswith(("1\n2\n", "1\r\n2\r\n"))
    yield "the end is kept", end.split()[-1:] == [str(last)]
    yield "both about alike", abs(len(start) - len(end)) < 100
    newline = 2 if "\r\n" in start else 1
    total = sum(map(len, map(str, range(1, last + 1)))) + newline * last
    counted = len(start) + len(end) + outcome.left_out
    yield "the number is what is missing", counted == total


def exit_code(tool: ShellTool) -> Findings:
    """A failure's number is in the last line, and success has no such line."""
    contract = tool.contract
    failed = ask(tool, ("print", "so far"), ("fail with", 255))
    lines = render(failed, contract).splitlines()
    yield "its number is the last line", lines[-1] == contract.exit_code.write(255)
    yield "and is in the outcome", failed.exit_code == 255
    fine = ask(tool, ("print", "fine"))
    lines = render(fine, contract).splitlines()
    yield "success has no line", not any(map(contract.exit_code.read, lines))
    yield "success is 0 in the outcome", fine.exit_code == 0


def signal(tool: ShellTool) -> Findings:
    """The number of the signal stands in place of the exit code."""
    contract = tool.contract
    died = ask(tool, ("print", "so far"), ("die",))
    lines = render(died, contract).splitlines()
    yield "its number is the last line", lines[-1] == contract.signal.write(9)
    yield "no exit code beside it", not any(map(contract.exit_code.read, lines))
    yield "what was printed is kept", printed(tool, died) == ["so far"]


def forged(tool: ShellTool) -> Findings:
    """Lines that a command prints change the text and not the outcome."""
    contract = tool.contract
    lines = [
        contract.exit_code.write(7),
        contract.signal.write(15),
        contract.timed_out.write(1),
        contract.denied.write("read-only"),
        contract.left_out.write(8),
    ]
    on_stdout = [("print", line) for line in lines]
    on_stderr = [("complain", line) for line in lines]
    outcome = ask(tool, *on_stdout, *on_stderr, ("fail with", 3))
    yield "stdout has them", printed(tool, outcome) == lines
    yield "stderr has them", outcome.stderr.splitlines() == lines
    yield "the exit code is the command's", outcome.exit_code == 3
    seen = (outcome.signal, outcome.timed_out, outcome.denied, outcome.left_out)
    yield "the Host is not deceived", seen == (None, None, None, 0)
