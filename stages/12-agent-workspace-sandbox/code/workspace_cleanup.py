"""Remove a workspace's own tree, and nothing else, whatever a child left in it.

`tempfile.TemporaryDirectory` and `shutil.rmtree` with an error handler are the
usual tools. The first changed the mode of files *outside* through a link before
CVE-2023-6597 was fixed, and recursion without a bound can be made to fail by a
deep tree. Here each step names an entry of a directory that is held open.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
import warnings
from pathlib import Path

from confined_directory import (
    Directory,
    Identity,
    chmod_no_follow,
    identity_of,
    is_link,
)
from workspace_errors import WorkspaceCleanupWarning
from workspace_inventory import escaped

# What removing says of a directory that has something in it.
_NOT_EMPTY = {errno.ENOTEMPTY, errno.EEXIST}
if os.name == "nt":
    _NOT_EMPTY.add(errno.EACCES)  # or that is read-only
# A level holds one descriptor open; what lies deeper is moved up first.
_MAX_DEPTH = 64
# Enough for a tree 64,000 levels deep. A child that is still alive and adds
# files faster than we remove them must not keep us here for ever.
_MAX_ROUNDS = 1_000


def remove_tree(root: Path, identity: Identity, top: Directory) -> tuple[str, ...]:
    """Remove the directory `root`, held open as `top`; return what remains.

    The result is empty when nothing remains, else it has a line for each
    remainder, with its path inside the tree. Links are removed as links.
    Directories that deny access get mode 0700 first; no file's mode is changed.
    If another directory has the place of `root`, that one is left alone, and so
    is what is mounted inside. Never raises `OSError`.

    Not promised: a bound of time for a very large tree; the removal of what
    another user owns, or of a file that Windows keeps while a process has it open;
    the mode of a file that a living child links, in just that moment, into the
    place of a directory that denies access.
    """
    try:
        info = os.lstat(root)
        if identity_of(info) != identity:
            return ("the directory itself (moved; another has its place)",)
        if _is_locked(info):
            chmod_no_follow(root)
        for _ in range(_MAX_ROUNDS):
            removal = _Removal(top)
            try:
                root.rmdir()
                return ()
            except OSError as error:
                if not removal.progress:
                    return tuple(removal.left) or (_line("the directory", error),)
        return ("files that a process still adds",)
    except OSError as error:
        return (_line("the directory itself", error),)


def warn_about(name: str, left: tuple[str, ...], stacklevel: int) -> None:
    """Tell what `remove_tree` left, the first five by name."""
    if left:
        more = f" and {len(left) - 5} more" if len(left) > 5 else ""
        warnings.warn(
            f"not removed from the workspace {name}: {', '.join(left[:5])}{more}",
            WorkspaceCleanupWarning,
            stacklevel=stacklevel + 1,
        )


class _Removal:
    """One pass over the tree; `left` are the entries that resisted it."""

    def __init__(self, top: Directory) -> None:
        self.left: list[str] = []
        self.progress = False
        self._top = top.child(".")
        try:
            self._empty(self._top, "", 1)
        finally:
            self._top.close()

    def _empty(self, folder: Directory, prefix: str, depth: int) -> None:
        try:
            with folder.scan() as found:
                names = [entry.name for entry in found]
        except OSError as error:
            self.left.append(_line(prefix or "the directory", error))
            return
        for name in names:
            try:
                self._remove(folder, name, prefix, depth)
            except FileNotFoundError:
                continue
            except OSError as error:
                self.left.append(_line(prefix + name, error))

    def _remove(self, folder: Directory, name: str, prefix: str, depth: int) -> None:
        info = folder.lstat(name)
        if is_link(info) or not stat.S_ISDIR(info.st_mode):
            self._unlink(folder, name, info)
        elif not _remove_empty(folder, name):
            if _is_locked(info):
                folder.unlock(name)
            if depth == _MAX_DEPTH:
                folder.move_to(name, self._top, f".{secrets.token_hex(8)}.removing")
            elif not self._remove_full(folder, name, prefix, depth):
                return
        self.progress = True

    def _remove_full(
        self, folder: Directory, name: str, prefix: str, depth: int
    ) -> bool:
        """Remove a directory with what is in it, unless a part of that resists."""
        already_left = len(self.left)
        inner = folder.child(name)
        try:
            self._empty(inner, f"{prefix}{name}/", depth + 1)
        finally:
            inner.close()
        if len(self.left) > already_left:
            return False
        folder.remove_child(name)
        return True

    def _unlink(self, folder: Directory, name: str, info: os.stat_result) -> None:
        try:
            folder.unlink(name)
        except PermissionError:
            # Windows does not remove a read-only file. The mode belongs to the
            # file, so with a second name outside it is not ours to change.
            if os.name != "nt" or info.st_nlink != 1:
                raise
            folder.unlock(name)
            folder.unlink(name)


def _is_locked(info: os.stat_result) -> bool:
    return stat.S_IMODE(info.st_mode) & 0o700 != 0o700


def _remove_empty(folder: Directory, name: str) -> bool:
    """Remove the directory `name` if it is empty; an error if it is a mount point.

    That is why it is asked before anything in it, or its mode, is touched: what
    is mounted there is not ours to empty.
    """
    try:
        folder.remove_child(name)
    except OSError as error:
        if error.errno not in _NOT_EMPTY:
            raise
        return False
    return True


def _line(where: str, error: OSError) -> str:
    reason = os.strerror(error.errno) if error.errno else "unknown reason"
    return f"{escaped(where)} ({reason})"
