"""The fences there are: none, Landlock, and bubblewrap.

Landlock is a part of Linux and costs next to nothing. bubblewrap is a program, has
to be installed, and covers more. Each one's label says what it covers and what not.

Neither is for hostile code: both share the kernel with the Host, leave the network
and every socket open, and know files by their place. A file that also has a name in
the workspace, a hard link, can be changed there. Whoever is root outside is an owner
like others inside: what root may read by its powers alone cannot be read.
"""

from __future__ import annotations

import io
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import landlock
from contract import FULL_ACCESS, WORKSPACE_WRITE, Policy
from fence_base import Fence, TriedFence
from fence_launch import FenceError, Launch, Variables, start

__all__ = ["BWRAP", "LANDLOCK", "NO_FENCE", "Fence", "FenceError", "Launch"]

PRIVATE = "/tmp"
# What bubblewrap makes anew, and what of it can hold a folder of the Host's.
ITS_OWN = (PRIVATE, "/proc", "/dev")
HIDING = (f"{PRIVATE}/", "/dev/shm/")
# What its /dev has in it, of the folders that the Host's can have.
ITS_DEVICE_FOLDERS = ("/dev/shm", "/dev/pts")
# Since which version of Landlock: what it refuses, and what was possible before.
LATER_REFUSALS = (
    (landlock.TRUNCATE_ABI, "truncating files", "truncating a file"),
    (landlock.DEVICE_ABI, "controlling devices", "controlling a device"),
    (landlock.SIGNAL_ABI, "signalling outside processes", "signals"),
)
NEVER_REFUSED = "network and sockets, memory, time, disk space"
NO_DEVICES = "No device can be made in the workspace"


class LandlockFence(TriedFence):
    """The kernel's own fence, with no program between the Host and the command.

    abi: the version of Landlock to restrict by, at most the kernel's own, which is
        the default. A lower one shows what an older kernel lets through.
    """

    name = "landlock"
    # The second is the kernel's answer to a link or a move across the boundary.
    denial_words = ("permission denied", "invalid cross-device link")

    def __init__(self, abi: int | None = None) -> None:
        self._abi = landlock.kernel_abi() if abi is None else abi

    def _missing(self) -> str:
        return "" if self._abi else "Landlock needs Linux 5.13, and to be switched on"

    def _start_confined(
        self,
        argv: Sequence[str],
        policy: Policy,
        workdir: Path,
        environment: Variables,
    ) -> Launch:
        writable = [Path(os.devnull)]
        if policy.mode == WORKSPACE_WRITE:
            writable.append(policy.workspace)
            # Programs would choose /tmp for what is temporary, and be refused.
            environment = {**environment, "TMPDIR": str(policy.workspace)}
        # Popen waits for the exec, so a Launch is the evidence that it took place.
        return Launch(
            landlock.in_restricted_thread(
                lambda: start(argv, workdir, environment), writable, self._abi
            )
        )

    def _covers(self, mode: str) -> str:
        refused = ["writing, creating, removing, linking and moving files"]
        possible = [f"writing to {os.devnull}"]
        possible.append("changing a file's mode, group, times or attributes")
        for since, refusal, possibility in LATER_REFUSALS:
            if self._abi >= since:
                refused.append(refusal)
            else:
                possible.append(possibility)
        if mode == WORKSPACE_WRITE:
            where = "outside the workspace"
            temporary = f"{NO_DEVICES}. The workspace is TMPDIR"
        else:
            where, temporary = "everywhere", "No folder is for temporary files"
        if self._abi < landlock.MOVE_ABI and mode == WORKSPACE_WRITE:
            temporary += ". Files cannot move from one folder to another"
        return (
            f"version {self._abi}, refuses {where}: {', '.join(refused)}. It does "
            f"not refuse: reading, {', '.join(possible)}, {NEVER_REFUSED}. {temporary}"
        )


class BubblewrapFence(TriedFence):
    """The program bubblewrap: every file is there, in a view that is read-only."""

    name = "bubblewrap"
    denial_words = ("read-only file system", "invalid cross-device link")

    def keeps(self, key: str, mode: str) -> bool:
        """As any fence, except for signals: it makes exit codes of them."""
        return super().keeps(key, mode) and (key != "signal" or mode == FULL_ACCESS)

    def accept(self, policy: Policy) -> None:
        """Raise `FenceError` for a workspace with something that is its own in it."""
        inside = [one for one in ITS_OWN if Path(one).is_relative_to(policy.workspace)]
        if policy.confined and inside:
            raise FenceError(
                f"bubblewrap has a {inside[0]} of its own, which cannot be in the "
                "workspace: choose another"
            )

    def _missing(self) -> str:
        if shutil.which("bwrap"):
            return ""
        return "bubblewrap is not installed (Linux: apt-get install bubblewrap)"

    def _start_confined(
        self,
        argv: Sequence[str],
        policy: Policy,
        workdir: Path,
        environment: Variables,
    ) -> Launch:
        if _is_missing_inside(workdir):
            raise FenceError(
                "workdir must be another folder: bubblewrap has a /dev of its own, "
                "and that one is not in it"
            )
        read_end, write_end = os.pipe()
        report = io.FileIO(read_end)
        try:
            program = shutil.which("bwrap") or "bwrap"
            options = _bubblewrap_options(argv, policy, workdir, environment)
            options += ["--json-status-fd", str(write_end), "--"]
            # Its own environment can be read inside, in /proc/1/environ: so none.
            process = start([program, *options, *argv], Path("/"), {}, [write_end])
        except BaseException:
            report.close()
            raise
        finally:
            os.close(write_end)
        return Launch(process, report)

    def _covers(self, mode: str) -> str:
        where, devices = "everywhere", ""
        if mode == WORKSPACE_WRITE:
            where, devices = "outside the workspace", f"{NO_DEVICES}. "
        return (
            f"refuses {where}: any change of files, their modes and times. {devices}"
            "Other processes cannot be seen. /tmp is private: empty at first but for "
            "the workspace, the call's folder and the shell, and what is written "
            f"there vanishes. It does not refuse: reading, {NEVER_REFUSED}. A signal "
            "is reported as exit code 128+N"
        )


def _is_missing_inside(workdir: Path) -> bool:
    """Whether this is a folder of the Host's /dev that the new one has not."""
    if workdir == Path("/dev") or not workdir.is_relative_to("/dev"):
        return False
    return not any(workdir.is_relative_to(one) for one in ITS_DEVICE_FOLDERS)


def _bubblewrap_options(
    argv: Sequence[str], policy: Policy, workdir: Path, environment: Variables
) -> list[str]:
    """The arguments of bubblewrap, in its order: it mounts as it reads."""
    workspace, here = str(policy.workspace), str(workdir)
    # The shell and the call's folder may lie where a private folder hides them. The
    # command is no name of a program, even where it reads like a path.
    named = [*filter(os.path.isfile, argv[:-1]), here]
    hidden = [path for path in named if path.startswith(HIDING)]
    bind = "--bind" if policy.mode == WORKSPACE_WRITE else "--ro-bind"
    return [
        *("--ro-bind", "/", "/"),
        *("--dev", "/dev"),
        *("--proc", "/proc"),
        *("--tmpfs", PRIVATE),
        *(word for path in hidden for word in ("--ro-bind", path, path)),
        *(bind, workspace, workspace),
        *("--remount-ro", "/dev"),
        # Root, even without capabilities, could set the kernel's values in there.
        *("--remount-ro", "/proc"),
        *("--chdir", here),
        *(word for pair in environment.items() for word in ("--setenv", *pair)),
        "--unshare-pid",
        "--die-with-parent",
        *("--cap-drop", "ALL"),
    ]


NO_FENCE = Fence()
LANDLOCK = LandlockFence()
BWRAP = BubblewrapFence()
