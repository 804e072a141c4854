"""What the command of a container engine says on stderr, and what that proves.

Its words are made for people and differ from release to release. Two things are read
out of them: whether the engine has refused a request, and a reason for the operator.
"""

from __future__ import annotations

import re

from runner import CommandResult

_REFUSAL = {
    # Words of the engine, or of a command that has asked it for nothing. Any others,
    # such as `error during connect: EOF`, may come from one that lost the answer.
    "docker": r"Error response from daemon|invalid reference format|unknown flag",
    # podman works by itself. Only as the client of a remote one can it lose an
    # answer, and then it names the URL that it has asked.
    "podman": r'Error: (?!.*"https?://)',
}
_LONGEST_REASON = 200
_PATH = re.compile(
    r"""
    (?<![\w.])                      # `local/python` is the name of an image,
    (?<!name\ ")                    # and docker writes a container's name so: "/x"
    (?: ~ | \.{1,2} | [A-Za-z]: )?
    [\\/]
    (?: .* [\\/] )?                 # folders may have spaces in their names,
    (?: (?! \.\s ) [^"',:] )*       # and so may what lies in them
    """,
    re.VERBOSE,
)


def is_refusal(engine: str, answer: CommandResult) -> bool:
    """Whether this end of a command proves that its request came to nothing.

    Otherwise the request may have been carried out, or may still be on its way. An
    error of a proxy between command and engine is taken for the engine's.
    """
    failed = not answer.timed_out and (answer.returncode or 0) > 0
    return failed and re.search(_REFUSAL[engine], answer.stderr) is not None


def last_words(answer: CommandResult) -> str:
    """The last line of stderr, for the operator."""
    if answer.timed_out:
        return "it did not end in time"
    lines = [line.strip() for line in answer.stderr.split("\n") if line.strip()]
    return without_paths(lines[-1] if lines else "no reason given")


def without_paths(line: str) -> str:
    """`line` short and printable, Host paths and user names in URLs taken out.

    A path is known by how it begins, and ends at a quote, a colon, a comma or a
    full stop. A name with one of these in it is not taken out to its end.
    """
    line = re.sub("%(2f|5c)", "/", line, flags=re.IGNORECASE)
    line = re.sub("://.*@(?!sha256:)", "://", line)
    line = _PATH.sub("<path>", line)
    return "".join(c if c.isprintable() else "?" for c in line)[:_LONGEST_REASON]
