"""A path inside a workspace, as a value of its own.

A model sends text. `RelativePath.parse` turns it into a tuple of names that mean
the same on Linux, macOS and Windows, or refuses it. It only reads text and never
asks the file system: whether a name is a link is for the code that opens it.

The result is not a `str` and not an `os.PathLike`: handed to `open()` by mistake
it raises `TypeError` instead of naming a place on the Host.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from workspace_errors import PathNameError, WorkspaceEscapeError

MAX_NAME_BYTES = 255
MAX_PATH_BYTES = 1_024
MAX_COMPONENTS = 32

# Fixed ranges, not `unicodedata.category`: the answer must not depend on the
# Unicode version of the Python that asks.
_UNPRINTABLE = re.compile(
    "["
    "\x00-\x1f\x7f-\x9f"  # control characters
    "\ud800-\udfff"  # lone surrogates: no UTF-8 for them
    "\u2028\u2029\ufff9-\ufffb"  # line, paragraph, annotation separators
    # Bidi controls, zero-width and other characters that show as nothing
    # (Default_Ignorable_Code_Point of the Unicode Character Database).
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff"
    "\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"
    "]"
)
_RESERVED = re.compile(r'[<>:"|?*/\\]')
_DRIVE = re.compile(r"[A-Za-z]:")
# Microsoft, "Naming Files, Paths, and Namespaces", and the two consoles.
_DEVICES = frozenset(
    ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"]
    + [f"{port}{digit}" for port in ("COM", "LPT") for digit in "0123456789¹²³"]
)


@dataclass(frozen=True)
class RelativePath:
    """One or more portable names below a workspace's root.

    `str()` gives them joined by `/`. Two paths that differ only in the case of
    letters are different values; a file system may still see one file.
    """

    parts: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.parts:
            raise PathNameError("the workspace itself is no file; name a file in it")
        for name in self.parts:
            _refuse_unportable(name)

    def __str__(self) -> str:
        return "/".join(self.parts)

    @classmethod
    def parse(cls, text: str) -> RelativePath:
        """Read `text` as names separated by `/`.

        `.` and repeated `/` are dropped, and `..` takes back the name before it
        by spelling alone, without visiting it. `~` is an ordinary character.

        Raises `WorkspaceEscapeError` for a path that is absolute, has a drive
        or goes above the root, and `PathNameError` for any other refusal. The
        limits of 1,024 bytes and 32 components are for `text` as given.
        """
        if not isinstance(text, str):
            raise PathNameError(f"a path is text, not {type(text).__name__}")
        return _parse(text)


# The same few paths are used again and again, and equal text has an equal meaning.
@lru_cache(maxsize=256)
def _parse(text: str) -> RelativePath:
    if not text:
        raise PathNameError("the path is empty; name a file")
    if _UNPRINTABLE.search(text):
        raise PathNameError(
            f"{shown(text)} has a character that cannot be seen; leave it out"
        )
    if len(text.encode("utf-8")) > MAX_PATH_BYTES:
        raise PathNameError(f"a path is at most {MAX_PATH_BYTES} bytes in UTF-8")
    if text.startswith("/") or _DRIVE.match(text):
        raise WorkspaceEscapeError(
            f"{shown(text)} is absolute; give a path relative to the workspace"
        )
    if "\\" in text:
        raise PathNameError(f"{shown(text)} has a backslash; separate with /")
    given = [name for name in text.split("/") if name]
    if len(given) > MAX_COMPONENTS:
        raise PathNameError(f"a path has at most {MAX_COMPONENTS} components")
    kept: list[str] = []
    for name in given:
        if name == "..":
            if not kept:
                raise WorkspaceEscapeError(
                    f"{shown(text)} goes above the workspace; stay inside it"
                )
            _refuse_unportable(kept.pop())
        elif name != ".":
            kept.append(name)
    if text.endswith("/"):
        raise PathNameError(f"{shown(text)} ends with /; name a file")
    return RelativePath(tuple(kept))


def name_fault(name: str) -> str | None:
    """Why `name` cannot name a file on every system, or None when it can."""
    if not name:
        return "is empty; leave it out"
    if _UNPRINTABLE.search(name):
        return "has a character that cannot be seen; leave it out"
    if not name.isascii():
        # Two spellings of one name would be one file on macOS, two on Linux.
        normal = unicodedata.normalize("NFC", name)
        if normal != name:
            return f"is not in Unicode NFC; spell it {shown(normal)} ({normal[:60]!a})"
    if len(name.encode("utf-8")) > MAX_NAME_BYTES:
        return f"is longer than {MAX_NAME_BYTES} bytes in UTF-8; shorten it"
    if _RESERVED.search(name):
        return 'has one of < > : " | ? * / \\; use other characters'
    if name[-1] in ". ":
        return "ends with a dot or a space, which Windows drops; leave it out"
    if name.partition(".")[0].rstrip(" ").upper() in _DEVICES:
        return "is a device on Windows; choose another name"
    return None


def shown(text: str) -> str:
    """`text` for a message: quoted, escaped, cut to 60 characters."""
    return repr(text if len(text) <= 60 else text[:60] + "…")


def _refuse_unportable(name: str) -> None:
    fault = name_fault(name)
    if fault is not None:
        raise PathNameError(f"the name {shown(name)} {fault}")
