"""What every shell tool promises alike: modes, markers, fixed words and budgets.

There is one contract. Both dialects describe it, and one renderer keeps it, so a
sentence cannot be true of one shell and forgotten in the other.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from markers import Marker

READ_ONLY, WORKSPACE_WRITE, FULL_ACCESS = MODES = (
    "read-only",
    "workspace-write",
    "danger-full-access",
)
EXIT_CODE = Marker("[exit code: {N}]")
SIGNAL = Marker("[killed by signal: {N}]")
TIMED_OUT = Marker("[timed out after {N}ms]")
DENIED = Marker("[sandbox: file access denied under {<mode>} mode]")
LEFT_OUT = Marker("[{N} characters left out here]")
# More than any command can print.
MOST_CHARACTERS = 10**20 - 1


class PolicyError(ValueError):
    """There is no such mode, or no such workspace."""


@dataclass(frozen=True)
class Policy:
    """What commands may do with files.

    mode: one of `MODES`. "read-only": change none. "workspace-write": change those
        below the workspace. "danger-full-access": whatever the Host may.
    workspace: an existing folder; kept absolute and resolved.

    Raises `PolicyError` for anything else. A policy enforces nothing: that takes a
    fence.
    """

    mode: str
    workspace: Path

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise PolicyError(f"the mode must be one of {', '.join(MODES)}")
        workspace = Path(self.workspace)
        if not workspace.is_dir():
            raise PolicyError("the workspace must be an existing folder")
        object.__setattr__(self, "workspace", workspace.resolve())

    @property
    def confined(self) -> bool:
        """Whether a fence has to hold what this policy says."""
        return self.mode != FULL_ACCESS


@dataclass(frozen=True)
class RunContract:
    """The markers, fixed words, budgets and times of a shell tool.

    budget: how many characters the body of a result may have, which is stdout,
        stderr, its heading and the notice of what was left out; not the markers
        below it. So much that a heading, a notice and one character have room, and
        so has `no_output`: with the words of this contract at least 60.
    default_timeout_ms, longest_timeout_ms: milliseconds, the first of them at most
        the second.

    Raises `ValueError` for other numbers, and for words too long for the budget.
    """

    exit_code: Marker = EXIT_CODE
    signal: Marker = SIGNAL
    timed_out: Marker = TIMED_OUT
    denied: Marker = DENIED
    left_out: Marker = LEFT_OUT
    stderr_heading: str = "[stderr]"
    no_output: str = "(no output)"
    budget: int = 20_000
    default_timeout_ms: int = 30_000
    longest_timeout_ms: int = 600_000

    def __post_init__(self) -> None:
        words = self.left_out.write(MOST_CHARACTERS) + self.stderr_heading
        # Around each of the two stands a line feed on either side.
        smallest = max(len(words) + 4 + 1, len(self.no_output))
        if self.budget < smallest:
            raise ValueError(f"with these words the budget must be {smallest} or more")
        if not 1 <= self.default_timeout_ms <= self.longest_timeout_ms:
            raise ValueError("the default timeout must be from 1 to the longest")


CONTRACT = RunContract()


@dataclass(frozen=True)
class Outcome:
    """What the Host saw of one call, beside which the text is only a rendering.

    stdout, stderr: what the command printed, as UTF-8 with U+FFFD for other bytes;
        where the budget left something out, the notice stands in its place.
    exit_code: None when a signal or the timeout ended the command, or none ran.
    signal: the number of the signal that ended it, or None.
    timed_out: the timeout in milliseconds when it was over first, else None.
    denied: the mode that refused a file effect and made the command fail, else None.
    refused: why nothing was run; empty when something was.
    left_out: how many characters the notice stands for.
    duration_seconds: monotonic, until its processes had ended or been killed.
    """

    stdout: str = ""
    stderr: str = ""
    exit_code: int | None = None
    signal: int | None = None
    timed_out: int | None = None
    denied: str | None = None
    refused: str = ""
    left_out: int = 0
    duration_seconds: float = field(default=0.0, compare=False)
