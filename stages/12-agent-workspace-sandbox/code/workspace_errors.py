"""What a workspace refuses, by name: one base class, one subclass a reason.

Every message names the path inside the workspace and what to do about it. None
holds a host path, so a message may be shown to a model.
"""

from __future__ import annotations


class WorkspaceError(Exception):
    """The base of all refusals below."""


class WorkspaceEscapeError(WorkspaceError, ValueError):
    """The path leaves the workspace, or a component of it is a link."""


class PathNameError(WorkspaceError, ValueError):
    """The path is malformed, or a name in it does not work on every system."""


class ProtectedAreaError(WorkspaceError, PermissionError):
    """A write outside the areas that its caller may write to."""


class FileBudgetError(WorkspaceError, ValueError):
    """A limit of size or number is exceeded, or is no usable limit."""


class MissingFileError(WorkspaceError, FileNotFoundError):
    """There is no such file."""


class NotAFileError(WorkspaceError, OSError):
    """A directory, FIFO, socket or device stands where a file must be."""


class AlreadyExistsError(WorkspaceError, FileExistsError):
    """`create()` or `import_input()` found its name taken."""


class NotUtf8Error(WorkspaceError, ValueError):
    """Bytes that are no UTF-8, or a value that cannot be written as UTF-8."""


class WorkspaceGoneError(WorkspaceError):
    """The directory given to the run is missing, or another has its place."""


class StorageError(WorkspaceError, OSError):
    """The operating system said no: permission, full disk, damaged medium.

    `__cause__` is the `OSError`, for the Host's log; it may hold a host path.
    """


class WorkspaceCleanupWarning(RuntimeWarning):
    """Parts of a temporary workspace could not be removed."""
