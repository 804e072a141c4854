"""A directory whose entries can be used without ever following a link.

Two classes with the same methods, chosen by what the system can do. All errors
are `OSError`, and a link where none may be has `errno.ELOOP` or `ENOTDIR`.

`OpenDirectory` (Linux, macOS) holds a descriptor and names entries relative to
it. A directory that is swapped for a link meanwhile is simply not what we hold.
When somebody moves the held directory out of the workspace, our next step still
lands in it: whoever can do that could have written there in the first place. For
the same reason a file system that is mounted inside is entered like a folder.

`CheckedDirectory` (Windows, others) holds a path, and before each step checks
that nothing in it is a link and that it resolves below the root. Between check
and step another process can change the answer: a concurrent hostile writer is
not covered there.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

HAS_DESCRIPTOR_PATHS = (
    os.supports_dir_fd
    >= {os.open, os.stat, os.mkdir, os.rename, os.unlink, os.rmdir, os.chmod}
    and os.scandir in os.supports_fd
    and hasattr(os, "O_DIRECTORY")
    and hasattr(os, "O_NOFOLLOW")
)

# Bit 29 of a reparse tag: this entry stands for another (a Windows link or
# junction), as opposed to a file whose storage is merely unusual.
_NAME_SURROGATE = 0x2000_0000

_O_ALWAYS = (
    getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOINHERIT", 0)
    | getattr(os, "O_BINARY", 0)
)
_O_ENTER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _O_ALWAYS
# Without O_NONBLOCK the opening of a FIFO waits for a writer, perhaps for ever.
_O_READ = (
    os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | _O_ALWAYS
)
_O_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _O_ALWAYS
# No descriptor has this number. Not -1: with that `os.scandir` lists the cwd.
_CLOSED = -2

Identity = tuple[int, int]


class Directory(Protocol):
    """What both kinds of directory can do; `name` is always one component."""

    def close(self) -> None: ...
    def child(self, name: str) -> Directory: ...
    def scan(self) -> os.ScandirIterator[str]: ...
    def lstat(self, name: str) -> os.stat_result: ...
    def open_beneath(self, names: Sequence[str]) -> int: ...
    def create_file(self, name: str) -> int: ...
    def make_child(self, name: str) -> None: ...
    def replace(self, name: str, new: str) -> None: ...
    def move_to(self, name: str, other: Directory, new: str) -> None: ...
    def unlink(self, name: str) -> None: ...
    def remove_child(self, name: str) -> None: ...
    def unlock(self, name: str) -> None: ...


class OpenDirectory:
    """A directory held by its descriptor until `close()`, or until nobody has it."""

    __slots__ = ("_fd",)

    def __init__(self, fd: int) -> None:
        self._fd = fd

    def close(self) -> None:
        """Give it back; a second time does nothing, another use is an `OSError`."""
        # From now on the number may be another file's.
        fd, self._fd = self._fd, _CLOSED
        if fd != _CLOSED:
            os.close(fd)

    def __del__(self) -> None:
        # A workspace that nobody has any more, or an interrupt.
        self.close()

    def child(self, name: str) -> OpenDirectory:
        return OpenDirectory(os.open(name, _O_ENTER, dir_fd=self._fd))

    def scan(self) -> os.ScandirIterator[str]:
        """All entries. One scan at a time: they share the descriptor's position."""
        return os.scandir(self._fd)

    def lstat(self, name: str) -> os.stat_result:
        return os.stat(name, dir_fd=self._fd, follow_symlinks=False)

    def open_beneath(self, names: Sequence[str]) -> int:
        """A descriptor for reading the last of `names`, walking through the others.

        It may be of a FIFO or a device: the caller looks with `fstat`.
        """
        fd = self._fd
        try:
            for name in names[:-1]:
                inner = os.open(name, _O_ENTER, dir_fd=fd)
                if fd != self._fd:
                    os.close(fd)
                fd = inner
            return os.open(names[-1], _O_READ, dir_fd=fd)
        finally:
            if fd != self._fd:
                os.close(fd)

    def create_file(self, name: str) -> int:
        return os.open(name, _O_CREATE, 0o600, dir_fd=self._fd)

    def make_child(self, name: str) -> None:
        os.mkdir(name, 0o700, dir_fd=self._fd)

    def replace(self, name: str, new: str) -> None:
        os.rename(name, new, src_dir_fd=self._fd, dst_dir_fd=self._fd)

    def move_to(self, name: str, other: OpenDirectory, new: str) -> None:
        os.rename(name, new, src_dir_fd=self._fd, dst_dir_fd=other._fd)

    def unlink(self, name: str) -> None:
        os.unlink(name, dir_fd=self._fd)

    def remove_child(self, name: str) -> None:
        os.rmdir(name, dir_fd=self._fd)

    def unlock(self, name: str) -> None:
        chmod_no_follow(name, self._fd)


class CheckedDirectory:
    """A directory held by its path, looked at again before each step."""

    __slots__ = ("_path", "_root")

    def __init__(self, path: Path, root: Path) -> None:
        self._path = path
        self._root = root

    def close(self) -> None:
        """Nothing is held open."""

    def child(self, name: str) -> CheckedDirectory:
        """The directory `name` in this one; a link is an `OSError`."""
        inner = self._inside(name)
        info = os.lstat(inner)
        if is_link(info):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        if not stat.S_ISDIR(info.st_mode):
            raise OSError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        return CheckedDirectory(inner, self._root)

    def scan(self) -> os.ScandirIterator[str]:
        return os.scandir(self._inside(""))

    def lstat(self, name: str) -> os.stat_result:
        return os.lstat(self._inside(name))

    def open_beneath(self, names: Sequence[str]) -> int:
        """Like that of `OpenDirectory`, but refuses all but regular files itself."""
        folder = self
        for name in names[:-1]:
            folder = folder.child(name)
        path = folder._inside(names[-1])
        before = os.lstat(path)
        if is_link(before):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        if not stat.S_ISREG(before.st_mode):
            raise OSError(errno.EISDIR, os.strerror(errno.EISDIR))
        fd = os.open(path, _O_READ)
        if not os.path.samestat(os.fstat(fd), before):
            os.close(fd)
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        return fd

    def create_file(self, name: str) -> int:
        return os.open(self._inside(name), _O_CREATE, 0o600)

    def make_child(self, name: str) -> None:
        self._inside(name).mkdir(0o700)

    def replace(self, name: str, new: str) -> None:
        self._inside(name).replace(self._inside(new))

    def move_to(self, name: str, other: CheckedDirectory, new: str) -> None:
        self._inside(name).rename(other._inside(new))

    def unlink(self, name: str) -> None:
        self._inside(name).unlink()

    def remove_child(self, name: str) -> None:
        self._inside(name).rmdir()

    def unlock(self, name: str) -> None:
        chmod_no_follow(self._inside(name))

    def _inside(self, name: str) -> Path:
        """The entry's path, after checking that this directory is still ours."""
        # Not Path.resolve(): before Python 3.13 a loop of links makes it raise
        # RuntimeError.
        real = Path(os.path.realpath(self._path, strict=True))
        if not real.is_relative_to(self._root):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        return self._path / name


def is_link(info: os.stat_result) -> bool:
    """Whether an `lstat` result is of a symbolic link or a Windows junction."""
    return stat.S_ISLNK(info.st_mode) or bool(
        getattr(info, "st_reparse_tag", 0) & _NAME_SURROGATE
    )


def open_root(root: Path) -> Directory:
    """Hold the directory at the canonical path `root`; a link there is an error."""
    if HAS_DESCRIPTOR_PATHS:
        return OpenDirectory(os.open(root, _O_ENTER))
    return CheckedDirectory(root, root).child(".")


def identity_of(info: os.stat_result) -> Identity:
    """Device and inode, by which a directory is known again.

    Not noticed: a directory that was removed and made again with the same inode
    number. That cannot happen while a descriptor of the first is open.
    """
    return info.st_dev, info.st_ino


def chmod_no_follow(path: Path | str, dir_fd: int | None = None) -> None:
    """Give the owner all rights on the entry itself; a link is an `OSError`."""
    try:
        os.chmod(path, 0o700, dir_fd=dir_fd, follow_symlinks=False)
    except (NotImplementedError, ValueError):
        # What Python says for a link, and where the system cannot do it at all.
        if HAS_DESCRIPTOR_PATHS or is_link(os.lstat(path)):
            raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP)) from None
        Path(path).chmod(0o700)
