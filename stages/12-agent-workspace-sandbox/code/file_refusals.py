"""Turn what the operating system said into one of the workspace's refusals.

The refusing has happened by then. A look at what stands there now only chooses
class and words, so it does not matter that it can change between the two.
"""

from __future__ import annotations

import errno
import os
import stat

from confined_directory import Directory, is_link
from relative_path import RelativePath
from workspace_errors import (
    AlreadyExistsError,
    MissingFileError,
    NotAFileError,
    StorageError,
    WorkspaceError,
    WorkspaceEscapeError,
    WorkspaceGoneError,
)

_LINK = {errno.ELOOP, errno.EMLINK}  # EMLINK: what FreeBSD says
# ENXIO and EOPNOTSUPP are what opening a socket gives, on Linux and on macOS.
_NO_FILE = {errno.ENOTDIR, errno.EISDIR, errno.ENXIO, errno.EOPNOTSUPP}


def refusal(root: Directory, path: RelativePath, error: OSError) -> WorkspaceError:
    """The refusal for an `OSError` from using `path` below `root`."""
    link = _first_link(root, path)
    if link is not None or error.errno in _LINK:
        return link_refusal(link or str(path))
    if error.errno in _NO_FILE:
        return not_a_file(path)
    if error.errno == errno.ENOENT:
        return missing_file(path)
    if error.errno == errno.EEXIST:
        return name_taken(path)
    return storage_error(str(path), error)


def root_refusal(error: OSError) -> WorkspaceError:
    """The refusal for a root that is not in its place."""
    if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ESTALE):
        return WorkspaceGoneError(
            "the run's directory was removed or replaced; end this run"
        )
    return storage_error("the run's directory", error)


def storage_error(where: str, error: OSError) -> StorageError:
    """The refusal for an `OSError` that has no class of its own."""
    reason = os.strerror(error.errno) if error.errno else "unknown reason"
    refused = StorageError(f"{where}: the system refused ({reason})")
    refused.errno = error.errno
    return refused


def link_refusal(where: str) -> WorkspaceEscapeError:
    return WorkspaceEscapeError(f"{where} is a link; name the file itself")


def not_a_file(path: RelativePath) -> NotAFileError:
    return NotAFileError(f"{path} is no regular file; name a file")


def missing_file(path: RelativePath) -> MissingFileError:
    return MissingFileError(f"{path} does not exist; look at the inventory")


def name_taken(path: RelativePath) -> AlreadyExistsError:
    return AlreadyExistsError(f"{path} exists already; choose another name")


def _first_link(root: Directory, path: RelativePath) -> str | None:
    """The part of `path` up to the first link on the way, if there is one now."""
    folder = root
    try:
        for depth, name in enumerate(path.parts, start=1):
            info = folder.lstat(name)
            if is_link(info):
                return "/".join(path.parts[:depth])
            if depth == len(path.parts) or not stat.S_ISDIR(info.st_mode):
                return None
            inner = folder.child(name)
            if folder is not root:
                folder.close()
            folder = inner
    except OSError:
        return None
    finally:
        if folder is not root:
            folder.close()
    return None
