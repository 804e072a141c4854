"""What is in a workspace: everything once, without following or opening anything.

`os.walk` and `Path.rglob` pass over a directory that they cannot list. Here it is
a problem with a name, because "nothing found" and "could not look" differ.
"""

from __future__ import annotations

import errno
import os
import stat
from dataclasses import dataclass

from confined_directory import Directory, is_link
from relative_path import MAX_COMPONENTS, MAX_PATH_BYTES, name_fault
from workspace_areas import AREAS

# Each level holds a descriptor open while the ones below it are listed.
MAX_DEPTH = 64


@dataclass(frozen=True)
class FileEntry:
    """A regular file in one of the areas that the interface can name and read.

    Its mode may still forbid the reading: the inventory does not open files.
    """

    path: str
    size_bytes: int


@dataclass(frozen=True)
class Problem:
    """An entry that is no ordinary file of the run.

    `kind` is the first that fits of `link`, `special` (FIFO, socket, device),
    `unreadable` (cannot be listed or looked at), `limit` (not looked into: too
    deep, or too many entries), `name` (`RelativePath` would refuse it) and
    `outside-areas`. In `path` every character that does not print, and the
    backslash, is shown as a Python escape.
    """

    path: str
    kind: str


@dataclass(frozen=True)
class Inventory:
    """`complete` is False when a part could not be listed; `problems` says which."""

    files: tuple[FileEntry, ...]
    problems: tuple[Problem, ...]
    complete: bool


UNLISTABLE = Inventory((), (Problem(".", "unreadable"),), complete=False)


# A path, a kind (file, directory, or one of `Problem`), and a size in bytes. Plain
# tuples: there is one for every entry, before every write.
Listed = tuple[str, str, int]


class Listing:
    """The entries below `root`, in no order, `max_entries` of them at the most.

    Goes `MAX_DEPTH` directories deep. An entry that is gone by the time it is
    looked at is left out. Raises nothing for what it finds, and `OSError` when
    `root` itself cannot be opened.
    """

    def __init__(self, root: Directory, max_entries: int) -> None:
        self.entries: list[Listed] = []
        self.complete = True
        self._room = max_entries
        # A descriptor of our own: threads that list `root` at the same time would
        # share its position and each see a part.
        top = root.child(".")
        try:
            self._visit(top, "", 1)
        finally:
            top.close()

    def _visit(self, folder: Directory, prefix: str, depth: int) -> None:
        for name in self._list(folder, prefix):
            path = prefix + name
            if depth == MAX_DEPTH:
                self._gap(path, "limit")
                continue
            try:
                inner = folder.child(name)
            except FileNotFoundError:
                continue
            except OSError as error:
                if error.errno == errno.ELOOP:  # a junction, or swapped just now
                    self.entries.append((path, "link", 0))
                else:
                    self._gap(path, "unreadable")
                continue
            self.entries.append((path, "directory", 0))
            try:
                self._visit(inner, path + "/", depth + 1)
            finally:
                inner.close()

    def _list(self, folder: Directory, prefix: str) -> list[str]:
        """Take up what `folder` holds; return the names of its directories."""
        directories = []
        try:
            with folder.scan() as found:
                for entry in found:
                    if not self._room:
                        self._gap(prefix[:-1] or ".", "limit")
                        break
                    self._room -= 1
                    if self._take(entry, prefix + entry.name):
                        directories.append(entry.name)
        except OSError:
            self._gap(prefix[:-1] or ".", "unreadable")
        return directories

    def _take(self, entry: os.DirEntry[str], path: str) -> bool:
        """Record `entry`, or return True for a directory."""
        try:
            # What most systems tell with the name costs no further question.
            if entry.is_dir(follow_symlinks=False):
                return True
            info = entry.stat(follow_symlinks=False)
        except FileNotFoundError:
            return False
        except OSError:
            self._gap(path, "unreadable")
            return False
        if is_link(info):
            self.entries.append((path, "link", 0))
        elif stat.S_ISREG(info.st_mode):
            self.entries.append((path, "file", info.st_size))
        else:
            self.entries.append((path, "special", 0))
        return False

    def _gap(self, path: str, kind: str) -> None:
        self.complete = False
        self.entries.append((path, kind, 0))


def take_inventory(listing: Listing) -> Inventory:
    """Sort a listing into files and problems, each path once."""
    files = {}
    problems = {}
    misnamed = set()
    # A directory comes before what is in it.
    for path, kind, size_bytes in listing.entries:
        parent, _, name = path.rpartition("/")
        if kind not in ("file", "directory"):
            problems[path] = kind
        elif parent in misnamed or name_fault(name) or _too_long(path):
            misnamed.add(path)
            problems[path] = "name"
        elif path.partition("/")[0] not in AREAS or (path in AREAS and kind == "file"):
            problems[path] = "outside-areas"
        elif kind == "file":
            files[path] = size_bytes
    return Inventory(
        tuple(FileEntry(path, files[path]) for path in sorted(files)),
        tuple(Problem(escaped(path), problems[path]) for path in sorted(problems)),
        listing.complete,
    )


def totals(listing: Listing) -> tuple[int, int]:
    """Regular files and directories, without the areas; bytes of the files."""
    count = size = 0
    for path, kind, size_bytes in listing.entries:
        if kind == "file":
            size += size_bytes
        elif kind != "directory" or path in AREAS:
            continue
        count += 1
    return count, size


def _too_long(path: str) -> bool:
    return (
        path.count("/") >= MAX_COMPONENTS or len(path.encode("utf-8")) > MAX_PATH_BYTES
    )


def escaped(path: str) -> str:
    """`path` with nothing in it that could move a cursor or forge a line."""
    return "".join(
        letter
        if letter.isprintable() and letter != "\\"
        else letter.encode("unicode_escape").decode("ascii")
        for letter in path
    )
