"""What a fence is, and how one is tried before anything relies on it.

A policy is a wish until the operating system enforces it. That a program or a part
of the kernel is installed does not show that it does: containers and settings
switch fences off. So each is tried, by its effect on a file.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from contract import FULL_ACCESS, READ_ONLY, Policy
from fence_launch import FenceError, Launch, Variables, start
from landlock import LandlockError

TRIAL_SECONDS = 20.0
TRIAL = 'echo begun; echo broken >"$1"'


class Fence:
    """Starts commands so that they change no more than the policy allows.

    name: for people and for tests.
    denial_words: what a refused command says on stderr, in lower case and English.
        Others say it too, so they are a hint and no proof.

    This class is the fence that is none: a confined command is not run at all.
    """

    name = "none"
    denial_words: tuple[str, ...] = ()

    def why_not(self) -> str:
        """Why nothing is enforced here; empty where it is."""
        return "there is no fence"

    def label(self, mode: str) -> str:
        """What is covered in this mode and what not, for the description."""
        if mode == FULL_ACCESS:
            return "files are not confined"
        if reason := self.why_not():
            return _not_enforced(mode, reason)
        return f"{self.name}: {self._covers(mode)}"

    def keeps(self, key: str, mode: str) -> bool:
        """Whether the promise called `key` can be kept in this mode."""
        if mode == FULL_ACCESS:
            return key != "denied"
        return not self.why_not()

    def accept(self, policy: Policy) -> None:
        """Raise `FenceError` for a workspace that this fence cannot confine."""

    def launch(
        self,
        argv: Sequence[str],
        policy: Policy,
        workdir: Path,
        environment: Variables,
    ) -> Launch:
        """Start `argv` under the policy; in danger-full-access without any fence.

        argv: a program and its arguments, the last of which is the command.
        environment: all that the command gets; nothing is inherited. No place for a
            secret: bubblewrap is given it as arguments, which every user can list.

        Raises `FenceError`, and then nothing was started. The thread that calls
        this has to live as long as the command: bubblewrap dies with its parent,
        and for the kernel that is the thread. A Ctrl-C in the milliseconds of a
        launch can leave a command behind that nobody attends.
        """
        self.accept(policy)
        try:
            if not policy.confined:
                return Launch(start(argv, workdir, environment))
            if reason := self.why_not():
                raise FenceError(_not_enforced(policy.mode, reason))
            return self._start_confined(argv, policy, workdir, environment)
        except (OSError, ValueError, LandlockError) as error:
            raise FenceError(f"nothing was started: {_reason(error)}") from error

    def _covers(self, mode: str) -> str:
        raise NotImplementedError

    def _start_confined(
        self,
        argv: Sequence[str],
        policy: Policy,
        workdir: Path,
        environment: Variables,
    ) -> Launch:
        raise NotImplementedError


class TriedFence(Fence):
    """A fence that counts once a trial has shown, by its effect, that it holds."""

    _holds = False

    def why_not(self) -> str:
        """Why nothing is enforced here; empty where it is.

        Found by trying. Once it holds, it is not tried again. A failure can pass, as
        a lack of descriptors does, so after one it is tried whenever somebody asks.
        """
        if self._holds:
            return ""
        reason = self._missing() or self._try()
        self._holds = not reason
        return reason

    def _missing(self) -> str:
        raise NotImplementedError

    def _try(self) -> str:
        failed = f"{self.name} makes no fence here: "
        try:
            with tempfile.TemporaryDirectory(prefix="fence-trial-") as name:
                policy = Policy(READ_ONLY, Path(name))
                canary = policy.workspace / "canary"
                canary.write_bytes(b"untouched")
                argv = ["/bin/sh", "-c", TRIAL, "sh", str(canary)]
                launch = self._start_confined(argv, policy, policy.workspace, {})
                said, complaint = _run_to_end(launch.process)
                if not launch.started() or said != b"begun\n":
                    return failed + _one_line(complaint)
                if canary.read_bytes() != b"untouched":
                    return failed + "a trial wrote through it"
        except (OSError, LandlockError) as error:
            return failed + _reason(error)
        return ""


def _not_enforced(mode: str, reason: str) -> str:
    return f"{mode} is not enforced here, so nothing is run: {reason}"


def _run_to_end(process: subprocess.Popen[bytes]) -> tuple[bytes, bytes]:
    try:
        return process.communicate(timeout=TRIAL_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.communicate()


def _one_line(complaint: bytes) -> str:
    """What a program said, printable and without the paths in it."""
    words = " ".join(complaint.decode("utf-8", "replace").split())
    shown = re.sub(r"[^ -~]", "?", re.sub(r"/\S*", "(path)", words))
    return shown[:200] or "it gave no reason"


def _reason(error: Exception) -> str:
    # An OSError's text holds the path, its strerror does not.
    if isinstance(error, OSError):
        return error.strerror or "the system gave no reason"
    if isinstance(error, LandlockError):
        return str(error)
    return "the command, its folder or its environment cannot be passed on"
