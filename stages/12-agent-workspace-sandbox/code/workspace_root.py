"""Make, or recognise, the directory that a run's workspace lives in."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path

from confined_directory import (
    Directory,
    Identity,
    chmod_no_follow,
    identity_of,
    is_link,
    open_root,
)
from file_refusals import root_refusal, storage_error
from workspace_areas import AREAS
from workspace_errors import (
    AlreadyExistsError,
    MissingFileError,
    WorkspaceError,
    WorkspaceEscapeError,
    WorkspaceGoneError,
)


def make_root(root: str | os.PathLike[str]) -> Path:
    """Create `root` and its areas with mode 0700 whatever the umask; all or nothing.

    Returns the canonical path. The last name must be free: a dangling link there
    is not followed but refused.
    """
    path = _canonical_new(root)
    try:
        _make_private(path)
    except FileExistsError:
        raise AlreadyExistsError(
            "the run's directory exists already; choose a new name"
        ) from None
    except OSError as error:
        raise storage_error("the run's directory", error) from error
    try:
        for area in AREAS:
            _make_private(path / area)
    except OSError as error:
        for made in (*(path / area for area in AREAS), path):
            with suppress(OSError):
                made.rmdir()
        raise storage_error("the run's directory", error) from error
    return path


def find_root(root: str | os.PathLike[str]) -> tuple[Path, Directory]:
    """The canonical path of a directory that `make_root` made, and it held open."""
    path = _host_path(root)
    try:
        if is_link(os.lstat(path)):
            raise WorkspaceEscapeError("the run's directory is a link; name its target")
        path = Path(os.path.realpath(path, strict=True))
        for area in AREAS:
            info = os.lstat(path / area)
            if is_link(info) or not stat.S_ISDIR(info.st_mode):
                raise WorkspaceError(f"{area} is no directory; create a new workspace")
        return path, open_root(path)
    except (FileNotFoundError, NotADirectoryError):
        raise WorkspaceGoneError(
            "this is no run's directory; make one with AgentWorkspace.create()"
        ) from None
    except OSError as error:
        raise storage_error("the run's directory", error) from error


def refuse_moved(root: Path, identity: Identity) -> None:
    """Refuse to go on when the directory at `root` is not the one held open."""
    try:
        if identity_of(os.lstat(root)) != identity:
            raise OSError(errno.ESTALE, os.strerror(errno.ESTALE))
    except OSError as error:
        raise root_refusal(error) from error


def _make_private(path: Path) -> None:
    path.mkdir(0o700)
    # The umask can take rights away, and a set-group-id parent adds a bit.
    if os.name != "nt" and stat.S_IMODE(os.lstat(path).st_mode) != 0o700:
        chmod_no_follow(path)


def _canonical_new(root: str | os.PathLike[str]) -> Path:
    path = _host_path(root)
    try:
        # Only the parent may have links in it, and only now: resolved once.
        parent = os.path.realpath(path.parent, strict=True)
    except FileNotFoundError:
        raise MissingFileError(
            "the parent of the run's directory does not exist; make it first"
        ) from None
    except OSError as error:
        raise storage_error("the parent of the run's directory", error) from error
    return Path(parent) / path.name


def _host_path(root: str | os.PathLike[str]) -> Path:
    if not isinstance(root, (str, os.PathLike)) or isinstance(os.fspath(root), bytes):
        raise WorkspaceError("the run's directory is given as text or as a Path")
    path = Path(root)
    # "", ".", "/" and "x/.." name no directory of their own.
    if path.name in ("", ".."):
        raise WorkspaceError("the run's directory needs a name of its own")
    try:
        if b"\0" not in os.fsencode(path):
            return path
    except UnicodeEncodeError:
        pass
    raise WorkspaceError(
        "the path of the run's directory has a character that no file name can "
        "have in this process; leave it out"
    )
