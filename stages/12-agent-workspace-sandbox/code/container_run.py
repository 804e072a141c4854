"""One container, from its creation to the proof that it is gone.

Three commands and not one `run`: a command that is killed while its request to
create is on the way leaves a container that nobody waits for. So creation has a
time of its own, only the start is under the caller's deadline, and removal
happens in any case.

Killing the engine's command does not stop a container, and a Host that is itself
killed leaves it: its label is for finding it then. The engine's word is believed.
A process that the engine has lost is not noticed, such as the monitor that
podman leaves when it is killed while it starts a container.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from runner import CommandNotStarted, CommandRefused, CommandResult, CommandRunner
from workspace import AgentWorkspace

# All that the engine's command learns about the Host's environment.
VARIABLES = ("DOCKER_HOST", "DOCKER_CONTEXT", "HOME", "XDG_RUNTIME_DIR", "PATH")
ANSWER_SECONDS = 10.0
CREATE_SECONDS = 60.0
GRACE_SECONDS = 5.0

# An engine that lacks such a control group drops the limit, warns, and goes on.
_LIMITS = ("memory", "swap", "cpu", "pids")
_DOCKER_LIMITS = (
    '{"memory":{{.MemoryLimit}}, "swap":{{.SwapLimit}}, '
    '"cpu":{{.CPUCfsQuota}}, "pids":{{.PidsLimit}} }'
)
_PODMAN_LIMITS = "{{json .Host.CgroupControllers}}"


class ContainerError(RuntimeError):
    """There is no verdict; the message is one line for the operator."""


class NotRun(ContainerError):
    """The engine refused, or was lost before the program had ended."""


class TimedOut(ContainerError):
    """The program had not ended at the deadline."""


class Killed(ContainerError):
    """The program was ended from outside: by a limit, or by an unknown hand."""


class LeftBehind(ContainerError):
    """A container may still exist; `name` says which, `__cause__` why it matters."""

    def __init__(self, engine: str, name: str, cause: BaseException | None) -> None:
        self.name = name
        reason = f"{cause}; " if cause else ""
        super().__init__(
            f"{reason}a container may be left, and may be running; "
            f"when {engine} answers, use: {engine} rm --force {name}"
        )


class EngineCLI:
    """The command line of docker or podman, started by our own runner."""

    def __init__(self, engine: str, workspace: AgentWorkspace) -> None:
        program = shutil.which(engine)
        if program is None:
            raise NotRun(f"{engine} is not installed here, or not on the PATH")
        variables = {name: os.environ[name] for name in VARIABLES if name in os.environ}
        self.engine = engine
        try:
            self._runner = CommandRunner(
                workspace,
                executables={engine: Path(program).absolute()},
                max_output_bytes=65_536,
                environment=variables,
            )
        except CommandRefused as error:
            raise NotRun(f"{engine} cannot be used: {error}") from error

    def call(
        self, *arguments: str, timeout_seconds: float = ANSWER_SECONDS
    ) -> CommandResult:
        """Run the engine's command once, whatever it ends with."""
        try:
            return self._runner.run(
                [self.engine, *arguments], timeout_seconds=timeout_seconds
            )
        except CommandNotStarted as error:
            raise NotRun(f"{self.engine} could not be started: {error}") from error

    def ask(self, *arguments: str) -> object:
        """Run a command whose answer is JSON; `NotRun` if there is none."""
        answer = self.call(*arguments)
        if answer.returncode != 0:
            raise NotRun(f"{self.engine} does not answer: {last_words(answer)}")
        try:
            return json.loads(answer.stdout)
        except ValueError:
            raise NotRun(f"{self.engine} answers something unknown") from None

    def limits(self) -> dict[str, bool | None]:
        """Which limits this engine can set; None where it does not tell."""
        if self.engine == "docker":
            told = self.ask("info", f"--format={_DOCKER_LIMITS}")
            known = told if isinstance(told, dict) else {}
            return {limit: known.get(limit) is True for limit in _LIMITS}
        told = self.ask("info", f"--format={_PODMAN_LIMITS}")
        controllers = told if isinstance(told, list) else []
        known = {limit: limit in controllers for limit in _LIMITS}
        return known | {"swap": None}

    def require_limits(self) -> tuple[str, ...]:
        """Refuse an engine that would drop a limit; return what is not proved."""
        limits = self.limits()
        missing = [limit for limit, offered in limits.items() if offered is False]
        if missing:
            raise NotRun(f"{self.engine} would drop a limit here: {', '.join(missing)}")
        return tuple(limit for limit, offered in limits.items() if offered is None)


class Container:
    """A context: what `run` creates in it is removed at its end, whatever happens.

    Leaving it raises `LeftBehind` when that cannot be proved within the grace
    period. Only the container of exactly this name is ever touched.
    """

    def __init__(
        self, cli: EngineCLI, name: str, *, grace_seconds: float = GRACE_SECONDS
    ) -> None:
        self._cli = cli
        self._name = name
        self._grace_seconds = grace_seconds
        self._answered = True

    def __enter__(self) -> Container:
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _at: object) -> None:
        try:
            gone = self._remove()
        except NotRun:
            gone = False
        if not gone:
            raise LeftBehind(self._cli.engine, self._name, error) from error

    def run(
        self,
        create: Sequence[str],
        limits: Mapping[str, int],
        *,
        timeout_seconds: float,
    ) -> CommandResult:
        """Create it, start it, and return how its program ended by itself.

        `create` are the engine's arguments, `limits` what its record of the
        new container must say before it may start.
        """
        self._create(create)
        recorded = self._inspect("HostConfig")
        dropped = [key for key, value in limits.items() if recorded.get(key) != value]
        if dropped:
            raise NotRun(f"{self._cli.engine} dropped a limit: {', '.join(dropped)}")
        ended = self._cli.call(
            "start", "--attach", self._name, timeout_seconds=timeout_seconds
        )
        if ended.timed_out:
            raise TimedOut(f"no answer after {timeout_seconds:g} seconds; it was ended")
        require_own_end(ended, self._inspect("State"))
        return ended

    def _create(self, arguments: Sequence[str]) -> None:
        self._answered = False
        created = self._cli.call(*arguments, timeout_seconds=CREATE_SECONDS)
        # A command that was killed may have asked before. It has said nothing, and
        # while its request is on the way an empty listing is no proof.
        said_why = (created.returncode or 0) > 0 and created.stderr.strip() != ""
        self._answered = not created.timed_out and (created.returncode == 0 or said_why)
        if created.returncode != 0:
            raise NotRun(
                f"{self._cli.engine} created no container: {last_words(created)} "
                "(images are never pulled: have this one here first)"
            )

    def _inspect(self, part: str) -> Mapping[str, object]:
        template = f"--format={{{{json .{part}}}}}"
        record = self._cli.ask("inspect", "--type=container", template, self._name)
        return record if isinstance(record, dict) else {}

    def _remove(self) -> bool:
        """Remove the container and prove it, again and again for a while.

        `rm --force` ends with 0 for a missing container too, so its exit code
        proves nothing. The empty listing does, once creation was answered.
        """
        pause, deadline = 0.1, time.monotonic() + self._grace_seconds
        pattern = f"--filter=name=^{self._name}$"
        while True:
            removed = self._cli.call("rm", "--force", "--volumes", self._name)
            if self._name in removed.stdout:
                self._answered = True
            listed = self._cli.call("ps", "--all", "--quiet", pattern)
            empty = listed.returncode == 0 and not listed.stdout.strip()
            if empty and self._answered:
                return True
            if time.monotonic() >= deadline:
                return False
            time.sleep(pause)
            pause = min(1.0, 2 * pause)


def require_own_end(ended: CommandResult, state: Mapping[str, object]) -> None:
    """Raise unless the program ended by itself and both witnesses say so.

    `ended` is what the attached command reports, `state` the engine's record.
    The record is read for the memory limit first: a child of the program can
    be killed by it while the program goes on to exit 0, and 137 alone may be
    anybody's SIGKILL.
    """
    if state.get("Status") == "created":
        raise NotRun(f"the container was not started: {last_words(ended)}")
    if state.get("OOMKilled"):
        raise Killed("the memory limit ended the program or a child of it")
    code = ended.returncode
    if state.get("Status") != "exited" or code != state.get("ExitCode"):
        raise NotRun("the engine's command was lost before the program had ended")
    if code in (125, 126, 127):
        raise NotRun(f"the engine could not run the program: {last_words(ended)}")
    if code > 128:
        raise Killed(f"signal {code - 128} ended the program, no limit is known")


def last_words(answer: CommandResult) -> str:
    """The last line of stderr: short, printable, Host paths taken out."""
    if answer.timed_out:
        return "it did not end in time"
    lines = [line.strip() for line in answer.stderr.split("\n") if line.strip()]
    line = lines[-1] if lines else "no reason given"
    # A path may hold spaces, so up to the last separator everything belongs to it.
    line = re.sub(r"""(?<![\w.])([A-Z]:\\|/)(.*[\\/])?[^\s"',:]*""", "<path>", line)
    return "".join(c if c.isprintable() else "?" for c in line)[:200]
