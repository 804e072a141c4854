"""Read and write one file below an open root, following no link anywhere.

What is read or written is the descriptor that was opened, never the path a second
time. The root stays open and belongs to the caller.
"""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from confined_directory import Directory, is_link
from file_refusals import (
    link_refusal,
    not_a_file,
    refusal,
    storage_error,
)
from relative_path import RelativePath
from workspace_errors import FileBudgetError

# Takes the entries and the bytes (perhaps negative) that a write adds, before
# anything is created, and raises to refuse it.
Admission = Callable[[int, int], None]

_CHUNK = 1_048_576


def read_file(root: Directory, path: RelativePath, limit: int) -> bytes:
    """All bytes of the regular file at `path`, of which there are at most `limit`.

    Takes `limit + 1` bytes at the most, whatever size the system reports: that
    is 0 for some files and out of date for a growing one.

    A file with several names (hard links) is read: the other names may belong to
    a backup or a copy-on-write tool, and whoever could make such a link inside
    the workspace could read the file anyway.
    """
    try:
        fd = root.open_beneath(path.parts)
    except OSError as error:
        raise refusal(root, path, error) from error
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise not_a_file(path)
        return _read_bounded(fd, limit, path)
    finally:
        os.close(fd)


def replace_file(
    root: Directory, path: RelativePath, payload: bytes, admit: Admission
) -> None:
    """Give `path` the content `payload`, at once or not at all.

    The bytes go to a new file `.<16 hex digits>.draft` in the same directory,
    which then takes the name: whatever had the name keeps its bytes, and a reader
    sees old or new. If the Host is killed in between, that file stays behind and
    the inventory shows it. A new file has mode 0600 and a new folder 0700, less
    what the umask takes.

    Not promised: that the bytes survive a power failure (there is no fsync), and
    that folders made for the file go away when a later step fails.
    """
    with _folder_for(root, path, len(payload), admit) as folder:
        temporary = f".{secrets.token_hex(8)}.draft"
        try:
            _create(folder, temporary, payload)
            folder.replace(temporary, path.parts[-1])
        except BaseException:
            with suppress(OSError):
                folder.unlink(temporary)
            raise


def create_file(
    root: Directory, path: RelativePath, payload: bytes, admit: Admission
) -> None:
    """Create `path`, which must not exist, with `payload`.

    A write that fails removes the file again. A reader that comes too early can
    see a part of it, and a Host that is killed leaves a part.
    """
    with _folder_for(root, path, len(payload), admit) as folder:
        _create(folder, path.parts[-1], payload)


@contextmanager
def _folder_for(
    root: Directory, path: RelativePath, size: int, admit: Admission
) -> Iterator[Directory]:
    """The folder of `path`, made if need be, once `size` bytes are admitted.

    What the system refuses within the block becomes a refusal of `path`.
    """
    folder, missing = _descend(root, path)
    try:
        old = None if missing else _file_in_place(folder, path)
        if old is None:
            admit(len(missing) + 1, size)
        else:
            admit(0, size - old.st_size)
        try:
            for name in missing:
                folder = _make_child(root, folder, name)
            yield folder
        except OSError as error:
            raise refusal(root, path, error) from error
    finally:
        if folder is not root:
            folder.close()


def _descend(root: Directory, path: RelativePath) -> tuple[Directory, list[str]]:
    """The deepest existing folder on the way to `path`, and the missing names."""
    folder = root
    folders = path.parts[:-1]
    for depth, name in enumerate(folders):
        try:
            inner = folder.child(name)
        except FileNotFoundError:
            return folder, list(folders[depth:])
        except OSError as error:
            if folder is not root:
                folder.close()
            raise refusal(root, path, error) from error
        if folder is not root:
            folder.close()
        folder = inner
    return folder, []


def _make_child(root: Directory, folder: Directory, name: str) -> Directory:
    # Somebody may have made it meanwhile; entering decides whether it will do.
    with suppress(FileExistsError):
        folder.make_child(name)
    inner = folder.child(name)
    if folder is not root:
        folder.close()
    return inner


def _file_in_place(folder: Directory, path: RelativePath) -> os.stat_result | None:
    """The regular file that has the name now, or None; anything else is refused."""
    try:
        info = folder.lstat(path.parts[-1])
    except FileNotFoundError:
        return None
    except OSError as error:
        raise storage_error(str(path), error) from error
    if is_link(info):
        raise link_refusal(str(path))
    if not stat.S_ISREG(info.st_mode):
        raise not_a_file(path)
    return info


def _create(folder: Directory, name: str, payload: bytes) -> None:
    fd = folder.create_file(name)
    try:
        try:
            _write_all(fd, payload)
        finally:
            os.close(fd)
    except BaseException:
        with suppress(OSError):
            folder.unlink(name)
        raise


def _write_all(fd: int, payload: bytes) -> None:
    rest = memoryview(payload)
    # One write may take a part only, of any file and on any system.
    while rest:
        rest = rest[os.write(fd, rest) :]


def _read_bounded(fd: int, limit: int, path: RelativePath) -> bytes:
    pieces = []
    room = limit + 1
    try:
        while room and (piece := os.read(fd, min(room, _CHUNK))):
            pieces.append(piece)
            room -= len(piece)
    except OSError as error:
        raise storage_error(str(path), error) from error
    if not room:
        raise FileBudgetError(
            f"{path} is larger than {limit} bytes; use a smaller file"
        )
    return b"".join(pieces)
