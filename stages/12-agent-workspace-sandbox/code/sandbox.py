"""Check a report in a container that has almost no rights.

The program inside is the audited checker, never generated code. The profile
(`container_profile`) says with which rights it runs; `container_run` gives it a
life cycle.

What the profile does not do:

- A container is not a machine of its own: it shares the Host's kernel, and
  an error in the kernel is a way out. gVisor or a virtual machine is more.
- It does not set the seccomp filter. That is the engine's default, and it is
  what refuses new user namespaces; podman's default lets them through.
- It hides files, not facts. From inside one still sees the kernel's version,
  the number of processors, `/proc/meminfo`, what the engine writes below `/etc`
  (docker the Host's resolver address, podman the Host's name), and, in
  `/proc/self/mountinfo`, where on the Host the mounted files lie.
- It keeps files in `/tmp` from being run, not programs: one can be read by an
  interpreter, or started from memory.
- `--ulimit=core=0` is for core files. A Host that pipes crashed programs to a
  collector (`kernel.core_pattern`) may keep their memory nevertheless.
- A share of a processor slows a program and does not end it; the deadline does.
- The image is trusted as it is: who chooses it chooses the Python in it. One
  that declares volumes brings writable places of its own, and one with an entry
  point has it started instead, with our Python as its arguments.
- Proxy settings in the engine's own configuration become variables inside.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
from dataclasses import dataclass
from pathlib import Path

import report_check
from container_profile import LIMITS, Profile, new_name
from container_run import Container
from engine_cli import EngineCLI, NotRun
from engine_words import last_words
from report_check import MAX_REPORT_BYTES
from review_receipt import ReportCheckError, read_verdict
from runner import CommandResult
from workspace import AgentWorkspace

IMAGE = "python:3.12-slim"
DEADLINE_SECONDS = 30.0


@dataclass(frozen=True)
class SandboxReview:
    """The checker's verdict, and the limits of which the engine told nothing."""

    passed: bool
    missing_sections: tuple[str, ...]
    sha256: str
    not_proved: tuple[str, ...]


def check_in_sandbox(
    report: bytes,
    *,
    engine: str = "docker",
    image: str = IMAGE,
    timeout_seconds: float = DEADLINE_SECONDS,
) -> SandboxReview:
    """Run the checker on these bytes in a container, and remove the container.

    A review, passed or not, is returned only if exit code, JSON and digest
    agree, the output is complete and the container is proved to be gone.
    Raises `SandboxRefused`, or `CommandRefused` for a `timeout_seconds` that is
    none, when nothing was created, `ContainerError` when the checker did not run
    to its end, `WorkspaceError` when the Host has no place for the copies, and
    `ReportCheckError` when the report is too long, when the checker says that it
    could not check, and when its answer is not to be believed. There is no
    download and no fall-back to a local Python.

    `timeout_seconds` is for the program. Creating and removing the container
    have bounds of their own, about two minutes when the engine hangs.
    """
    if len(report) > MAX_REPORT_BYTES:
        raise ReportCheckError(
            f"the report is over {MAX_REPORT_BYTES} bytes; shorten it"
        )
    with AgentWorkspace.temporary() as workspace:
        checker = Path(report_check.__file__).read_bytes()
        profile = Profile(
            engine,
            image,
            new_name(),
            checker=readable_copy(workspace, "inputs/report_check.py", checker),
            report=readable_copy(workspace, "inputs/report.md", report),
        )
        cli = EngineCLI(engine, workspace)
        not_proved = cli.require_limits()
        with Container(cli, profile.name) as container:
            ended = container.run(
                profile.create_arguments(), LIMITS, timeout_seconds=timeout_seconds
            )
        require_checker(ended)
        review = read_verdict(
            ended, "inputs/report.md", hashlib.sha256(report).hexdigest()
        )
        return SandboxReview(
            review.passed, review.missing_sections, review.sha256, not_proved
        )


def require_checker(ended: CommandResult) -> None:
    """Raise `NotRun` unless it can have been our checker that ended so.

    Where an image has no Python that works, what ends is something else: the small
    program of `--init` with 1, a Python that could not open our file with 2.
    """
    with contextlib.suppress(ValueError, RecursionError):
        if ended.returncode in (0, 2, 3) and isinstance(json.loads(ended.stdout), dict):
            return
    reason = f"exit code {ended.returncode}, {last_words(ended)}"
    raise NotRun(f"the image did not run our checker: {reason}")


def readable_copy(workspace: AgentWorkspace, relative: str, content: bytes) -> Path:
    """A private copy that user 65534 may read once it is mounted.

    The Host's other users cannot: the workspace itself is closed to them.
    """
    workspace.import_input(relative, content)
    path = workspace.root / relative
    path.chmod(0o644)
    return path


def read_report(path: Path) -> bytes:
    """The bytes of a file of the Host's user, and hardly more than a report may have.

    Raises `ReportCheckError` for what is no regular file or cannot be read. Links
    are followed: the path is the user's own.
    """
    try:
        with open(path, "rb", opener=_open_at_once) as file:
            if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return file.read(MAX_REPORT_BYTES + 1)
    except OSError as error:
        reason = f"the report cannot be read: {error.strerror}"
        raise ReportCheckError(reason) from error
    raise ReportCheckError("the report is no regular file; name a Markdown file")


def _open_at_once(path: str, flags: int) -> int:
    """Open a FIFO too without waiting for somebody who writes to it."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
