"""What the checks of fences share: a workspace, a place outside, and a run."""

from __future__ import annotations

import os
import shutil
import sys
import unittest
from dataclasses import dataclass
from pathlib import Path

from asking import outside_folder
from contract import FULL_ACCESS, READ_ONLY, WORKSPACE_WRITE, Policy
from fences import NO_FENCE, Fence

# With a blank, and in Chinese unless Python's own encoding is ASCII.
AWKWARD = "工作 区" if sys.getfilesystemencoding() != "ascii" else "a workspace"
CONFINED = (READ_ONLY, WORKSPACE_WRITE)
SECONDS = 30.0
# The program itself: a link to it, as of an environment, may lie below a hidden /tmp.
PYTHON = (os.path.realpath(sys.executable), "-I", "-S", "-B", "-c")
ENVIRONMENT = {"PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8"}
if os.name == "nt":
    # Without it, programs of Windows do not start.
    ENVIRONMENT["SYSTEMROOT"] = os.environ["SYSTEMROOT"]


@dataclass(frozen=True)
class Done:
    """How a launched command ended."""

    returncode: int
    stdout: bytes
    stderr: bytes
    started: bool


class WithOutside(unittest.TestCase):
    """Each check has a workspace and a folder outside, on one file system."""

    def setUp(self):
        # bubblewrap hides /tmp, so nothing below it would show a refusal.
        base = self.enter(outside_folder())
        self.workspace = base / AWKWARD
        self.outside = base / "outside"
        self.workspace.mkdir()
        self.outside.mkdir()
        self.lay_out()

    def enter(self, manager):
        """`enterContext`, which Python 3.10 has not."""
        value = manager.__enter__()
        self.addCleanup(manager.__exit__, None, None, None)
        return value

    def lay_out(self):
        """Begin afresh, with one file outside and one in the workspace."""
        for folder in (self.workspace, self.outside):
            shutil.rmtree(folder)
            folder.mkdir()
        self.canary = self.outside / "canary"
        self.canary.write_bytes(b"canary")
        self.draft = self.workspace / "draft"
        self.draft.write_bytes(b"draft")

    def launch(self, fence: Fence, mode: str, argv, **more):
        """Start a program behind a fence."""
        policy = Policy(mode, self.workspace)
        workdir = more.pop("workdir", policy.workspace)
        return fence.launch(argv, policy, workdir, ENVIRONMENT | more)

    def run_behind(self, fence: Fence, mode: str, *argv, **more) -> Done:
        """Run a program behind a fence to its end."""
        launch = self.launch(fence, mode, [str(word) for word in argv], **more)
        stdout, stderr = launch.process.communicate(timeout=SECONDS)
        started = launch.started()
        return Done(launch.process.returncode, stdout, stderr, started)

    def shell(self, fence: Fence, mode: str, command: str, *arguments, **more) -> Done:
        """Run a line of shell; its arguments are $1 and so on."""
        return self.run_behind(
            fence, mode, "sh", "-c", command, "sh", *arguments, **more
        )

    def unfenced(self, command: str, *arguments) -> Done:
        """The positive control: the same line of shell, confined by nothing."""
        return self.shell(NO_FENCE, FULL_ACCESS, command, *arguments)


def contents(folder: Path) -> dict[str, object]:
    """All that can be seen of the files below a folder, but for when they were read."""
    seen = {}
    for path in sorted(folder.rglob("*")):
        found = path.lstat()
        data = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
        seen[str(path)] = (found.st_mode, found.st_nlink, found.st_mtime_ns, data)
    return seen
