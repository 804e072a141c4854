"""Checks of the file tool: one policy and one line for it and for the shell."""

from __future__ import annotations

import os
import shutil
import threading
from pathlib import Path
from unittest.mock import patch

from contract import CONTRACT, FULL_ACCESS, MODES, READ_ONLY, WORKSPACE_WRITE, Policy
from dialect_check_support import chain_of_links
from dialects import BASH
from fence_check_support import CONFINED, WithOutside, contents
from fences import BWRAP, LANDLOCK
from file_tool import write_file
from render import render, tool_result
from shell_tool import ShellTool

__all__ = ["FileToolChecks", "WithoutWalkChecks"]

CAN_WALK = os.open in os.supports_dir_fd
NO_WALK = "needs a system on which paths can be walked by descriptors"
# How many of them go by while a folder and a link take turns.
WRITES = 100


class FileToolChecks(WithOutside):
    """What the file tool does and refuses, in each mode."""

    def setUp(self):
        if not CAN_WALK:
            self.skipTest(NO_WALK)
        super().setUp()

    def write(self, mode: str, path: object, text: object = "new"):
        """Write a file under a policy of this mode."""
        return write_file(str(path), text, Policy(mode, self.workspace))

    def assert_denied(self, mode: str, path: object):
        """The policy refuses, nothing outside changes, and the result has its line."""
        before = contents(self.outside), contents(self.workspace)
        outcome = self.write(mode, path)
        self.assertEqual(outcome.denied, mode)
        self.assertEqual(outcome.refused, "")
        lines = render(outcome).splitlines()
        self.assertEqual(lines.count(CONTRACT.denied.write(mode)), 1)
        self.assertFalse(tool_result(outcome)["is_error"])
        self.assertEqual((contents(self.outside), contents(self.workspace)), before)

    def assert_refused(self, mode: str, path: object, words: str, text: object = "new"):
        """Something else is in the way: no denial, but an error that says what."""
        before = contents(self.outside), contents(self.workspace)
        outcome = self.write(mode, path, text)
        self.assertIsNone(outcome.denied)
        self.assertIn(words, outcome.refused)
        self.assertNotIn(str(self.workspace.parent), outcome.refused)
        self.assertTrue(tool_result(outcome)["is_error"])
        self.assertNotIn("nothing was", outcome.refused)
        self.assertEqual((contents(self.outside), contents(self.workspace)), before)

    def assert_written(self, mode: str, path: object, where: Path, text: str = "new"):
        """The file is there with this text, and the result says neither."""
        outcome = self.write(mode, path, text)
        self.assertEqual((outcome.denied, outcome.refused), (None, ""))
        self.assertEqual(where.read_bytes().decode(), text)
        size = len(text.encode())
        self.assertEqual(render(outcome), f"bytes written: {size}")

    def test_each_mode_allows_what_it_says(self):
        """Read-only refuses all, workspace-write what is outside, full access none."""
        inside, outside = self.workspace / "new", self.outside / "new"
        self.assert_denied(READ_ONLY, inside)
        self.assert_denied(READ_ONLY, outside)
        self.assert_written(WORKSPACE_WRITE, inside, inside)
        self.assert_denied(WORKSPACE_WRITE, outside)
        self.assert_denied(WORKSPACE_WRITE, self.canary)
        self.assert_written(FULL_ACCESS, outside, outside)
        self.assert_written(FULL_ACCESS, inside, inside, "again")

    def test_the_line_is_the_shells(self):
        """Refused the same write, shell and file tool answer with the same line."""
        fences = [fence for fence in (LANDLOCK, BWRAP) if not fence.why_not()]
        if not fences or not shutil.which("bash"):
            self.skipTest("needs bash and a fence, to compare with")
        target = self.outside / "new"
        for mode in CONFINED:
            by_tool = render(self.write(mode, target)).splitlines()
            for fence in fences:
                shell = ShellTool(BASH, Policy(mode, self.workspace), fence)
                outcome = shell.run(f"echo x >'{target}'")
                by_shell = render(outcome).splitlines()
                common = [line for line in by_tool if line in by_shell]
                self.assertEqual(common, [CONTRACT.denied.write(mode)])
        self.assertFalse(target.exists())

    def test_a_path_counts_as_the_place_it_leads_to(self):
        """With `..`, links and detours it is that place which is allowed or not."""
        inside, out = self.workspace, self.outside
        (inside / "folder").mkdir()
        (inside / "to-folder").symlink_to("folder")
        (inside / "to-outside").symlink_to(out)
        (inside / "to-canary").symlink_to(self.canary)
        (inside / "to-nothing").symlink_to(out / "missing")
        (inside / "to-draft").symlink_to("draft")
        (out / "to-workspace").symlink_to(inside)
        for path in (
            "../outside/new",
            "folder/../../outside/new",
            "missing/../../outside/new",
            "to-outside/new",
            "to-folder/../to-outside/new",
            "to-canary",
            "to-nothing",
            inside.parent / f"{inside.name}2" / "new",
        ):
            with self.subTest(path):
                self.assert_denied(WORKSPACE_WRITE, path)
        for path, where in (
            ("new", "new"),
            ("folder/../new", "new"),
            ("to-folder/new", "folder/new"),
            ("to-draft", "draft"),
            (out / "to-workspace" / "new", "new"),
        ):
            with self.subTest(path):
                self.assert_written(WORKSPACE_WRITE, path, inside / where, str(path))
        self.assertTrue((inside / "to-draft").is_symlink())

    def test_a_thousand_links_are_an_error_of_the_path(self):
        """A chain that Python cannot follow is refused, and a short one is not."""
        with chain_of_links(self.workspace) as first:
            policy = Policy(WORKSPACE_WRITE, self.workspace)
            outcome = write_file(f"{first}/new", "new", policy)
            self.assertNotEqual(outcome.refused, "")
            self.assertIsNone(outcome.denied)
            # A Python that follows it, since 3.13, behaves as one that does not.
            with patch.object(os.path, "realpath", side_effect=RecursionError):
                outcome = write_file(f"{first}/new", "new", policy)
            self.assertIn("symbolic links", outcome.refused)
        with chain_of_links(self.workspace, 3, ".") as first:
            where = self.workspace / "new"
            self.assert_written(WORKSPACE_WRITE, f"{first}/new", where)

    def test_a_workspace_that_is_gone_is_not_named(self):
        """When its folder was deleted, the refusal gives no path of the Host away."""
        policy = Policy(WORKSPACE_WRITE, self.workspace)
        shutil.rmtree(self.workspace)
        outcome = write_file("new", "x", policy)
        self.assertEqual(outcome.refused, "No such file or directory")

    def test_what_else_fails_is_no_denial(self):
        """A missing folder, a folder for a file or a device are errors of their own."""
        os.mkfifo(self.workspace / "pipe")
        (self.workspace / "folder").mkdir()
        for path, words in (
            ("missing/new", "No such file or directory"),
            ("draft/new", "Not a directory"),
            ("folder", "no regular file"),
            ("pipe", "no regular file"),
            ("", "no regular file"),
            (".", "no regular file"),
            ("x" * 300, "File name too long"),
        ):
            for mode in (WORKSPACE_WRITE, FULL_ACCESS):
                with self.subTest(path, mode=mode):
                    self.assert_refused(mode, path, words)
        self.assert_refused(FULL_ACCESS, "/", "no regular file")

    def test_a_right_that_the_host_lacks_is_no_denial(self):
        """Where the system itself says no, the policy is not named."""
        if os.geteuid() == 0:
            # Nobody may make a file in there.
            folder = Path("/proc/self")
            if not folder.exists():
                self.skipTest("needs /proc, or not to be root")
            self.assertNotEqual(self.write(FULL_ACCESS, folder / "new").refused, "")
            return
        (self.workspace / "locked").mkdir(mode=0o500)
        self.assert_refused(WORKSPACE_WRITE, "locked/new", "Permission denied")

    def test_arguments_that_are_no_text_are_refused(self):
        """NUL, half a character and numbers are errors about the arguments."""
        policy = Policy(WORKSPACE_WRITE, self.workspace)
        for path, text in (("a\0b", "x"), ("\ud800", "x"), ("a", "\ud800"), (7, "x")):
            outcome = write_file(path, text, policy)
            self.assertIn("must be valid Unicode", outcome.refused)
            self.assertIsNone(outcome.denied)
        self.assertIn("must be", write_file("a", None, policy).refused)
        self.assertEqual(os.listdir(self.workspace), ["draft"])

    def test_text_is_stored_as_it_is(self):
        """UTF-8, with line ends untouched, under a name in any script."""
        text = "一\r\n二\n\r三"
        where = self.workspace / os.fsdecode("笔记".encode())
        self.assert_written(WORKSPACE_WRITE, "笔记", where, text)

    def test_the_old_file_is_there_until_the_new_one_is(self):
        """It is replaced in one step: its reader keeps the old, and nothing is left."""
        # With set-uid, which a file with other contents must not keep.
        self.draft.chmod(0o4640)
        os.link(self.draft, self.outside / "second")
        with self.draft.open("rb") as old:
            self.assert_written(WORKSPACE_WRITE, "draft", self.draft)
            self.assertEqual(old.read(), b"draft")
        self.assertEqual(self.draft.stat().st_mode & 0o7777, 0o640)
        self.assertEqual(os.listdir(self.workspace), ["draft"])
        # Another name of the old file is outside, and stays with the old.
        self.assertEqual((self.outside / "second").read_bytes(), b"draft")

    def test_a_write_that_fails_leaves_what_was(self):
        """Where the new text does not fit, the old stays, and nothing beside it."""
        import resource  # Windows has none, and no such check

        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
        try:
            outcome = self.write(WORKSPACE_WRITE, "draft", "x" * 8192)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        self.assertIn("File too large", outcome.refused)
        self.assertEqual(self.draft.read_bytes(), b"draft")
        self.assertEqual(os.listdir(self.workspace), ["draft"])

    def test_a_path_too_long_to_be_resolved_is_walked(self):
        """Where the system stops following a path, a link at its end is refused."""
        # Python does not see any more that the last folder is one (CVE-2025-4517).
        self.addCleanup(shutil.rmtree, self.workspace / "deep")
        names = ["deep", *["x" * 250] * 17]
        folder = os.open(self.workspace, os.O_RDONLY)
        for name in names:
            os.mkdir(name, dir_fd=folder)
            inner = os.open(name, os.O_RDONLY, dir_fd=folder)
            os.close(folder)
            folder = inner
        try:
            os.symlink(self.outside, "link", dir_fd=folder)
            before = contents(self.outside)
            outcome = self.write(WORKSPACE_WRITE, "/".join([*names, "link", "new"]))
            self.assertNotEqual(outcome.refused, "")
            self.assertEqual(contents(self.outside), before)
            outcome = self.write(WORKSPACE_WRITE, "/".join([*names, "new"]))
            self.assertEqual(outcome.refused, "")
            self.assertEqual(sorted(os.listdir(folder)), ["link", "new"])
        finally:
            os.close(folder)

    def test_a_folder_swapped_for_a_link_is_not_followed(self):
        """While a folder and a link outside take turns, nothing is written outside."""
        folder, link = self.workspace / "folder", self.workspace / "link"
        folder.mkdir()
        link.symlink_to(self.outside)
        aside, stopped = self.workspace / "aside", threading.Event()

        def swap():
            while not stopped.is_set():
                folder.rename(aside)
                link.rename(folder)
                folder.rename(link)
                aside.rename(folder)

        self.assert_written(WORKSPACE_WRITE, "folder/new", folder / "new")
        before = contents(self.outside)
        swapping = threading.Thread(target=swap)
        swapping.start()
        try:
            for _ in range(WRITES):
                self.write(WORKSPACE_WRITE, "folder/new")
        finally:
            stopped.set()
            swapping.join()
        self.assertEqual(contents(self.outside), before)

    def test_nothing_stays_open(self):
        """After a write, a denial and a refusal no descriptor is left."""

        def count() -> int:
            return len(os.listdir("/dev/fd"))

        before = count()
        for path in ("new", "../new", "missing/new", "draft/new", ""):
            for mode in MODES:
                self.write(mode, path)
        self.assertEqual(count(), before)


class WithoutWalkChecks(WithOutside):
    """A system on which paths cannot be walked by descriptors, as Windows is."""

    def test_every_write_is_refused(self):
        """Nothing is written there, and the result says why; a denial stays one."""
        with patch.object(os, "supports_dir_fd", frozenset()):
            for mode in (WORKSPACE_WRITE, FULL_ACCESS):
                outcome = write_file("new", "x", Policy(mode, self.workspace))
                self.assertIn("cannot keep links out", outcome.refused)
            outcome = write_file("new", "x", Policy(READ_ONLY, self.workspace))
            self.assertEqual(outcome.denied, READ_ONLY)
        self.assertEqual(os.listdir(self.workspace), ["draft"])
