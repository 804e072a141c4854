"""Check a report in a container that has almost no rights.

The program inside is the audited checker, never generated code. The profile
below says with which rights it runs; `container_run` gives it a life cycle.

What the profile does not do:

- A container is not a machine of its own: it shares the Host's kernel, and
  an error in the kernel is a way out. gVisor or a virtual machine is more.
- It does not set the seccomp filter. That is the engine's default, and it is
  what refuses new user namespaces; podman's default lets them through.
- It hides files, not facts. From inside one still sees the kernel's version,
  the number of processors, `/proc/meminfo`, Docker's copies of the Host's
  name and resolver address, and, in `/proc/self/mountinfo`, where on the
  Host the mounted files lie.
- A share of a processor slows a program and does not end it; the deadline does.
- The image is trusted as it is: who chooses it chooses the Python in it, and
  one that declares volumes brings writable places of its own.
- Proxy settings in the engine's own configuration become variables inside.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from dataclasses import dataclass
from pathlib import Path

import report_check
from container_run import Container, EngineCLI
from review_receipt import read_verdict
from workspace import AgentWorkspace

IMAGE = "python:3.12-slim"
DEADLINE_SECONDS = 30.0
LABEL = "host-first=sandbox"
CHECKER_INSIDE = "/checker.py"
REPORT_INSIDE = "/report.md"


class SandboxRefused(ValueError):
    """The profile cannot be built from these arguments; nothing was started."""


@dataclass(frozen=True)
class Flag:
    """One option of the engine, and what would be possible without it."""

    option: str
    reason: str


FLAGS = (
    Flag("--pull=never", "a missing image is an error, no download"),
    Flag("--network=none", "no interface but a loopback of its own"),
    Flag("--read-only", "the image's files stay as they are"),
    Flag("--user=65534:65534", "nobody: not root, owner of nothing"),
    Flag("--cap-drop=ALL", "no capability is left to anyone inside"),
    Flag("--security-opt=no-new-privileges", "no set-uid program gives one back"),
    Flag("--init", "when the program ends, all it started end"),
    Flag("--ipc=none", "no /dev/shm, a second place to write"),
    Flag("--log-driver=none", "output is not kept on the Host's disk"),
    Flag("--memory=128m", "more ends the program, not the Host"),
    Flag("--memory-swap=128m", "memory and swap together: no swap"),
    Flag("--cpus=0.5", "half a processor"),
    Flag("--pids-limit=32", "no fork bomb"),
    Flag("--ulimit=nofile=64", "few open files"),
    Flag("--ulimit=core=0", "no memory image after a crash"),
    Flag(
        "--tmpfs=/tmp:rw,noexec,nosuid,nodev,size=16m",
        "the one place to write: small, no programs",
    ),
)
PODMAN_FLAGS = (
    Flag("--read-only-tmpfs=false", "else /run and /var/tmp are writable"),
    Flag("--ulimit=nproc=1024", "else it asks for more than a Host may give"),
)
# What `--memory`, `--memory-swap`, `--cpus` and `--pids-limit` must have become.
LIMITS = {
    "Memory": 128 * 2**20,
    "MemorySwap": 128 * 2**20,
    "NanoCpus": 500_000_000,
    "PidsLimit": 32,
}


@dataclass(frozen=True)
class Profile:
    """Everything that the engine is told about one container.

    `checker` and `report` are absolute Host paths of files that user 65534
    may read. Neither they nor any other field may come from a model.
    """

    engine: str
    image: str
    name: str
    checker: Path
    report: Path

    def __post_init__(self) -> None:
        if self.engine not in ("docker", "podman"):
            raise SandboxRefused("the engine is docker or podman, nothing else")
        if not re.fullmatch(r"[A-Za-z0-9][\w.:/@-]{0,254}", self.image, re.ASCII):
            raise SandboxRefused("that is not the name of an image")
        if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,62}", self.name):
            raise SandboxRefused("a container's name is a-z, 0-9 and hyphens")

    def flags(self) -> tuple[Flag, ...]:
        """All options, in the order in which they are given."""
        return (
            Flag(f"--name={self.name}", "by this name it will be removed"),
            Flag(f"--label={LABEL}", "finds one that a dead Host left behind"),
            *FLAGS,
            *(PODMAN_FLAGS if self.engine == "podman" else ()),
            Flag(mount(self.checker, CHECKER_INSIDE), "our checker, to be read"),
            Flag(mount(self.report, REPORT_INSIDE), "the report, to be read"),
        )

    def program(self) -> list[str]:
        """What runs inside: isolated Python, without site and without caches."""
        return ["python", "-I", "-S", "-B", CHECKER_INSIDE, REPORT_INSIDE]

    def create_arguments(self) -> list[str]:
        """The engine's arguments that create this container and start nothing."""
        options = [flag.option for flag in self.flags()]
        return ["create", *options, self.image, *self.program()]


def mount(source: Path, destination: str) -> str:
    """The option that shows one Host file inside, read-only.

    `-v` would make an empty directory on the Host where the file is missing,
    and splits at colons. `--mount` is an error then, and is read as a line of
    comma-separated values, so a path with a comma needs that format's quotes.
    """
    path = str(source)
    if not source.is_absolute() or not path.isprintable():
        raise SandboxRefused("only an absolute path of printable characters is mounted")
    quoted = path.replace('"', '""')
    field = f'"src={quoted}"' if set(path) & set(',"') else f"src={path}"
    return f"--mount=type=bind,{field},dst={destination},readonly"


def new_name() -> str:
    """A name that no other container has."""
    return f"host-first-{secrets.token_hex(8)}"


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
    Raises `SandboxRefused` when nothing was started, `ContainerError` when the
    checker did not run to its end, and `ReportCheckError` when it says that it
    could not check or its answer is not to be believed. There is no download
    and no fall-back to a local Python.

    `timeout_seconds` is for the program. Creating and removing the container
    have bounds of their own, about two minutes when the engine hangs.
    """
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
        review = read_verdict(
            ended, "inputs/report.md", hashlib.sha256(report).hexdigest()
        )
        return SandboxReview(
            review.passed, review.missing_sections, review.sha256, not_proved
        )


def readable_copy(workspace: AgentWorkspace, relative: str, content: bytes) -> Path:
    """A private copy that user 65534 may read once it is mounted.

    The Host's other users cannot: the workspace itself is closed to them.
    """
    workspace.import_input(relative, content)
    path = workspace.root / relative
    path.chmod(0o644)
    return path
