"""A promise is a sentence and a behaviour: neither comes without the other.

The description is made of the sentences of the promises that are kept, and `check`
asks real processes whether they are. Whether a sentence says what its check shows,
no program can tell: somebody has to read both.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import file_behaviour
import output_behaviour
import process_behaviour
from markers import Marker
from output_behaviour import Findings
from shell_call import POSIX

if TYPE_CHECKING:
    from shell_tool import ShellTool

AT_ONCE = 4


class PromiseError(ValueError):
    """A sentence without a behaviour, or a behaviour without a sentence."""


@dataclass(frozen=True)
class Promise:
    """One sentence of a description, and what shows that it is true.

    key: by which a fence says whether it can keep this one.
    words: the sentence. `{exit_code}` and every other field of the contract stand
        for what is shown of it, `{mode}` and `{fence}` for those of the tool.
    check: asks a tool, and yields what has to be true and whether it is.
    posix: whether it is kept on POSIX systems only, and stated nowhere else.

    Raises `PromiseError` when either half is missing.
    """

    key: str
    words: str
    check: Callable[[ShellTool], Findings]
    posix: bool = False

    def __post_init__(self) -> None:
        if not self.words.strip():
            raise PromiseError(f"{self.key}: a behaviour that nobody is told of")
        if not callable(self.check):
            raise PromiseError(f"{self.key}: a sentence that nothing can show")

    def sentence(self, tool: ShellTool) -> str:
        """The words, with what the contract, the policy and the fence put in."""
        words = self.words.format(**_facts(tool))
        return words[0].upper() + words[1:]

    def broken(self, tool: ShellTool) -> list[str]:
        """What is not as it was promised, the key before it."""
        try:
            findings = list(self.check(tool))
        except (LookupError, ValueError) as error:
            # What it looked for in a result was not there.
            return [f"{self.key}: the answer makes no sense ({error})"]
        if not findings:
            return [f"{self.key}: nothing was asked"]
        return [f"{self.key}: {what}" for what, is_true in findings if not is_true]


PROMISES = (
    Promise(
        "fresh",
        "each call is a fresh process: no working directory, variable or function "
        "carries over to the next, so pass `workdir` instead of `cd`.",
        process_behaviour.fresh,
    ),
    Promise(
        "workdir",
        "`workdir` is absolute or relative to the workspace, where a call starts "
        "without it; with one that cannot be entered, or is below /proc, nothing runs.",
        process_behaviour.workdir,
    ),
    Promise(
        "no_input",
        "stdin is empty.",
        process_behaviour.no_input,
    ),
    Promise(
        "streams",
        "a result is stdout, then stderr below `{stderr_heading}`; where both are "
        "blank, `{no_output}`.",
        output_behaviour.streams,
    ),
    Promise(
        "left_out",
        "of more than {budget} characters the beginning and the end are kept, and "
        "`{left_out}` tells how many are not; that line and `{stderr_heading}` count, "
        "too.",
        output_behaviour.left_out,
    ),
    Promise(
        "exit_code",
        "a command that fails has `{exit_code}` as its last line, one that succeeds "
        "has no such line.",
        output_behaviour.exit_code,
    ),
    Promise(
        "signal",
        "a command that a signal ends has `{signal}` there instead.",
        output_behaviour.signal,
        posix=True,
    ),
    Promise(
        "timeout",
        "`timeout` is a whole number of milliseconds from 1 to {longest_timeout_ms}, "
        "{default_timeout_ms} without it; a command that takes longer is killed, what "
        "it printed is kept, and `{timed_out}` stands below that.",
        process_behaviour.timeout,
    ),
    Promise(
        "background",
        "a call ends with its command: what that left in the background is killed, "
        "unless it moved to a session of its own (`setsid`) or, where there is no "
        "/proc, to a group of its own.",
        process_behaviour.background,
        posix=True,
    ),
    Promise(
        "files",
        "{fence}.",
        file_behaviour.files,
    ),
    Promise(
        "denied",
        "a refused write that makes the command fail, with the system's words on "
        "stderr, is told by `{denied}` below the output, once. One whose words are "
        "swallowed or go elsewhere is not told; a failure that only complains alike "
        "is.",
        file_behaviour.denied,
    ),
    Promise(
        "forged",
        "a command can print lines like these itself; what counts is what the Host "
        "saw, and it does not read it from the text.",
        output_behaviour.forged,
    ),
)
NOTHING_RUNS = Promise("nothing_runs", "{fence}.", file_behaviour.nothing_runs)


def promises_of(tool: ShellTool) -> tuple[Promise, ...]:
    """The promises that this tool keeps, so those that it states."""
    if not tool.runs():
        return (NOTHING_RUNS,)
    mode = tool.policy.mode
    kept = [p for p in PROMISES if tool.fence.keeps(p.key, mode)]
    return tuple(p for p in (*kept, *tool.dialect.own) if POSIX or not p.posix)


def description_of(tool: ShellTool) -> str:
    """What a model is told of the tool: its header, and a line for each promise."""
    sentences = [f"- {p.sentence(tool)}" for p in promises_of(tool)]
    return "\n".join([tool.dialect.header, *sentences])


def check(tool: ShellTool) -> list[str]:
    """Ask real processes for everything the tool promises; what is not so.

    It takes a second or two, most of it for the one timeout, and writes files of its
    own beside and in the workspace, which it removes.
    """
    told = tool.description().splitlines()
    promises = promises_of(tool)
    broken = [
        f"{p.key}: it is not in the description"
        for p in promises
        if f"- {p.sentence(tool)}" not in told
    ]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for found in pool.map(lambda promise: promise.broken(tool), promises):
            broken += found
    return broken


def _facts(tool: ShellTool) -> dict[str, object]:
    contract, mode = tool.contract, tool.policy.mode
    facts = {one.name: getattr(contract, one.name) for one in fields(contract)}
    shown = {
        name: fact.shown if isinstance(fact, Marker) else fact
        for name, fact in facts.items()
    }
    return {**shown, "mode": mode, "fence": tool.fence.label(mode)}
