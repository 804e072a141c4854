"""The directory allocated to one run of an agent, and the rules of its files.

    inputs/     the brief and its sources; only the Host writes here
    work/       drafts
    artifacts/  optional staging; a file here is not thereby approved or delivered

The directory is a way to keep things apart, not isolation. The rules hold for
what goes through this interface. A program that ignores it has every right of
the user it runs as: it can edit an input, fill the disk, read other files.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from confined_directory import Directory, identity_of
from confined_files import create_file, read_file, replace_file
from file_budget import FileBudget
from file_refusals import root_refusal
from imported_inputs import ImportedInputs
from relative_path import RelativePath
from workspace_areas import agent_path, any_path, encode, host_path
from workspace_cleanup import remove_tree, warn_about
from workspace_errors import (
    AlreadyExistsError,
    FileBudgetError,
    MissingFileError,
    NotAFileError,
    NotUtf8Error,
    PathNameError,
    ProtectedAreaError,
    StorageError,
    WorkspaceCleanupWarning,
    WorkspaceError,
    WorkspaceEscapeError,
    WorkspaceGoneError,
)
from workspace_inventory import (
    UNLISTABLE,
    FileEntry,
    Inventory,
    Listing,
    Problem,
    take_inventory,
)
from workspace_root import find_root, make_root, refuse_moved

__all__ = [
    "AgentWorkspace",
    "AlreadyExistsError",
    "FileBudgetError",
    "FileEntry",
    "Inventory",
    "MissingFileError",
    "NotAFileError",
    "NotUtf8Error",
    "PathNameError",
    "Problem",
    "ProtectedAreaError",
    "StorageError",
    "WorkspaceCleanupWarning",
    "WorkspaceError",
    "WorkspaceEscapeError",
    "WorkspaceGoneError",
]


@dataclass(frozen=True, eq=False)
class AgentWorkspace:
    """One run's directory. `create()` makes it; `AgentWorkspace(root)` takes up
    one that `create()` made earlier, with its inputs as they are now.

    `root` is canonical. `max_file_bytes` bounds each file that is read, written
    or imported, `max_total_bytes` the sum of all files, and `max_files` the number
    of files and directories; the three areas do not count, what a child process
    made does. The totals are taken before each write from what is there, which
    costs a look at every entry. They are limits of this interface and no disk
    quota: another process can exceed them at any time.

    The root is held by a descriptor for as long as the object lives, and every
    call first checks that it still has its place: when a child moved or replaced
    it, calls raise `WorkspaceGoneError`. Threads may share a workspace.
    """

    root: Path
    max_file_bytes: int = 65_536
    max_files: int = 1_000
    max_total_bytes: int = 16_777_216

    def __post_init__(self) -> None:
        budget = FileBudget(self.max_file_bytes, self.max_files, self.max_total_bytes)
        root, directory = find_root(self.root)
        for name, value in {
            "root": root,
            "_budget": budget,
            "_identity": identity_of(directory.lstat(".")),
            "_directory": directory,
            "_imported": ImportedInputs(),
            "_writing": threading.Lock(),
        }.items():
            object.__setattr__(self, name, value)
        self._imported.take_up(self.inventory(), self.read_bytes)

    @classmethod
    def create(
        cls,
        root: str | os.PathLike[str],
        *,
        max_file_bytes: int = max_file_bytes,
        max_files: int = max_files,
        max_total_bytes: int = max_total_bytes,
    ) -> AgentWorkspace:
        """Make the directory `root` with mode 0700, and its three areas.

        The parent must exist, and nobody else may be able to rename in it. `root`
        must not exist, not even as a dangling link.
        Raises `AlreadyExistsError`, `MissingFileError` for the parent,
        `FileBudgetError` for a limit that is no positive `int`, `StorageError`,
        and `WorkspaceError` for what can be no new directory's path.
        """
        limits = (max_file_bytes, max_files, max_total_bytes)
        FileBudget(*limits)  # before anything is made
        return cls(make_root(root), *limits)

    @classmethod
    @contextlib.contextmanager
    def temporary(cls, **limits: int) -> Iterator[AgentWorkspace]:
        """A fresh workspace in the system's folder for temporary files.

        On leaving the block its own tree is removed, and nothing outside changes
        even if the tree holds links. What could not be removed is told by a
        `WorkspaceCleanupWarning`; an exception of the block always goes through.

        If the Host is killed, or interrupted while it makes or removes the
        directory, `host-first-<16 hex digits>` stays. Whoever restarts the Host
        must collect it: nothing here does.
        """
        name = f"host-first-{secrets.token_hex(8)}"
        try:
            parent = Path(tempfile.gettempdir())
        except FileNotFoundError as error:
            raise MissingFileError(
                "there is no folder for temporary files; set TMPDIR to one"
            ) from error
        workspace = cls.create(parent / name, **limits)
        try:
            yield workspace
        except BaseException:
            # With warnings turned into errors, the block's exception counts more.
            with contextlib.suppress(WorkspaceCleanupWarning):
                workspace._remove()
            raise
        workspace._remove()

    def import_input(self, relative: str, content: str | bytes) -> None:
        """Put a new file into `inputs/`. For the Host; an agent never gets this.

        Makes missing folders, never replaces. Text is stored as UTF-8, line ends
        as they are. Raises `ProtectedAreaError` outside `inputs/`,
        `AlreadyExistsError`, and what `write_text` raises.
        """
        path = host_path(relative)
        payload = content if isinstance(content, bytes) else encode(content)
        self._budget.refuse_too_large(path, payload)
        with self._writing:
            create_file(self._held(), path, payload, self._admit)
            self._imported.remember(str(path), payload)

    def write_text(self, relative: str, text: str) -> None:
        """Create or replace a draft in `work/` or `artifacts/`, as UTF-8.

        Makes missing folders. Line ends stay as they are. A reader sees the old
        text or the new. A failed write leaves the old, and so does a kill.

        Raises `PathNameError`, `ProtectedAreaError`, `WorkspaceEscapeError` for a
        link on the way or in the file's place, `NotAFileError`, `NotUtf8Error`,
        `FileBudgetError`, `StorageError` and `WorkspaceGoneError`.
        """
        path = agent_path(relative)
        payload = encode(text)
        self._budget.refuse_too_large(path, payload)
        with self._writing:
            replace_file(self._held(), path, payload, self._admit)

    def read_bytes(self, relative: str) -> bytes:
        """The content of a regular file anywhere in the workspace, never cut.

        Raises `PathNameError`, `WorkspaceEscapeError`, `MissingFileError`,
        `NotAFileError`, `FileBudgetError`, `StorageError`, `WorkspaceGoneError`.
        """
        return read_file(self._held(), any_path(relative), self.max_file_bytes)

    def read_text(self, relative: str) -> str:
        """Like `read_bytes`, as strict UTF-8; a BOM and line ends stay in it."""
        payload = self.read_bytes(relative)
        try:
            return payload.decode("utf-8")
        except UnicodeDecodeError as error:
            raise NotUtf8Error(
                f"{RelativePath.parse(relative)} is not UTF-8 at byte {error.start}; "
                "read its bytes"
            ) from None

    def inventory(self) -> Inventory:
        """Everything in the workspace, sorted; raises for nothing it finds.

        Looks at ten times `max_files` entries and 64 levels at the most. Not a
        snapshot: another process can change the tree meanwhile.
        """
        try:
            self._held()
            return take_inventory(self._listing())
        except WorkspaceError:
            return UNLISTABLE

    def changed_inputs(self) -> tuple[str, ...]:
        """Imported inputs that can no longer be read with the bytes imported.

        A child process can edit an input: that they are read-only is a rule of
        this interface alone. Files that it added are the inventory's business.
        """
        return self._imported.changed(self.read_bytes)

    def _held(self) -> Directory:
        refuse_moved(self.root, self._identity)
        return self._directory

    def _listing(self) -> Listing:
        try:
            return Listing(self._directory, max_entries=10 * self.max_files)
        except OSError as error:
            raise root_refusal(error) from error

    def _admit(self, entries: int, size: int) -> None:
        self._budget.refuse_over_total(self._listing(), entries, size)

    def _remove(self) -> None:
        left = remove_tree(self.root, self._identity, self._directory)
        warn_about(self.root.name, left, stacklevel=4)
