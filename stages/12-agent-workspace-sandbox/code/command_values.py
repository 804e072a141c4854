"""What a runner lets through: programs, arguments, variables, limits."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

MAX_SECONDS = 86_400


class CommandRefused(ValueError):
    """Bad arguments, an unknown alias or a batch file; nothing was started.

    The message repeats neither a path of the Host nor a value.
    """


def registered_programs(executables: Mapping[str, str | Path]) -> dict[str, Path]:
    """Return alias and path of each program, after a look at the file."""
    if not isinstance(executables, Mapping):
        raise CommandRefused("executables must map an alias to an absolute path")
    return {
        _text("an alias", alias): _program(alias, path)
        for alias, path in executables.items()
    }


def child_environment(extra: Mapping[str, str] | None) -> dict[str, str]:
    """Return all the variables of a child: UTF-8, and what the Host names.

    PYTHONUTF8 speaks to Python, also for files; LANG to everything else. LC_ALL
    would overrule whatever the Host names. `python -I` reads LANG alone.
    """
    variables = {"LANG": "C.UTF-8", "PYTHONUTF8": "1"}
    if os.name == "nt" and "SYSTEMROOT" in os.environ:
        # Without it Windows programs fail to load parts of the system.
        variables["SystemRoot"] = os.environ["SYSTEMROOT"]
    if extra is None:
        return variables
    if not isinstance(extra, Mapping):
        raise CommandRefused("environment must map names to values")
    for name, value in extra.items():
        if not _text("a variable's name", name) or "=" in name:
            raise CommandRefused("a variable's name must not be empty or hold '='")
        variables[name] = _text("a variable's value", value)
    return variables


def command_words(
    command: Sequence[str], programs: Mapping[str, Path]
) -> tuple[str, list[str]]:
    """Return the alias and the arguments of `command`."""
    if isinstance(command, str) or not isinstance(command, Sequence):
        raise CommandRefused("a command is a list of strings; no shell splits it")
    words = [_text("each item of a command", word) for word in command]
    if not words or words[0] not in programs:
        known = ", ".join(sorted(programs)) or "none"
        raise CommandRefused(f"a command begins with a registered alias: {known}")
    return words[0], words[1:]


def positive_count(name: str, value: int) -> int:
    """Return `value`, a whole number above 0, or raise `CommandRefused`."""
    if isinstance(value, bool) or not isinstance(value, int) or value <= 0:
        raise CommandRefused(f"{name} must be a positive whole number")
    return value


def positive_seconds(name: str, value: float) -> float:
    """Return `value`, seconds above 0 and at most a day, or raise `CommandRefused`."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    # NaN is neither more nor less than anything, so it fails here too.
    if not number or not 0 < value <= MAX_SECONDS:
        raise CommandRefused(f"{name} must be more than 0 and at most {MAX_SECONDS}")
    return value


def _program(alias: str, path: str | Path) -> Path:
    if not isinstance(path, str | Path) or not Path(path).is_absolute():
        raise CommandRefused(f"executable {alias!r} needs an absolute path")
    path = Path(path)
    try:
        regular = path.is_file()
    except OSError:
        # A name too long, or a folder that may not be searched.
        regular = False
    if not regular or not os.access(path, os.X_OK):
        raise CommandRefused(f"executable {alias!r} is no executable file")
    if _is_batch(path.name) or _is_batch(path.resolve().name):
        raise CommandRefused(f"executable {alias!r} is a batch file, run by a shell")
    return path


def _is_batch(name: str) -> bool:
    """Whether Windows may take `name` for a batch file.

    It drops dots and spaces at the end, ignores case, and reads `:` as the
    beginning of a stream of the same file.
    """
    parts = (part.rstrip(". ").casefold() for part in name.split(":"))
    return any(part.endswith((".bat", ".cmd")) for part in parts)


def _text(what: str, value: object) -> str:
    if not isinstance(value, str):
        raise CommandRefused(f"{what} must be a string")
    if str.__contains__(value, "\0"):
        raise CommandRefused(f"{what} must not hold NUL")
    try:
        # A plain str comes back: one of a subclass could say something else later.
        return str.encode(value, "utf-8").decode("utf-8")
    except UnicodeEncodeError:
        raise CommandRefused(f"{what} must not hold a lone surrogate") from None
