"""A dialect: one shell's program, its words for what every shell can do, its quirks.

Whatever holds for all shells is not here. `own` holds what does not, and nothing in
it may speak of a marker, because those are the contract's.
"""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from own_behaviour import bash_pipeline, environment, pwsh_exit_code, pwsh_paths
from phrasebook import BASH_PHRASES, PWSH_PHRASES
from promises import Promise

STAND_IN_LABEL = "stand-in, not PowerShell"
STAND_IN_SCRIPT = Path(__file__).resolve().parent / "standin" / "pwsh"


@dataclass(frozen=True, eq=False)
class Dialect:
    """One shell, and how to ask it for something.

    name: of the tool and, with `interpreter`, of the program on the `PATH`.
    header: the first line of the description.
    flags, preamble: `[program, *flags, preamble + command]` runs a command, which
        stays one argument whatever is in it.
    own: what this shell promises beyond the contract.
    phrases, quote: its phrasebook, and how it takes a word literally.
    denials: its own words for a refusal, beside those of the system.
    environment: variables that it needs beside the common ones.
    interpreter: what runs the program, when that is a script.
    label: what its output says first, when it is not the real one.
    """

    name: str
    header: str
    program: str
    flags: tuple[str, ...]
    own: tuple[Promise, ...]
    phrases: Mapping[str, str]
    quote: Callable[[str], str]
    preamble: str = ""
    denials: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    interpreter: tuple[str, ...] = ()
    label: str = ""

    def command_line(self) -> list[str]:
        """The program and its flags; empty where there is no such program.

        With the preamble and the command as one argument behind it, it runs that.
        """
        program = shutil.which(self.program)
        return [*self.interpreter, program, *self.flags] if program else []

    def say(self, phrase: str, *words: object) -> str:
        """The phrase in this shell's words; text is quoted, numbers are not."""
        quoted = [self.quote(w) if isinstance(w, str) else str(w) for w in words]
        return self.phrases[phrase].format(*quoted, words=" ".join(quoted))

    def without_label(self, text: str) -> str:
        """What the shell printed, without what a stand-in says about itself."""
        return text.removeprefix(f"{self.label}\n") if self.label else text


def quote_for_pwsh(text: str) -> str:
    """Quote a word for PowerShell, which takes curly quotes for straight ones."""
    return "'" + re.sub("['‘’‚‛]", r"\g<0>\g<0>", text) + "'"


BASH = Dialect(
    name="bash",
    header="Runs a bash command (`bash -c`).",
    program="bash",
    # Behind `--`, a command that begins with a dash is no option.
    flags=("-c", "--"),
    own=(
        Promise(
            "bash_environment",
            "A variable of the environment is read as `$NAME`.",
            environment,
        ),
        Promise(
            "bash_pipeline",
            "A pipeline ends as its last command does; begin with `set -o pipefail` "
            "to see a failure of the others.",
            bash_pipeline,
        ),
    ),
    phrases=BASH_PHRASES,
    quote=shlex.quote,
)

PWSH = Dialect(
    name="pwsh",
    header="Runs a PowerShell command (`pwsh -Command`).",
    program="pwsh",
    flags=("-NoProfile", "-NonInteractive", "-Command"),
    own=(
        Promise(
            "pwsh_paths",
            "Paths are native: with a drive and backslashes on Windows.",
            pwsh_paths,
        ),
        Promise(
            "pwsh_environment",
            "A variable of the environment is read as `$env:NAME`.",
            environment,
        ),
        Promise(
            "pwsh_exit_code",
            "If a failing external program is called last, the command ends as 1; "
            "add `exit $LASTEXITCODE` to end as the program did.",
            pwsh_exit_code,
        ),
    ),
    phrases=PWSH_PHRASES,
    quote=quote_for_pwsh,
    # Without it, output comes in the console's encoding (Windows).
    preamble="[Console]::OutputEncoding = [System.Text.UTF8Encoding]::new($false); ",
    denials=("access to the path",),
    environment={
        "DOTNET_EnableDiagnostics": "0",  # its socket would be a file in /tmp
        "NO_COLOR": "1",
        "POWERSHELL_TELEMETRY_OPTOUT": "1",
        "POWERSHELL_UPDATECHECK": "Off",
    },
)

# A small script that knows the phrasebook. It shows that checks and tool fit
# together, and nothing about PowerShell.
STAND_IN = replace(
    PWSH,
    header=f"Runs a PowerShell command (`pwsh -Command`; {STAND_IN_LABEL}).",
    program=str(STAND_IN_SCRIPT),
    interpreter=(sys.executable, "-I", "-S", "-B"),
    label=STAND_IN_LABEL,
)


def powershell() -> Dialect:
    """The real one where it is on the `PATH`, and else its stand-in."""
    return PWSH if PWSH.command_line() else STAND_IN
