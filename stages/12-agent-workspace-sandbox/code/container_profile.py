"""With which rights a checker runs in a container: every option, and what it is for.

Values only: nothing here starts anything. What the options leave open is said in
`sandbox`.
"""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass
from pathlib import Path

LABEL = "host-first=sandbox"
CHECKER_INSIDE = "/checker.py"
REPORT_INSIDE = "/report.md"
# As engines write it: host, folders, name, then a tag, then a digest. A tag holds no
# slash: for podman `oci-archive:/tmp/x.tar` is a file to load and run.
_PART = r"[A-Za-z0-9][\w.-]*"
_IMAGE_NAME = re.compile(
    rf"({_PART}(:\d+)?/)?{_PART}(/{_PART})*(:\w[\w.-]*)?(@sha256:[0-9a-f]{{64}})?",
    re.ASCII,
)
_LONGEST_IMAGE_NAME = 255


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
    Flag("--ulimit=core=0", "the kernel writes no core file"),
    Flag(
        "--tmpfs=/tmp:rw,noexec,nosuid,nodev,size=16m",
        "the place to write: small, no program files",
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
        if not is_image_name(self.image):
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


def is_image_name(image: object) -> bool:
    """Whether this can only be an image that the engine has, by name or by id."""
    if not isinstance(image, str) or len(image) > _LONGEST_IMAGE_NAME:
        return False
    return _IMAGE_NAME.fullmatch(image) is not None


def mount(source: Path, destination: str) -> str:
    """The option that shows one Host file inside, read-only.

    `-v` would make an empty directory on the Host where the file is missing,
    and splits at colons. `--mount` is an error then, and is read as a line of
    comma-separated values, so a path with a comma needs that format's quotes.
    """
    path = str(source)
    if not source.is_absolute() or not path.isprintable():
        raise SandboxRefused(
            "only an absolute path of printable characters is mounted; "
            "set TMPDIR to such a folder"
        )
    quoted = path.replace('"', '""')
    field = f'"src={quoted}"' if set(path) & set(',"') else f"src={path}"
    return f"--mount=type=bind,{field},dst={destination},readonly"


def new_name() -> str:
    """A name that no other container has."""
    return f"host-first-{secrets.token_hex(8)}"
