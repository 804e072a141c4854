"""What a call may be asked for: declared to the model, and checked when it comes.

Everything in here is from a model, so anything may be in it. What cannot be done as
it was asked for is refused, and then nothing runs.
"""

from __future__ import annotations

import os
from pathlib import Path

from contract import RunContract
from shell_call import POSIX

# There /proc/self is the Host, and behind a fence with a /proc of its own nobody.
PROCESSES = "/proc"


class Refused(ValueError):
    """The call is not run, and this says why."""


def schema(contract: RunContract) -> dict:
    """The JSON Schema of the arguments, with the limits that are kept below."""
    properties = {
        "command": {"type": "string"},
        "timeout": {
            "type": "integer",
            "minimum": 1,
            "maximum": contract.longest_timeout_ms,
            "default": contract.default_timeout_ms,
            "description": "milliseconds",
        },
        "workdir": {
            "type": "string",
            "default": ".",
            "description": "absolute, or relative to the workspace",
        },
    }
    return {
        "type": "object",
        "properties": properties,
        "required": ["command"],
        "additionalProperties": False,
    }


def command_text(command: object) -> str:
    """The command, if it is text that can be passed on."""
    if not isinstance(command, str) or "\0" in command:
        raise Refused("command must be text without NUL characters")
    try:
        command.encode("utf-8")
    except UnicodeEncodeError:
        raise Refused("command must be valid Unicode") from None
    return command


def milliseconds(timeout: object, contract: RunContract) -> int:
    """The timeout, or the contract's when there is none."""
    if timeout is None:
        return contract.default_timeout_ms
    longest = contract.longest_timeout_ms
    # True is an int, and neither 1e999 nor NaN is one.
    if type(timeout) is not int or not 1 <= timeout <= longest:
        raise Refused(
            f"timeout must be a whole number of milliseconds from 1 to {longest}"
        )
    return timeout


def starting_folder(workdir: object, workspace: Path) -> Path:
    """The folder, resolved, if it exists, can be entered and is not below /proc."""
    if workdir is None:
        workdir = "."
    try:
        # Where Python's own encoding is ASCII, a path still is UTF-8.
        words = os.fsdecode(workdir.encode("utf-8")) if POSIX else workdir
        folder = Path(os.path.realpath(workspace / words))
        enters = folder.is_dir() and os.access(folder, os.X_OK)
        if enters and not folder.is_relative_to(PROCESSES):
            return folder
    except (AttributeError, TypeError, ValueError, OSError, RecursionError):
        pass  # the last of them before Python 3.13, of a thousand links in a row
    raise Refused(
        "workdir must be an existing folder that can be entered, and not below /proc"
    )
