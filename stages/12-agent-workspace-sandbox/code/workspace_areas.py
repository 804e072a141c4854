"""Who may write where: the Host to `inputs/`, the agent to `work/` and `artifacts/`.

The areas are compared by spelling on every system. `Inputs/` is no area, and not
a second door to one where the file system ignores the case of letters.
"""

from __future__ import annotations

import sys

from relative_path import RelativePath
from workspace_errors import (
    NotAFileError,
    NotUtf8Error,
    ProtectedAreaError,
    StorageError,
)

# False under LC_ALL=C together with PYTHONUTF8=0, for one.
_UTF8_NAMES = sys.getfilesystemencoding() == "utf-8"

AREAS = ("inputs", "work", "artifacts")


def any_path(relative: str) -> RelativePath:
    """Where reading is possible: everywhere that can be named on this system."""
    path = RelativePath.parse(relative)
    if not _UTF8_NAMES and not str(path).isascii():
        raise StorageError(
            f"{path}: file names are not UTF-8 in this process; "
            "start it with PYTHONUTF8=1"
        )
    return path


def host_path(relative: str) -> RelativePath:
    """Where `import_input` may write."""
    return _path_in(relative, ("inputs",))


def agent_path(relative: str) -> RelativePath:
    """Where `write_text` may write."""
    return _path_in(relative, ("work", "artifacts"))


def encode(text: str) -> bytes:
    """`text` in UTF-8, its line ends as they are."""
    if not isinstance(text, str):
        raise NotUtf8Error(f"content is text, not {type(text).__name__}")
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise NotUtf8Error(
            f"character {error.start} is a lone surrogate, which UTF-8 cannot hold; "
            "leave it out"
        ) from None


def _path_in(relative: str, areas: tuple[str, ...]) -> RelativePath:
    path = any_path(relative)
    if path.parts[0] not in areas:
        allowed = " and ".join(f"{area}/" for area in areas)
        raise ProtectedAreaError(f"{path} is protected; this writes to {allowed} only")
    if len(path.parts) == 1:
        raise NotAFileError(f"{path} is an area; name a file in it")
    return path
