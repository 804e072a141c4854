"""Checks of workspace.py and its parts: real files, real links, real processes."""

from __future__ import annotations

import copy
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import tracemalloc
import unittest
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import ClassVar
from unittest import mock

import confined_files
from check_support import CODE, Beside, is_interrupted
from confined_directory import HAS_DESCRIPTOR_PATHS, open_root
from confined_files import read_file
from relative_path import RelativePath
from workspace import (
    AgentWorkspace,
    AlreadyExistsError,
    FileBudgetError,
    FileEntry,
    MissingFileError,
    NotAFileError,
    NotUtf8Error,
    PathNameError,
    Problem,
    ProtectedAreaError,
    WorkspaceCleanupWarning,
    WorkspaceError,
    WorkspaceEscapeError,
    WorkspaceGoneError,
)
from workspace_inventory import Listing

__all__ = [
    "WorkspaceAreaChecks",
    "WorkspaceBudgetChecks",
    "WorkspaceCleanupChecks",
    "WorkspaceDescriptorChecks",
    "WorkspaceFileChecks",
    "WorkspaceInputChecks",
    "WorkspaceInventoryChecks",
    "WorkspaceLinkChecks",
    "WorkspacePrivilegeChecks",
    "WorkspaceRaceChecks",
    "WorkspaceRootChecks",
    "WorkspaceThreadChecks",
    "WorkspaceWriteFailureChecks",
]

CANARY = b"SYNTHETIC CANARY"


def can_link() -> bool:
    with tempfile.TemporaryDirectory() as folder:
        try:
            Path(folder, "link").symlink_to("nowhere")
        except OSError:
            return False
    return True


needs_links = unittest.skipUnless(
    can_link(), "no right to make symbolic links; on Windows, turn on developer mode"
)
needs_posix = unittest.skipUnless(
    os.name == "posix", "FIFOs, modes and signals are those of Linux and macOS"
)
needs_utf8_names = unittest.skipUnless(
    sys.getfilesystemencoding() == "utf-8",
    "file names are not UTF-8 in this process; start it with PYTHONUTF8=1",
)
needs_descriptors = unittest.skipUnless(
    HAS_DESCRIPTOR_PATHS, "this system has no dir_fd: concurrent writers not covered"
)


def python_command(code: str, *arguments: object) -> list[str]:
    """A child that runs `code`; started in CODE, it has our modules in reach."""
    return [sys.executable, "-S", "-B", "-c", code, *map(str, arguments)]


def run_python(
    code: str, *arguments: object, **options: object
) -> subprocess.CompletedProcess[str]:
    """How a child ended, and what it said."""
    return subprocess.run(
        python_command(code, *arguments),
        cwd=CODE,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        **options,
    )


@contextmanager
def running_python(code: str, *arguments: object) -> Iterator[subprocess.Popen[str]]:
    """A child that says `ready` and goes on until it is killed at the end."""
    child = subprocess.Popen(
        python_command(code, *arguments),
        cwd=CODE,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    )
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        yield child
    finally:
        child.kill()
        child.communicate()


class WorkspaceCase(unittest.TestCase):
    """A fresh workspace, and beside it a folder that stands for the Host's files."""

    limits: ClassVar[dict[str, int]] = {}

    def setUp(self) -> None:
        base = tempfile.TemporaryDirectory()
        self.addCleanup(base.cleanup)
        self.base = Path(os.path.realpath(base.name))
        self.outside = self.base / "outside"
        self.outside.mkdir()
        self.canary = self.outside / "canary.txt"
        self.canary.write_bytes(CANARY)
        self.workspace = AgentWorkspace.create(self.base / "run", **self.limits)
        self.root = self.workspace.root

    def problems(self) -> dict[str, str]:
        return {p.path: p.kind for p in self.workspace.inventory().problems}

    def assert_outside_unchanged(self) -> None:
        self.assertEqual(os.listdir(self.outside), ["canary.txt"])
        self.assertEqual(self.canary.read_bytes(), CANARY)


class WorkspaceFileChecks(WorkspaceCase):
    """Writing and reading, when nobody gets in the way."""

    def test_a_draft_is_read_back_as_written(self) -> None:
        """Text returns unchanged, with every kind of line end, as UTF-8 on disk."""
        text = "# 试点\r\nlone\rfeed\n\ufeffend"
        self.workspace.write_text("work/a/b/report.md", text)
        self.assertEqual(self.workspace.read_text("work/a/b/report.md"), text)
        stored = (self.root / "work/a/b/report.md").read_bytes()
        self.assertEqual(stored, text.encode("utf-8"))
        self.assertEqual(self.workspace.read_bytes("work/a/b/report.md"), stored)

    @needs_utf8_names
    def test_names_in_any_script_work(self) -> None:
        """A Chinese name is written, listed and read."""
        self.workspace.write_text("work/试点/报告.md", "x")
        self.assertEqual(self.workspace.read_text("work/试点/报告.md"), "x")
        found = self.workspace.inventory().files
        self.assertEqual(found, (FileEntry("work/试点/报告.md", 1),))

    def test_a_second_write_replaces(self) -> None:
        """A draft can be replaced by a shorter, a longer and an empty one."""
        for text in ("first text", "2nd", "the third is the longest", ""):
            self.workspace.write_text("artifacts/x.md", text)
            self.assertEqual(self.workspace.read_text("artifacts/x.md"), text)
        self.assertEqual(os.listdir(self.root / "artifacts"), ["x.md"])

    def test_a_missing_file_is_told(self) -> None:
        """Reading what is not there is `MissingFileError`, also below no folder."""
        for path in ("work/none.md", "none/none.md", "none"):
            with self.assertRaises(MissingFileError):
                self.workspace.read_bytes(path)

    def test_what_is_no_utf8_is_refused(self) -> None:
        """Bytes that are no UTF-8 fail as text, and a lone surrogate is not written."""
        (self.root / "work/latin").write_bytes(b"caf\xe9")
        with self.assertRaises(NotUtf8Error):
            self.workspace.read_text("work/latin")
        self.assertEqual(self.workspace.read_bytes("work/latin"), b"caf\xe9")
        for text in ("a\ud800b", b"bytes", None):
            with self.assertRaises(NotUtf8Error):
                self.workspace.write_text("work/x", text)
            with self.assertRaises(NotUtf8Error):
                self.workspace.import_input("inputs/x", text if text != b"bytes" else 5)
        self.assertEqual(self.workspace.inventory().files[0].path, "work/latin")

    def test_a_directory_is_no_file(self) -> None:
        """A directory is neither read nor replaced, an area least of all."""
        self.workspace.write_text("work/folder/x", "kept")
        for path in ("work/folder", "work", "inputs"):
            with self.assertRaises(NotAFileError):
                self.workspace.read_bytes(path)
        for path in ("work/folder", "work", "artifacts"):
            with self.assertRaises(NotAFileError):
                self.workspace.write_text(path, "x")
        with self.assertRaises(NotAFileError):
            self.workspace.write_text("work/folder/x/below", "x")
        with self.assertRaises(NotAFileError):
            self.workspace.read_bytes("work/folder/x/below")
        self.assertEqual(self.workspace.read_text("work/folder/x"), "kept")

    def test_an_area_that_was_removed_is_made_again(self) -> None:
        """A write after a child removed `work/` makes it, and never a file `work`."""
        (self.root / "work").rmdir()
        with self.assertRaises(NotAFileError):
            self.workspace.write_text("work", "x")
        self.workspace.write_text("work/x.md", "x")
        self.assertEqual(self.workspace.read_text("work/x.md"), "x")

    @needs_posix
    def test_special_files_are_refused_at_once(self) -> None:
        """FIFOs, sockets and devices are refused without waiting, and stay."""
        os.mkfifo(self.root / "work/fifo")
        names = ["work/fifo"]
        with socket.socket(socket.AF_UNIX) as server:
            short = os.path.relpath(self.root / "work/socket")
            place = min(short, str(self.root / "work/socket"), key=len)
            try:
                server.bind(place)
                names.append("work/socket")
            except OSError:
                pass  # the path is too long for a socket here
            with suppress(OSError):
                os.mknod(self.root / "work/zero", 0o600 | 0o020000, os.makedev(1, 5))
                names.append("work/zero")
            # Should an opening of the FIFO wait after all, this lets it go.
            released: list[str] = []
            release = threading.Timer(5, self.open_for_writing, [names[0], released])
            release.start()
            self.addCleanup(release.cancel)
            for name in names:
                with self.subTest(name), self.assertRaises(NotAFileError):
                    self.workspace.read_bytes(name)
                with self.subTest(name), self.assertRaises(NotAFileError):
                    self.workspace.write_text(name, "x")
                self.assertEqual(self.problems()[name], "special")
            self.assertEqual(released, [], "something waited for the FIFO")

    def open_for_writing(self, name: str, released: list[str]) -> None:
        released.append(name)
        with suppress(OSError):
            os.close(os.open(self.root / name, os.O_WRONLY | os.O_NONBLOCK))

    @needs_posix
    def test_a_hard_link_outside_keeps_its_bytes(self) -> None:
        """A file with a second name is read; a write leaves the other name alone."""
        os.link(self.canary, self.root / "work/twin")
        self.assertEqual(self.workspace.read_bytes("work/twin"), CANARY)
        self.workspace.write_text("work/twin", "draft")
        self.assertEqual(self.workspace.read_text("work/twin"), "draft")
        self.assert_outside_unchanged()

    @needs_posix
    def test_drafts_are_private(self) -> None:
        """Files get mode 0600 and new folders 0700, not what they replace had."""
        self.workspace.write_text("work/a/x", "1")
        (self.root / "work/a/x").chmod(0o777)
        self.workspace.write_text("work/a/x", "2")
        self.assertEqual((self.root / "work/a/x").stat().st_mode & 0o777, 0o600)
        self.assertEqual((self.root / "work/a").stat().st_mode & 0o777, 0o700)


ASCII_NAMES = """
import sys
from workspace import *
workspace = AgentWorkspace(sys.argv[1])
if sys.getfilesystemencoding() == 'utf-8': print('utf-8')
for operation in (workspace.read_bytes,
                  lambda path: workspace.write_text(path, 'x'),
                  lambda path: workspace.import_input(path, 'x'),
                  AgentWorkspace.create, AgentWorkspace):
    try: operation('work/\\u8bd5')
    except WorkspaceError as error: print(type(error).__name__)
"""


class WorkspaceAreaChecks(WorkspaceCase):
    """Who may write where."""

    def test_an_agent_writes_to_its_two_areas_only(self) -> None:
        """Any other first name is protected, however it is reached or spelt."""
        self.workspace.import_input("inputs/brief.txt", "brief")
        for path in (
            *("inputs/brief.txt", "work/../inputs/brief.txt", "inputs/new", "inputs"),
            *("Inputs/x", "INPUTS/brief.txt", "WORK/x", "Artifacts/x", "x", "other/x"),
        ):
            with self.subTest(path), self.assertRaises(ProtectedAreaError):
                self.workspace.write_text(path, "x")
        self.workspace.write_text("work/x", "x")
        self.workspace.write_text("inputs/../artifacts/x", "x")
        found = [entry.path for entry in self.workspace.inventory().files]
        self.assertEqual(found, ["artifacts/x", "inputs/brief.txt", "work/x"])
        self.assertEqual(sorted(os.listdir(self.root)), ["artifacts", "inputs", "work"])
        self.assertEqual(self.workspace.read_text("inputs/brief.txt"), "brief")

    def test_reading_is_open_to_the_whole_workspace(self) -> None:
        """A file that a child left beside the areas can be read."""
        (self.root / "out.txt").write_bytes(b"from a child")
        self.assertEqual(self.workspace.read_text("out.txt"), "from a child")

    def test_paths_that_leave_are_refused_by_each_operation(self) -> None:
        """Reading, writing and importing all refuse what `RelativePath` refuses."""
        operations: tuple[Callable[[str], object], ...] = (
            self.workspace.read_bytes,
            self.workspace.read_text,
            lambda path: self.workspace.write_text(path, "x"),
            lambda path: self.workspace.import_input(path, "x"),
        )
        for operation in operations:
            for path in ("../outside/canary.txt", str(self.canary), "work/../../run/x"):
                with self.assertRaises((WorkspaceEscapeError, PathNameError)):
                    operation(path)
            for path in ("work/CON", "work/a\\b", "", None):
                with self.assertRaises(PathNameError):
                    operation(path)
        self.assert_outside_unchanged()
        self.assertEqual(self.workspace.inventory().files, ())

    @needs_posix
    def test_names_that_the_process_cannot_say_are_refused(self) -> None:
        """Where file names are ASCII, a Chinese one is a `WorkspaceError`."""
        environment = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
        done = run_python(ASCII_NAMES, self.root, env={**os.environ, **environment})
        said = done.stdout.split()
        if said[0] == "utf-8":
            self.skipTest("file names are UTF-8 here in every locale")
        self.assertEqual(said, ["StorageError"] * 3 + ["WorkspaceError"] * 2)

    def test_a_tilde_is_a_plain_character(self) -> None:
        """`~` names a folder of that name and not anybody's home."""
        self.workspace.write_text("work/~/x", "x")
        self.assertEqual((self.root / "work" / "~" / "x").read_bytes(), b"x")

    def test_refusals_name_no_host_path(self) -> None:
        """No message has a path of the Host in it, and each says what to do."""
        (self.root / "work/folder").mkdir()
        (self.root / "work/latin").write_bytes(b"\xff")
        self.workspace.import_input("inputs/a", "a")
        refusals: tuple[Callable[[], object], ...] = (
            lambda: self.workspace.read_bytes("work/none"),
            lambda: self.workspace.read_bytes("work/folder"),
            lambda: self.workspace.read_text("work/latin"),
            lambda: self.workspace.write_text("inputs/x", "x"),
            lambda: self.workspace.write_text("work/x", "x" * 65_537),
            lambda: self.workspace.import_input("inputs/a", "b"),
            lambda: self.workspace.read_bytes("../x"),
            lambda: AgentWorkspace.create(self.root),
            lambda: AgentWorkspace.create(self.base / "none" / "run"),
            lambda: AgentWorkspace(self.outside),
            lambda: AgentWorkspace(self.base / "none"),
        )
        for refusal in refusals:
            with self.assertRaises(WorkspaceError) as caught:
                refusal()
            message = str(caught.exception)
            self.assertNotIn(self.base.name, message)
            self.assertRegex(message, "; .*[a-z]")
            self.assertTrue(message.isprintable())


@needs_links
class WorkspaceLinkChecks(WorkspaceCase):
    """Links of every kind, on every component."""

    def setUp(self) -> None:
        super().setUp()
        self.workspace.write_text("work/real/x.md", "real")
        self.links = {
            "work/leaf-out": self.canary,
            "work/leaf-in": self.root / "work/real/x.md",
            "work/leaf-relative": "real/x.md",
            "work/dangling": "nowhere",
            "work/loop": "loop",
            "work/folder-out": self.outside,
            "work/folder-in": self.root / "work/real",
        }
        for name, target in self.links.items():
            (self.root / name).symlink_to(target)
        self.below = ("work/folder-out/canary.txt", "work/folder-in/x.md")

    def test_reading_through_a_link_is_refused(self) -> None:
        """A link is refused as leaf and as folder: out, in, relative, dangling."""
        for path in (*self.links, *self.below, "work/loop/x"):
            with self.subTest(path), self.assertRaises(WorkspaceEscapeError):
                self.workspace.read_bytes(path)
        self.assertEqual(self.workspace.read_text("work/real/x.md"), "real")

    def test_writing_onto_or_through_a_link_is_refused(self) -> None:
        """The link stays a link, its target stays as it was, nothing is created."""
        for path in (*self.links, *self.below, "work/folder-out/new/x", "work/loop/x"):
            with self.subTest(path), self.assertRaises(WorkspaceEscapeError):
                self.workspace.write_text(path, "through")
        self.assert_outside_unchanged()
        self.assertTrue(all((self.root / name).is_symlink() for name in self.links))
        self.assertEqual(self.workspace.read_text("work/real/x.md"), "real")
        self.assertEqual(os.listdir(self.root / "work/real"), ["x.md"])

    def test_importing_over_a_link_is_an_escape(self) -> None:
        """Also over a dangling one, whose target is not created."""
        (self.root / "inputs/dangling").symlink_to(self.outside / "new")
        (self.root / "inputs/folder").symlink_to(self.outside)
        for path in ("inputs/dangling", "inputs/folder/x"):
            with self.subTest(path), self.assertRaises(WorkspaceEscapeError):
                self.workspace.import_input(path, "x")
        self.assert_outside_unchanged()

    def test_a_link_that_dots_take_back_is_not_visited(self) -> None:
        """`work/leaf-out/../x` is `work/x`, whatever `leaf-out` is."""
        self.workspace.write_text("work/folder-out/../x", "x")
        self.assertEqual(self.workspace.read_text("work/leaf-out/../x"), "x")
        self.assert_outside_unchanged()

    def test_an_area_that_is_a_link_is_refused(self) -> None:
        """A child that replaced `work/` by a link gets nothing written there."""
        shutil.rmtree(self.root / "work")
        (self.root / "work").symlink_to(self.outside)
        with self.assertRaises(WorkspaceEscapeError):
            self.workspace.write_text("work/x", "x")
        with self.assertRaises(WorkspaceEscapeError):
            self.workspace.read_bytes("work/canary.txt")
        self.assert_outside_unchanged()
        self.assertEqual(self.problems(), {"work": "link"})

    def test_the_inventory_lists_links_and_follows_none(self) -> None:
        """Every link is a problem, and nothing behind one is listed."""
        inventory = self.workspace.inventory()
        self.assertEqual(inventory.files, (FileEntry("work/real/x.md", 4),))
        expected = tuple(Problem(name, "link") for name in sorted(self.links))
        self.assertEqual(inventory.problems, expected)
        self.assertTrue(inventory.complete)


class WorkspaceBudgetChecks(WorkspaceCase):
    """Limits of size and number: exactly the limit is accepted, one more is not."""

    limits: ClassVar[dict[str, int]] = {
        "max_file_bytes": 10,
        "max_files": 6,
        "max_total_bytes": 40,
    }

    def test_a_file_of_exactly_the_limit_is_accepted(self) -> None:
        """10 bytes are written, imported and read; 11 are not, and never cut."""
        for text in ("x" * 10, "试试试x"):
            self.workspace.write_text("work/x", text)
            self.assertEqual(self.workspace.read_text("work/x"), text)
        self.workspace.import_input("inputs/x", b"y" * 10)
        with self.assertRaises(FileBudgetError):
            self.workspace.write_text("work/x", "试试试xx")
        with self.assertRaises(FileBudgetError):
            self.workspace.import_input("inputs/y", b"y" * 11)
        self.assertEqual(self.workspace.read_text("work/x"), "试试试x")
        (self.root / "work/large").write_bytes(b"z" * 11)
        with self.assertRaises(FileBudgetError):
            self.workspace.read_bytes("work/large")

    def test_reading_takes_no_more_than_the_limit(self) -> None:
        """A sparse file of 1 GiB is refused without that much memory."""
        with (self.root / "work/sparse").open("wb") as file:
            file.truncate(1_073_741_824)
        tracemalloc.start()
        try:
            with self.assertRaises(FileBudgetError):
                self.workspace.read_bytes("work/sparse")
            self.assertLess(tracemalloc.get_traced_memory()[1], 1_000_000)
        finally:
            tracemalloc.stop()

    @unittest.skipUnless(Path("/proc/self/status").exists(), "no /proc to read from")
    def test_a_size_of_zero_is_not_believed(self) -> None:
        """A file that reports 0 bytes is read to its end, and within the limit."""
        directory = open_root(Path(os.path.realpath("/proc/self")))
        try:
            status = RelativePath.parse("status")
            self.assertIn(b"Name:", read_file(directory, status, 65_536))
            with self.assertRaises(FileBudgetError):
                read_file(directory, status, 10)
        finally:
            directory.close()

    def test_files_and_directories_count_but_the_areas_do_not(self) -> None:
        """Six entries are accepted, folders and a child's files among them."""
        self.workspace.import_input("inputs/a/x", "1")
        (self.root / "child.txt").write_bytes(b"")
        self.workspace.write_text("work/a/x", "1")
        with self.assertRaises(FileBudgetError):
            self.workspace.write_text("work/b/x", "1")
        self.assertFalse((self.root / "work/b").exists())
        self.workspace.write_text("work/a/y", "1")
        with self.assertRaises(FileBudgetError):
            self.workspace.write_text("work/a/z", "1")
        with self.assertRaises(FileBudgetError):
            self.workspace.import_input("inputs/z", "1")
        self.workspace.write_text("work/a/y", "replaced")
        self.assertEqual(os.listdir(self.root / "inputs"), ["a"])

    def test_the_sum_of_bytes_is_checked_before_a_write(self) -> None:
        """40 bytes in all are accepted; a replaced draft counts the difference."""
        for name in ("inputs/a", "inputs/b"):
            self.workspace.import_input(name, "x" * 10)
        (self.root / "child.txt").write_bytes(b"x" * 10)
        self.workspace.write_text("work/a", "x" * 10)
        with self.assertRaises(FileBudgetError):
            self.workspace.write_text("work/b", "x")
        with self.assertRaises(FileBudgetError):
            self.workspace.import_input("inputs/c", "x")
        self.workspace.write_text("work/a", "y" * 10)
        self.workspace.write_text("work/a", "y" * 9)
        self.workspace.write_text("work/b", "x")
        self.assertEqual(self.workspace.read_text("work/a"), "y" * 9)

    def test_a_child_that_exceeded_a_total_stops_writes_not_reads(self) -> None:
        """Over the total only a write that brings it back within is admitted."""
        self.workspace.write_text("work/a", "x" * 10)
        (self.root / "work/child").write_bytes(b"x" * 35)
        with self.assertRaises(FileBudgetError):
            self.workspace.write_text("work/a", "x" * 9)
        self.assertEqual(self.workspace.read_text("work/a"), "x" * 10)
        self.workspace.write_text("work/a", "x" * 5)

    def test_what_cannot_be_counted_admits_no_write(self) -> None:
        """Below more levels than are looked at, anything could be hidden."""
        workspace = AgentWorkspace.create(self.base / "deep", max_files=1_000)
        (workspace.root / "/".join(["work", *"d" * 70])).mkdir(parents=True)
        with self.assertRaises(FileBudgetError):
            workspace.write_text("work/x", "x")
        shutil.rmtree(workspace.root / "work/d")
        workspace.write_text("work/x", "x")

    def test_unusable_limits_are_refused_before_anything_is_made(self) -> None:
        """0, negative, boolean and fractional limits are `FileBudgetError`."""
        for limit in ("max_file_bytes", "max_files", "max_total_bytes"):
            for value in (0, -1, True, 1.5, "9", None, float("nan")):
                with self.subTest(limit=limit, value=value):
                    with self.assertRaises(FileBudgetError):
                        AgentWorkspace.create(self.base / "bad", **{limit: value})
                    with self.assertRaises(FileBudgetError):
                        AgentWorkspace(self.root, **{limit: value})
        self.assertFalse((self.base / "bad").exists())
        self.assertEqual(AgentWorkspace(self.root, max_files=1).max_files, 1)

    def test_the_limits_are_as_documented(self) -> None:
        """The defaults are 64 KiB a file, 1,000 entries and 16 MiB."""
        plain = AgentWorkspace.create(self.base / "plain")
        limits = (plain.max_file_bytes, plain.max_files, plain.max_total_bytes)
        self.assertEqual(limits, (65_536, 1_000, 16_777_216))


class WorkspaceThreadChecks(WorkspaceCase):
    """Threads that share a workspace."""

    def test_threads_keep_the_budget(self) -> None:
        """Four threads that write at once are admitted to the free places only."""
        # Counting 300 files takes so long that every thread is at it together.
        workspace = AgentWorkspace.create(self.base / "threads", max_files=304)
        for number in range(300):
            (workspace.root / f"work/child-{number}").touch()
        start = threading.Barrier(4)
        refused = []

        def write(number: int) -> None:
            start.wait(60)
            for step in range(5):
                try:
                    workspace.write_text(f"work/{number}-{step}", "x")
                except FileBudgetError:
                    refused.append(number)

        threads = [threading.Thread(target=write, args=(n,)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(workspace.inventory().files), 304)
        self.assertEqual(len(refused), 4 * 5 - 4)


class WorkspaceInventoryChecks(WorkspaceCase):
    """The list of everything."""

    def test_a_new_workspace_is_empty(self) -> None:
        """No files, no problems, complete."""
        inventory = self.workspace.inventory()
        self.assertEqual(inventory.files + inventory.problems, ())
        self.assertTrue(inventory.complete)

    def test_files_are_sorted_and_have_sizes(self) -> None:
        """Every regular file in an area is listed once, sorted by its path."""
        self.workspace.write_text("work/b", "22")
        self.workspace.write_text("work/a/z", "1")
        self.workspace.import_input("inputs/x.md", "")
        self.workspace.write_text("work/a.md", "333")
        self.assertEqual(
            self.workspace.inventory().files,
            (
                FileEntry("inputs/x.md", 0),
                FileEntry("work/a.md", 3),
                FileEntry("work/a/z", 1),
                FileEntry("work/b", 2),
            ),
        )

    def test_listings_at_the_same_time_do_not_disturb_each_other(self) -> None:
        """A listing is whole although another of the same descriptor is half way."""
        self.workspace.write_text("work/x", "x")
        directory = open_root(self.root)
        try:
            with directory.scan() as other:
                next(other)
                found = [path for path, _, _ in Listing(directory, 100).entries]
        finally:
            directory.close()
        self.assertEqual(sorted(found), ["artifacts", "inputs", "work", "work/x"])

    def test_what_is_outside_the_areas_is_a_problem(self) -> None:
        """Files and folders beside the areas are told, and a file named as one."""
        (self.root / "build").mkdir()
        (self.root / "build/x").write_bytes(b"x")
        (self.root / "out.txt").write_bytes(b"x")
        (self.root / "artifacts").rmdir()
        (self.root / "artifacts").write_bytes(b"x")
        names = ("build", "build/x", "out.txt", "artifacts")
        self.assertEqual(self.problems(), dict.fromkeys(names, "outside-areas"))
        self.assertTrue(self.workspace.inventory().complete)

    @needs_posix
    @needs_utf8_names
    def test_names_that_no_path_can_say_are_escaped_problems(self) -> None:
        """Controls, bytes that are no text, and other bad names, once each."""
        (self.root / "work/bad:folder").mkdir()
        (self.root / "work/bad:folder/x").write_bytes(b"x")
        for name in ("a\x1b[2J\nb", "back\\slash", "\u202egpj", "dot."):
            (self.root / "work" / name).write_bytes(b"x")
        expected = dict.fromkeys(
            (
                *(r"work/a\x1b[2J\nb", r"work/back\\slash", r"work/\u202egpj"),
                *("work/dot.", "work/bad:folder", "work/bad:folder/x"),
            ),
            "name",
        )
        with suppress(OSError):  # macOS takes only UTF-8
            Path(os.fsdecode(os.fsencode(self.root) + b"/work/\xff")).write_bytes(b"x")
            expected[r"work/\udcff"] = "name"
        self.assertEqual(self.problems(), expected)
        self.assertEqual(self.workspace.inventory().files, ())

    @needs_posix
    def test_every_entry_is_listed_once(self) -> None:
        """An entry with two faults is told once, by the first kind that fits."""
        os.mkfifo(self.root / "bad:fifo")
        (self.root / "bad:file").write_bytes(b"x")
        self.assertEqual(self.problems(), {"bad:fifo": "special", "bad:file": "name"})

    def test_the_number_of_entries_is_bounded(self) -> None:
        """At ten times `max_files` it stops, says so, and still answers."""
        workspace = AgentWorkspace.create(self.base / "small", max_files=2)
        for number in range(17):
            (workspace.root / f"work/{number}").write_bytes(b"x")
        self.assertTrue(workspace.inventory().complete)
        for number in range(17, 60):
            (workspace.root / f"work/{number}").write_bytes(b"x")
        inventory = workspace.inventory()
        self.assertFalse(inventory.complete)
        self.assertEqual(inventory.problems, (Problem("work", "limit"),))
        self.assertEqual(len(inventory.files), 17)

    def test_the_depth_is_bounded(self) -> None:
        """64 levels are listed; what is deeper is a problem and incomplete."""
        levels = ["work", *"d" * 70]
        (self.root / "/".join(levels)).mkdir(parents=True)
        inventory = self.workspace.inventory()
        self.assertFalse(inventory.complete)
        limits = [p.path for p in inventory.problems if p.kind == "limit"]
        self.assertEqual(limits, ["/".join(levels[:64])])


class WorkspaceInputChecks(WorkspaceCase):
    """What the Host imported, and whether it still is what it was."""

    def test_importing_is_exclusive_and_for_inputs_only(self) -> None:
        """Text and bytes go to `inputs/` with their folders, and never twice."""
        self.workspace.import_input("inputs/brief.txt", "试点\r\n")
        self.workspace.import_input("inputs/deep/er/data.bin", b"\xff\x00")
        self.assertEqual(self.workspace.read_text("inputs/brief.txt"), "试点\r\n")
        self.assertEqual(
            self.workspace.read_bytes("inputs/deep/er/data.bin"), b"\xff\0"
        )
        for path in ("inputs/brief.txt", "inputs/deep/er/data.bin"):
            with self.assertRaises(AlreadyExistsError):
                self.workspace.import_input(path, "other")
        with self.assertRaises(NotAFileError):
            self.workspace.import_input("inputs/deep", "x")
        for path in ("work/x", "artifacts/x", "x", "Inputs/x"):
            with self.assertRaises(ProtectedAreaError):
                self.workspace.import_input(path, "x")
        self.assertEqual(self.workspace.changed_inputs(), ())

    def test_every_way_of_changing_an_input_is_noticed(self) -> None:
        """Edited, grown, too large, emptied, missing, or a directory: all told."""
        inputs = self.root / "inputs"
        changes: dict[str, Callable[[Path], object]] = {
            "edited": lambda path: path.write_bytes(b"Brief"),
            "emptied": lambda path: path.write_bytes(b""),
            "grown": lambda path: path.write_bytes(b"brief."),
            "large": lambda path: path.write_bytes(b"b" * 100_000),
            "folder": lambda path: (path.unlink(), path.mkdir()),
            "missing": lambda path: path.unlink(),
        }
        for name in ("same", "again", *changes):
            self.workspace.import_input(f"inputs/{name}", "brief")
        self.assertEqual(self.workspace.changed_inputs(), ())
        (inputs / "again").unlink()
        (inputs / "again").write_bytes(b"brief")
        (inputs / "new").write_bytes(b"not imported")
        for name, change in changes.items():
            change(inputs / name)
        expected = tuple(sorted(f"inputs/{name}" for name in changes))
        self.assertEqual(self.workspace.changed_inputs(), expected)

    @needs_links
    def test_an_input_replaced_by_a_link_is_changed(self) -> None:
        """Also when the link's target has the very bytes that were imported."""
        self.workspace.import_input("inputs/brief", CANARY)
        (self.root / "inputs/brief").unlink()
        (self.root / "inputs/brief").symlink_to(self.canary)
        self.assertEqual(self.workspace.changed_inputs(), ("inputs/brief",))


class WorkspaceRootChecks(WorkspaceCase):
    """Making, taking up and losing the run's directory."""

    def test_only_a_new_directory_is_created(self) -> None:
        """An existing name is refused and kept; so is a missing parent."""
        for path in (self.root, self.outside, self.canary):
            with self.assertRaises(AlreadyExistsError):
                AgentWorkspace.create(path)
        with self.assertRaises(MissingFileError):
            AgentWorkspace.create(self.base / "none" / "run")
        self.assert_outside_unchanged()

    def test_a_root_without_a_name_of_its_own_is_refused(self) -> None:
        """Empty, `.`, `/`, `x/..`, NUL, bytes and None are `WorkspaceError`."""
        nameless = ("", ".", "/", "x/..", "..", b"run", None, 5)
        for root in (*nameless, "a\0b", "a\0b/run", "\ud800", "\ud800/run"):
            with self.subTest(root), self.assertRaises(WorkspaceError):
                AgentWorkspace.create(root)
            with self.subTest(root), self.assertRaises(WorkspaceError):
                AgentWorkspace(root)

    @needs_links
    def test_the_root_is_canonical_and_no_link(self) -> None:
        """Links above the root are resolved once; a link in its place is refused."""
        (self.base / "alias").symlink_to(self.base)
        made = AgentWorkspace.create(self.base / "alias" / "via")
        self.assertEqual(made.root, self.base / "via")
        (self.base / "dangling").symlink_to(self.base / "new")
        with self.assertRaises(AlreadyExistsError):
            AgentWorkspace.create(self.base / "dangling")
        self.assertFalse((self.base / "new").exists())
        (self.base / "to-run").symlink_to(self.root)
        with self.assertRaises(WorkspaceEscapeError):
            AgentWorkspace(self.base / "to-run")

    def test_a_run_can_be_taken_up_again(self) -> None:
        """`AgentWorkspace(root)` reads on, with the inputs as they are then."""
        self.workspace.import_input("inputs/brief", "brief")
        self.workspace.write_text("work/x", "draft")
        again = AgentWorkspace(str(self.root))
        self.assertEqual(again.root, self.root)
        self.assertEqual(again.read_text("work/x"), "draft")
        self.assertEqual(again.changed_inputs(), ())
        (self.root / "inputs/brief").write_bytes(b"other")
        self.assertEqual(again.changed_inputs(), ("inputs/brief",))

    def test_a_directory_that_is_no_run_is_not_taken_up(self) -> None:
        """A missing one, a file, and one without the three areas are refused."""
        for path in (self.base / "none", self.canary, self.outside):
            with self.subTest(path.name), self.assertRaises(WorkspaceError):
                AgentWorkspace(path)

    def test_root_and_limits_cannot_be_set(self) -> None:
        """A workspace cannot be pointed elsewhere or given other limits."""
        for name in ("root", "max_file_bytes", "max_files", "max_total_bytes"):
            with self.assertRaises(AttributeError):
                setattr(self.workspace, name, 5)

    @needs_links
    def test_a_root_that_was_replaced_is_refused_by_each_operation(self) -> None:
        """Moved away, with another directory or a link in its place: all refused."""
        self.workspace.write_text("work/x", "mine")
        self.root.rename(self.base / "moved")
        for replace in (
            lambda: None,
            lambda: shutil.copytree(self.base / "moved", self.root),
            lambda: (shutil.rmtree(self.root), self.root.symlink_to(self.outside)),
            lambda: (self.root.unlink(), self.root.symlink_to(self.base / "moved")),
        ):
            replace()
            with self.assertRaises(WorkspaceGoneError):
                self.workspace.read_bytes("work/x")
            with self.assertRaises(WorkspaceGoneError):
                self.workspace.write_text("work/x", "x")
            with self.assertRaises(WorkspaceGoneError):
                self.workspace.import_input("inputs/x", "x")
            inventory = self.workspace.inventory()
            self.assertFalse(inventory.complete)
            self.assertEqual(inventory.problems, (Problem(".", "unreadable"),))
        self.root.unlink()
        (self.base / "moved").rename(self.root)
        self.assertEqual(self.workspace.read_text("work/x"), "mine")
        self.assert_outside_unchanged()


class WorkspaceCleanupChecks(WorkspaceCase):
    """Leaving `temporary()`, whatever a child has left in it."""

    def test_the_directory_lives_as_long_as_the_block(self) -> None:
        """It is fresh, usable with limits of its own, and gone afterwards."""
        with AgentWorkspace.temporary(max_files=3) as workspace:
            self.assertEqual(workspace.max_files, 3)
            workspace.write_text("work/a/x", "x")
            self.assertTrue(workspace.root.is_dir())
            self.assertEqual(workspace.root, Path(os.path.realpath(workspace.root)))
        self.assertFalse(workspace.root.exists())
        with self.assertRaises(WorkspaceGoneError):
            workspace.read_bytes("work/a/x")

    def test_a_system_without_a_temporary_folder_is_told(self) -> None:
        """Where none is usable it is a `WorkspaceError` that names no host path."""
        nowhere = FileNotFoundError(2, f"No usable directory in {self.base}")
        # Only as workspace.py sees it: other threads may be making folders just now.
        without = mock.Mock(gettempdir=mock.Mock(side_effect=nowhere))
        with (
            mock.patch("workspace.tempfile", without),
            self.assertRaises(MissingFileError) as caught,
            AgentWorkspace.temporary(),
        ):
            pass
        self.assertNotIn(self.base.name, str(caught.exception))

    def test_it_is_removed_when_the_block_fails(self) -> None:
        """The block's own exception arrives, and the directory is gone."""
        with self.assertRaises(KeyError), AgentWorkspace.temporary() as workspace:
            raise KeyError("from the block")
        self.assertFalse(workspace.root.exists())

    @needs_links
    @needs_posix
    def test_nothing_outside_changes(self) -> None:
        """Links, hard links and FIFOs go; targets keep mode, bytes and times."""
        os.utime(self.canary, (1_000_000, 1_000_000))
        self.canary.chmod(0o400)
        self.outside.chmod(0o500)
        os.utime(self.outside, (1_000_000, 1_000_000))
        before = [os.lstat(self.canary), os.lstat(self.outside)]
        with AgentWorkspace.temporary() as workspace:
            work = workspace.root / "work"
            (work / "to-file").symlink_to(self.canary)
            (work / "to-folder").symlink_to(self.outside)
            (work / "dangling").symlink_to("nowhere")
            os.link(self.canary, work / "twin")
            os.mkfifo(work / "fifo")
            locked = work / "locked"
            (locked / "inner").mkdir(parents=True)
            (locked / "inner" / "to-folder").symlink_to(self.outside)
            (locked / "inner").chmod(0o500)
            locked.chmod(0)
            workspace.root.chmod(0o500)
        self.assertFalse(os.path.lexists(workspace.root))
        for old, path in zip(before, (self.canary, self.outside), strict=True):
            new = os.lstat(path)
            self.assertEqual(
                (old.st_mode, old.st_size, old.st_mtime_ns, old.st_ino, old.st_nlink),
                (new.st_mode, new.st_size, new.st_mtime_ns, new.st_ino, new.st_nlink),
            )
        self.outside.chmod(0o700)
        self.assert_outside_unchanged()

    @needs_descriptors
    @unittest.skipUnless(shutil.which("unshare"), "no unshare(1); it is Linux's")
    def test_what_is_mounted_inside_is_left_with_all_that_is_in_it(self) -> None:
        """A folder of the Host mounted in `work/` keeps its files and its mode."""
        self.outside.chmod(0o500)
        self.addCleanup(self.outside.chmod, 0o700)
        # In a mount table of its own, of which nothing is left when it ends.
        child = subprocess.run(
            [
                *("unshare", "--user", "--map-root-user", "--mount"),
                *(sys.executable, "-S", "-B", "-W", "always", "-c", MOUNTED),
                *(self.outside, self.base),
            ],
            cwd=CODE,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=60,
        )
        if child.returncode and not child.stdout:
            self.skipTest(f"mounting is not permitted here: {child.stderr.strip()}")
        self.assertEqual(child.returncode, 0, child.stderr)
        self.assert_outside_unchanged()
        self.assertEqual(self.outside.stat().st_mode & 0o777, 0o500)
        left = [path.name for path in Path(child.stdout.strip()).rglob("*")]
        self.assertEqual(left, ["work", "mounted"])
        self.assertIn("work/mounted (", child.stderr)

    @needs_descriptors
    def test_a_very_deep_tree_is_removed(self) -> None:
        """1,050 levels, beyond recursion, open files and the length of a path."""
        with AgentWorkspace.temporary() as workspace:
            folder = os.open(workspace.root / "work", os.O_RDONLY)
            for _ in range(1_050):
                os.mkdir("deep", dir_fd=folder)
                inner = os.open("deep", os.O_RDONLY, dir_fd=folder)
                os.close(folder)
                folder = inner
            os.close(folder)
        self.assertFalse(workspace.root.exists())

    @needs_posix
    def test_a_child_that_still_writes_does_not_stop_it(self) -> None:
        """A file that a living process keeps writing is removed under it."""
        with AgentWorkspace.temporary() as workspace:
            lines = (
                f"file = open({str(workspace.root / 'work/log')!r}, 'wb', 0)",
                "print('ready', flush=True)",
                "while True: file.write(b'still here'); file.seek(0)",
            )
            with_child = running_python("\n".join(lines))
            child = with_child.__enter__()
            self.addCleanup(with_child.__exit__, None, None, None)
        self.assertFalse(workspace.root.exists())
        self.assertIsNone(child.poll())

    def test_what_stays_is_told_and_other_directories_are_left(self) -> None:
        """A moved workspace is a warning; what has its place is not touched."""
        with self.assertWarns(WorkspaceCleanupWarning) as caught:  # noqa: SIM117
            with AgentWorkspace.temporary() as workspace:
                workspace.root.rename(self.base / "moved")
                workspace.root.mkdir()
                (workspace.root / "of somebody else").write_bytes(b"kept")
        self.addCleanup(shutil.rmtree, workspace.root)
        self.assertEqual(os.listdir(workspace.root), ["of somebody else"])
        self.assertEqual(caught.filename, __file__)
        self.assertIn(workspace.root.name, str(caught.warning))
        self.assertNotIn(str(workspace.root), str(caught.warning))

    def test_a_warning_never_hides_the_exception_of_the_block(self) -> None:
        """Even when warnings are errors, the block's exception is what arrives."""
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with self.assertRaises(WorkspaceCleanupWarning):  # noqa: SIM117
                with AgentWorkspace.temporary() as workspace:
                    shutil.rmtree(workspace.root)
            with self.assertRaises(KeyError):  # noqa: SIM117
                with AgentWorkspace.temporary() as workspace:
                    shutil.rmtree(workspace.root)
                    raise KeyError("from the block")


MOUNTED = """
import subprocess, sys, tempfile
from workspace import AgentWorkspace
outside, tempfile.tempdir = sys.argv[1:]
with AgentWorkspace.temporary() as workspace:
    (workspace.root / "work/mounted").mkdir()
    (workspace.root / "work/draft").touch()
    mount = ["mount", "--bind", outside, workspace.root / "work/mounted"]
    subprocess.run(mount, check=True)
    print(workspace.root)
"""

PRIVILEGES = """
import json, os, sys, warnings
from pathlib import Path
from workspace import *
base, report = Path(sys.argv[1]), {}
if os.getuid() == 0:
    os.chown(base, 65534, 65534)
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
try:
    os.listdir(base)
except PermissionError:
    print(json.dumps("unreachable")); raise SystemExit

def mode(path): return oct(path.stat().st_mode & 0o7777)
def refusal(operation, *arguments):
    try: return repr(operation(*arguments))
    except WorkspaceError as error: return type(error).__name__ + ": " + str(error)
def problems(inventory): return [[p.path, p.kind] for p in inventory.problems]

os.chmod(base, 0o2700)
os.umask(0o777)
strict = AgentWorkspace.create(base / "strict")
os.umask(0)
open_ = AgentWorkspace.create(base / "open")
os.chmod(base, 0o700)
report["modes"] = [mode(p) for w in (strict, open_)
                   for p in (w.root, w.root / "inputs", w.root / "work")]
os.umask(0o022)

os.chdir(base)
relative = AgentWorkspace.create("relative")
os.chdir("/")
relative.write_text("work/x", "x")
report["relative"] = [relative.root == base / "relative", relative.read_text("work/x")]
os.mkdir(base / "gone"); os.chdir(base / "gone"); os.rmdir(base / "gone")
report["gone"] = refusal(AgentWorkspace.create, "run").split(":")[0]
os.chdir("/")

work = open_.root / "work"
for name, bits in (("search-only", 0o111), ("list-only", 0o444), ("closed", 0)):
    (work / name).mkdir(); (work / name / "x").write_bytes(b"x")
    (work / name).chmod(bits)
inventory = open_.inventory()
report["unreadable"] = [problems(inventory), inventory.complete, len(inventory.files)]
report["uncounted"] = refusal(open_.write_text, "work/y", "y").split(":")[0]
for name in ("search-only", "list-only", "closed"):
    (work / name).chmod(0o700)
report["counted"] = refusal(open_.write_text, "work/y", "y")
open_.root.chmod(0o300)
report["taken up"] = [refusal(AgentWorkspace, open_.root)]
open_.root.chmod(0o700)
(open_.root / "inputs").chmod(0)
report["taken up"].append(refusal(AgentWorkspace, open_.root))
(open_.root / "inputs").chmod(0o700)
report["taken up"].append(refusal(AgentWorkspace, open_.root)[:14])
(work / "y").chmod(0)
report["denied"] = refusal(open_.read_bytes, "work/y")
report["denied leaks"] = str(base) in report["denied"]
(work / "ro").mkdir(mode=0o500)
report["read-only"] = refusal(open_.write_text, "work/ro/y", "y").split(":")[0]
report["no area"] = refusal(AgentWorkspace.create, "/proc/run").split(":")[0]

import tempfile
tempfile.tempdir = str(base)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    with AgentWorkspace.temporary() as workspace:
        for bits in (0o000, 0o111, 0o300, 0o444, 0o500):
            inner = workspace.root / "work" / str(bits) / "inner"
            inner.mkdir(parents=True); (inner / "x").write_bytes(b"x")
            inner.chmod(bits); inner.parent.chmod(bits)
        workspace.root.chmod(0)
    report["clean"] = [len(caught), os.path.lexists(workspace.root)]
    with AgentWorkspace.temporary() as workspace:
        (workspace.root / "work/x").write_bytes(b"x")
        base.chmod(0o500)
    base.chmod(0o700)
    report["left"] = [len(caught), os.listdir(workspace.root)]
print(json.dumps(report))
"""


@needs_posix
class WorkspacePrivilegeChecks(unittest.TestCase):
    """What modes forbid, seen by a user whom modes bind (root is not one)."""

    report: dict[str, list[object]]

    @classmethod
    def setUpClass(cls) -> None:
        base = tempfile.mkdtemp()
        try:
            result = subprocess.run(
                [sys.executable, "-S", "-B", "-c", PRIVILEGES, os.path.realpath(base)],
                cwd=CODE,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                encoding="utf-8",
                timeout=60,
                check=True,
            )
        finally:
            shutil.rmtree(base)
        cls.report = json.loads(result.stdout.splitlines()[-1])
        if cls.report == "unreachable":
            raise unittest.SkipTest("the temporary folder is closed to other users")

    def test_the_root_is_private_whatever_the_umask(self) -> None:
        """Mode 0700 under umask 0777 and 0, below a set-group-id parent."""
        self.assertEqual(self.report["modes"], ["0o700"] * 6)

    def test_a_relative_root_is_resolved_once(self) -> None:
        """A later `chdir` changes nothing, and a removed cwd is a `WorkspaceError`."""
        self.assertEqual(self.report["relative"], [True, "x"])
        self.assertIn(self.report["gone"], ("MissingFileError", "StorageError"))

    def test_a_directory_that_cannot_be_listed_is_told(self) -> None:
        """Modes 0111, 0444 and 0 are problems and make the inventory incomplete."""
        problems, complete, files = self.report["unreadable"]
        self.assertEqual(
            problems,
            [
                ["work/closed", "unreadable"],
                ["work/list-only/x", "unreadable"],
                ["work/search-only", "unreadable"],
            ],
        )
        self.assertEqual((complete, files), (False, 0))

    def test_an_uncountable_workspace_admits_no_write(self) -> None:
        """What cannot be listed cannot be counted; listed again, writes go on."""
        self.assertEqual(self.report["uncounted"], "FileBudgetError")
        self.assertEqual(self.report["counted"], "None")

    def test_a_run_that_cannot_be_listed_is_not_taken_up(self) -> None:
        """Nor one whose inputs are hidden: their changes would go unnoticed."""
        denied, hidden, accepted = self.report["taken up"]
        self.assertRegex(denied, "^StorageError: the run's directory: .*denied")
        self.assertNotIn("/tmp", denied)
        self.assertRegex(hidden, "^WorkspaceError: inputs cannot be listed")
        self.assertEqual(accepted, "AgentWorkspace")

    def test_a_denied_file_is_a_storage_error(self) -> None:
        """The system's refusal is told with its reason and without a host path."""
        self.assertRegex(self.report["denied"], "StorageError: work/y: .*denied")
        self.assertFalse(self.report["denied leaks"])
        self.assertEqual(self.report["read-only"], "StorageError")
        self.assertIn(self.report["no area"], ("MissingFileError", "StorageError"))

    def test_modes_do_not_stop_the_clean_up(self) -> None:
        """Directories of any mode are removed, the root with mode 0 too."""
        self.assertEqual(self.report["clean"], [0, False])

    def test_a_root_that_cannot_be_removed_is_told(self) -> None:
        """With its parent read-only the emptied root stays, with one warning."""
        self.assertEqual(self.report["left"], [1, []])


@needs_posix
class WorkspaceWriteFailureChecks(WorkspaceCase):
    """A write that fails or is killed half way."""

    def run_limited(self, *lines: str) -> subprocess.CompletedProcess[str]:
        first = (
            "import resource, signal, sys",
            "from workspace import AgentWorkspace, WorkspaceError",
            "workspace = AgentWorkspace(sys.argv[1])",
            "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))",
            "resource.setrlimit(resource.RLIMIT_CORE, (0, 0))",
        )
        return run_python("\n".join((*first, *lines)), self.root)

    def test_a_failed_write_leaves_the_old_and_nothing_else(self) -> None:
        """When the disk takes only a part, the old draft stays and no input is made."""
        self.workspace.write_text("work/x", "old")
        done = self.run_limited(
            "for write, name in ((workspace.write_text, 'work/x'),",
            "                    (workspace.import_input, 'inputs/x')):",
            "    try: write(name, 'n' * 5000)",
            "    except WorkspaceError as error: print(type(error).__name__)",
        )
        self.assertEqual(done.stdout.split(), ["StorageError"] * 2)
        self.assertEqual(self.workspace.read_text("work/x"), "old")
        self.assertEqual(self.workspace.inventory().files, (FileEntry("work/x", 3),))

    def test_a_kill_leaves_the_old_draft_and_a_listed_rest(self) -> None:
        """Killed in mid-write: the old draft is whole, the inventory has the rest."""
        self.workspace.write_text("work/x", "old")
        done = self.run_limited(
            "signal.signal(signal.SIGXFSZ, signal.SIG_DFL)",
            "workspace.write_text('work/x', 'n' * 5000)",
        )
        self.assertEqual(done.returncode, -signal.SIGXFSZ)
        self.assertEqual(self.workspace.read_text("work/x"), "old")
        rest, draft = self.workspace.inventory().files
        self.assertRegex(rest.path, r"^work/\.[0-9a-f]{16}\.draft$")
        self.assertEqual((rest.size_bytes, draft.path), (1_000, "work/x"))

    def test_an_interrupt_leaves_the_old_or_the_new_and_no_rest(self) -> None:
        """Ctrl-C between any two steps arrives as itself and leaves no file behind."""
        self.workspace.write_text("work/x", "old")
        for name in ("work/x", "work/new/deep/x"):
            write = partial(self.workspace.write_text, name, "new")
            moment = 1
            while is_interrupted(write, moment, confined_files):
                moment += 1
                found = {entry.path for entry in self.workspace.inventory().files}
                self.assertLessEqual(found, {"work/x", name})
                self.assertIn(self.workspace.read_text("work/x"), ("old", "new"))
                shutil.rmtree(self.root / "work/new", ignore_errors=True)
            self.assertGreater(moment, 10)
            self.assertEqual(self.workspace.read_text(name), "new")


ATTACKER = """
import contextlib, os, shutil, sys
os.chdir(sys.argv[1])
outside = sys.argv[2]
print("ready", flush=True)
while True:
    try:
        os.symlink(outside + "/canary.txt", "swap"); os.replace("swap", "leaf")
        os.rename("folder", "away"); os.symlink(outside, "folder")
        with open("swap", "wb") as file: file.write(b"inside")
        os.replace("swap", "leaf")
        os.unlink("folder"); os.rename("away", "folder")
    except OSError:
        # The other side made `folder` in a gap: put the stage in order again.
        with contextlib.suppress(OSError): os.unlink("folder")
        if os.path.isdir("folder"): shutil.rmtree("away", ignore_errors=True)
        else:
            with contextlib.suppress(OSError): os.rename("away", "folder")
"""

WRITER = """
import sys
from workspace import AgentWorkspace
workspace = AgentWorkspace(sys.argv[1])
print("ready", flush=True)
while True:
    for letter in "ab":
        for _ in range(4):
            workspace.write_text("work/draft", letter * 65536)
        with open(sys.argv[1] + "/work/plain", "w", encoding="utf-8") as file:
            file.write(letter * 65536)
"""


READER = """
import json, os, sys, time
from contextlib import suppress
from pathlib import Path
from workspace import AgentWorkspace, WorkspaceError
root, canary = Path(sys.argv[1]), Path(sys.argv[2]).read_bytes()
workspace = AgentWorkspace(root)

def plain_leaks(relative):
    # The control: look at the path, then use the path.
    path = root / relative
    try:
        real = Path(os.path.realpath(path, strict=True))
        return real.is_relative_to(root) and path.read_bytes() == canary
    except OSError:
        return False

reads = refused = escaped = leaks = 0
end = time.monotonic() + 2
while time.monotonic() < end:
    for name in ("work/leaf", "work/folder/canary.txt"):
        try:
            escaped += workspace.read_bytes(name) == canary
            reads += 1
        except WorkspaceError:
            refused += 1
        leaks += plain_leaks(name)
    for name in ("work/leaf", "work/folder/new", "work/folder/canary.txt"):
        with suppress(WorkspaceError):
            workspace.write_text(name, "inside")
    escaped += any(
        canary.decode() in entry.path or entry.size_bytes == len(canary)
        for entry in workspace.inventory().files
    )
# On a busy machine the control needs more tries than the two seconds.
while not leaks and time.monotonic() < end + 4:
    leaks += plain_leaks("work/leaf")
print(json.dumps([reads, refused, escaped, leaks]))
"""


def swap_and_read() -> tuple[list[int], list[str], bytes]:
    """Two processes, one that swaps and one that reads; then what is outside."""
    with tempfile.TemporaryDirectory() as folder:
        base = Path(os.path.realpath(folder))
        outside = base / "outside"
        outside.mkdir()
        canary = outside / "canary.txt"
        canary.write_bytes(CANARY)
        workspace = AgentWorkspace.create(base / "run")
        for name in ("work/leaf", "work/folder/canary.txt"):
            workspace.write_text(name, "inside")
        with running_python(ATTACKER, workspace.root / "work", outside):
            done = run_python(READER, workspace.root, canary)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout), os.listdir(outside), canary.read_bytes()


WITHOUT_DIR_FD = Beside(
    run_python,
    """
import os, unittest; os.supports_dir_fd.clear()
import confined_directory
assert not confined_directory.HAS_DESCRIPTOR_PATHS
what = 'Area Cleanup File Input Inventory Link Root'.split()
names = [f'Workspace{each}Checks' for each in what]
unittest.main('workspace_checks', argv=['checks', *names])
""",
)
SWAPPED = Beside(swap_and_read)


@needs_descriptors
@needs_links
class WorkspaceRaceChecks(WorkspaceCase):
    """Another process works against us, or beside us, all the time."""

    def test_the_same_checks_hold_without_dir_fd(self) -> None:
        """All but races, threads and very deep trees hold on systems without it."""
        done = WITHOUT_DIR_FD.result()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"Ran [3-9]\d tests")

    def test_swapped_leaf_and_folder_never_lead_outside(self) -> None:
        """In two seconds of swaps nothing outside is read, written or created."""
        (reads, refused, escaped, leaks), outside, canary = SWAPPED.result()
        self.assertEqual(escaped, 0)
        self.assertEqual((outside, canary), (["canary.txt"], CANARY))
        self.assertGreater(reads, 0)
        self.assertGreater(refused, 0)
        if not leaks:
            self.skipTest("held, but the plain control did not leak here either")

    def test_torn_text_is_never_seen_but_old_or_new(self) -> None:
        """Every read of a draft in replacement is whole; plain writing tears it."""
        self.workspace.write_text("work/draft", "a" * 65_536)
        (self.root / "work/plain").write_bytes(b"a" * 65_536)
        whole = {b"a" * 65_536, b"b" * 65_536}
        draft = str(self.root / "work/draft")
        seen, torn, gaps, changes, last = set(), 0, 0, 0, 0
        with running_python(WRITER, self.root):
            end = time.monotonic() + 10
            while time.monotonic() < end and not (torn and changes > 300):
                for _ in range(5):
                    seen.add(self.workspace.read_bytes("work/draft"))
                    torn += (self.root / "work/plain").read_bytes() not in whole
                for _ in range(1_000):
                    try:
                        inode = os.lstat(draft).st_ino
                    except FileNotFoundError:
                        gaps += 1
                        continue
                    changes += inode != last
                    last = inode
        self.assertEqual(seen, whole)
        self.assertEqual(gaps, 0)
        if not torn:
            self.skipTest("held, but the plain control was not torn here either")


# Every kind of operation, the refused ones included, ten times over.
OPERATIONS = """
import os, sys, tempfile, warnings
from functools import partial
from pathlib import Path
from workspace import AgentWorkspace, WorkspaceError

tempfile.tempdir = sys.argv[1]
outside = Path(sys.argv[1], "outside")
workspace = AgentWorkspace.create(Path(sys.argv[1], "operated"))
workspace.import_input("inputs/a", "a")
workspace.write_text("work/a/b/x", "x")
work = workspace.root / "work"
os.mkfifo(work / "fifo")
(work / "link").symlink_to("a")
(work / "large").write_bytes(b"x" * 70_000)

def run_another():
    with AgentWorkspace.temporary() as another:
        another.write_text("work/a/x", "x")

operations = [
    run_another,
    workspace.inventory,
    workspace.changed_inputs,
    partial(AgentWorkspace, workspace.root),
    partial(AgentWorkspace, outside),
    partial(workspace.import_input, "inputs/a", "y"),
]
for name in ("a/b/x", "none/x", "a/b", "a/b/x/y", "fifo", "large", "link/b/x"):
    operations.append(partial(workspace.read_bytes, "work/" + name))
for name in ("a/b/x", "new/deep/x", "link/b/x", "a/b/x/y", "a/b", "fifo", "link"):
    operations.append(partial(workspace.write_text, "work/" + name, "y"))

warnings.simplefilter("error")
before = len(os.listdir("/proc/self/fd"))
done = refused = 0
for _ in range(10):
    for operation in operations:
        try:
            operation()
            done += 1
        except WorkspaceError:
            refused += 1
print(done, refused, len(os.listdir("/proc/self/fd")) - before)
"""


@unittest.skipUnless(Path("/proc/self/fd").exists(), "no /proc/self/fd to count")
class WorkspaceDescriptorChecks(WorkspaceCase):
    """Descriptors of the Host."""

    def test_no_operation_keeps_a_descriptor(self) -> None:
        """200 mixed operations, refused ones too, return to the starting count."""
        # In a process of its own: in ours, other threads open and close descriptors,
        # and roots of earlier checks are given back whenever garbage is collected.
        done = run_python(OPERATIONS, self.base)
        self.assertEqual(done.stderr, "")
        self.assertEqual([*map(int, done.stdout.split())], [70, 130, 0])

    def test_a_copy_keeps_the_root_open(self) -> None:
        """A copy that outlives its original writes to its root and nowhere else."""
        original = AgentWorkspace.create(self.base / "original")
        twin = copy.copy(original)
        del original
        # This would get the number that the root had, had it been given back.
        other = open_root(self.outside)
        self.addCleanup(other.close)
        twin.write_text("work/x", "x")
        self.assertEqual((twin.root / "work/x").read_bytes(), b"x")
        self.assert_outside_unchanged()

    def test_a_closed_directory_is_no_other(self) -> None:
        """Closed twice, or used when closed, it does not touch who has its number."""
        directory = open_root(self.root)
        directory.close()
        other = open_root(self.outside)
        directory.close()
        self.assertEqual(other.lstat("canary.txt").st_size, len(CANARY))
        for use in (directory.scan, lambda: directory.lstat("canary.txt")):
            with self.assertRaises(OSError):
                use()
        other.close()


if __name__ == "__main__":
    unittest.main()
