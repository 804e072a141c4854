"""The second shell as a container of docker or podman.

Where `FencedExecutor` makes a fence for each command, a container stays: what one
command leaves in its /tmp, the next one finds.
"""

from __future__ import annotations

import re
import secrets
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from executors import ExecutorError, complaint
from twoshell_guard import Execution, run_local

ENGINES = ("docker", "podman")
ANSWER_SECONDS = 10.0
START_SECONDS = 60.0
# podman asks for more than a Host without all rights may give, unless it is told.
PODMAN_OPTIONS = ("--ulimit=nofile=1024", "--ulimit=nproc=1024")
LABEL = "host-first=two-shells"
# The container's first process: a shell that waits. It also reaps orphans, and no
# signal from inside ends it.
WAIT = "while :; do sleep 3600; done"
# -1 is every process that this user may signal, but the first and the caller.
END_ALL = "kill -9 -1; echo ended"
ENGINE_FAILED = 125
# The last of them is empty in docker's words for a container of its own.
IDENTITY = "{{.Id}} {{.State.Running}} {{.HostConfig.PidMode}}"


class ContainerExecutor:
    """Runs commands in a container that runs already, by the engine's `exec`.

    engine: "docker" or "podman".
    container: its name or id. It must have `sh`, and nothing else to do: when a
        command is over, everything in it ends but its first process.

    Raises `ExecutorError` for other engines, a missing one, a name that is none, and
    a container that does not run, or that shares its processes with the Host or
    with another container: there, to end everything would end those too.

    The end is a second `exec`, because killing the engine's command leaves what
    it started inside running. Where that end is not confirmed, the exit code is
    125, the engines' own for "it was me, not the command", and stderr says so.

    What it does not do: reach a process of another user, as a set-uid program may
    make one in a container that allows it, or a command whose request was still
    on its way when its deadline came, or anything when the Host itself is killed.
    One command at a time.
    """

    def __init__(self, engine: str, container: str) -> None:
        if not re.fullmatch(r"[A-Za-z0-9][\w.-]{0,127}", container, re.ASCII):
            raise ExecutorError("that is not the name of a container")
        self.name = engine
        self._program = engine_program(engine)
        # By its id, because another container may get the name later.
        self._container = self._own_container(container)

    def run(self, argv: Sequence[str], timeout_seconds: float) -> Execution:
        """Run a program inside, and end all that it started."""
        try:
            execution = self._exec(argv, timeout_seconds)
        except BaseException:
            # Ctrl-C while waiting: the command inside knows nothing of it.
            self._end_all()
            raise
        problem = self._end_all()
        if not problem:
            return execution
        return execution._replace(returncode=ENGINE_FAILED, stderr=problem.encode())

    def _own_container(self, container: str) -> str:
        inspect = ["inspect", "--type=container", f"--format={IDENTITY}", container]
        answer = run_local([self._program, *inspect], ANSWER_SECONDS)
        words = answer.stdout.decode("ascii", "replace").split()
        if answer.returncode != 0 or not words:
            raise ExecutorError(f"{self.name} does not know it: {complaint(answer)}")
        if words[1:2] != ["true"]:
            raise ExecutorError("the container does not run; start it first")
        if words[2:] not in ([], ["private"]):
            raise ExecutorError("the container shares its processes with others")
        return words[0]

    def _exec(self, argv: Sequence[str], timeout_seconds: float) -> Execution:
        command = [self._program, "exec", self._container, *argv]
        return run_local(command, timeout_seconds)

    def _end_all(self) -> str:
        """End everything inside; why that is not confirmed, or nothing."""
        ended = self._exec(["sh", "-c", END_ALL], ANSWER_SECONDS)
        if ended.stdout == b"ended\n":
            return ""
        return f"not confirmed that what ran inside has ended: {complaint(ended)}"


@contextmanager
def started_container(engine: str, image: str) -> Iterator[ContainerExecutor]:
    """Start a container from `image`, without a network, and remove it at the end.

    Raises `ExecutorError` when it does not start, also for an image that is not here:
    nothing is downloaded. And at the end, when it is not gone: the message says how
    to remove it, after what was wrong before. One that a killed Host left behind
    has the label `LABEL`.
    """
    program = engine_program(engine)
    if not re.fullmatch(r"[A-Za-z0-9][\w.:/@-]{0,254}", image, re.ASCII):
        raise ExecutorError("that is not the name of an image")
    name = f"two-shells-{secrets.token_hex(8)}"
    options = [
        f"--name={name}",
        f"--label={LABEL}",
        "--pull=never",
        "--network=none",
        "--cap-drop=ALL",
        "--security-opt=no-new-privileges",
        "--entrypoint=sh",
        # Else podman waits ten seconds for a shell that no other signal ends.
        "--stop-signal=KILL",
        *(PODMAN_OPTIONS if engine == "podman" else ()),
    ]
    start = [program, "run", "--detach", *options, image, "-c", WAIT]
    before = ""
    try:
        started = run_local(start, START_SECONDS)
        if started.returncode != 0:
            raise ExecutorError(f"{engine} started nothing: {complaint(started)}")
        yield ContainerExecutor(engine, name)
    except ExecutorError as error:
        before = f"{error}; "
        raise
    finally:
        run_local([program, "rm", "--force", "--volumes", name], START_SECONDS)
        # `rm --force` ends with 0 for what it did not find too; the list is a proof.
        listing = [program, "ps", "--all", "--quiet", f"--filter=name=^{name}$"]
        left = run_local(listing, ANSWER_SECONDS)
        if left.returncode != 0 or left.stdout.strip():
            raise ExecutorError(
                f"{before}a container may be left; use: {engine} rm --force {name}"
            )


def engine_program(engine: str) -> str:
    """The path of the engine's command."""
    if engine not in ENGINES:
        raise ExecutorError("the engine is docker or podman, nothing else")
    program = shutil.which(engine)
    if program is None:
        raise ExecutorError(f"{engine} is not installed here, or not on the PATH")
    return str(Path(program).absolute())
