"""One container, from its creation to the proof that it is gone.

Three commands and not one `run`: a command that is killed while its request to
create is on the way leaves a container that nobody waits for. So creation has a
time of its own, only the start is under the caller's deadline, and removal
happens in any case.

Killing the engine's command does not stop a container, and a Host that is itself
killed leaves it. Its label is for finding it then:

    docker ps -a --filter label=host-first=sandbox

The engine's word is believed: a process that it has lost, such as the monitor of a
killed podman, is not noticed.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Mapping, Sequence

from command_values import positive_seconds
from engine_cli import ContainerError, EngineCLI, NotRun
from engine_words import is_refusal, last_words
from interrupt_guard import InterruptGuard
from runner import CommandResult

CREATE_SECONDS = 60.0
GRACE_SECONDS = 5.0
# On Linux the number of a signal goes up to this; a shell's code for it is 128 more.
_LAST_SIGNAL = 64


class TimedOut(ContainerError):
    """The program had not ended at the deadline."""


class Killed(ContainerError):
    """The program was ended from outside: by a limit, or by an unknown hand."""


class LeftBehind(ContainerError):
    """A container may still exist; `name` says which.

    `__cause__` is why there was no verdict, if that was so before. Of several runs,
    `docker ps -a --filter label=host-first=sandbox` lists all that is left.
    """

    def __init__(
        self, engine: str, name: str, cause: BaseException | None, why: str
    ) -> None:
        self.name = name
        # Only the text of our own errors is known to be one line without Host paths.
        first = f"{cause}; " if isinstance(cause, ContainerError) else ""
        super().__init__(
            f"{first}{why}; a container may be left, and may be running; "
            f"when {engine} answers, use: {engine} rm --force {name}"
        )


class Container:
    """A context: what `run` creates in it is removed at its end, whatever happens.

    Leaving it raises `LeftBehind` when that cannot be proved within the grace
    period, which two commands of the engine can exceed by 10 seconds each. Ctrl-C
    and SIGTERM wait meanwhile, as `InterruptGuard` says.

    Only the container of exactly this name is ever touched, and none if the engine
    refuses to create it. Choose a name that nobody else uses: when an answer is
    lost, what has that name is taken for ours.
    """

    def __init__(
        self, cli: EngineCLI, name: str, *, grace_seconds: float = GRACE_SECONDS
    ) -> None:
        self._cli = cli
        self._name = name
        self._grace_seconds = grace_seconds
        self._may_exist = False
        self._answered = False

    def __enter__(self) -> Container:
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _at: object) -> None:
        if not self._may_exist:
            return
        why = "its removal was interrupted"
        try:
            # Who presses Ctrl-C twice would leave a container that nobody knows of.
            with InterruptGuard(signal.SIGINT), InterruptGuard(signal.SIGTERM):
                why = self._remove()
        except NotRun as failure:
            why = str(failure)
        finally:
            # Also in the place of the Ctrl-C that has waited: it names no container.
            if why:
                raise LeftBehind(self._cli.engine, self._name, error, why) from error

    def run(
        self,
        create: Sequence[str],
        limits: Mapping[str, int],
        *,
        timeout_seconds: float,
    ) -> CommandResult:
        """Create it, start it, and return how its program ended by itself. Once only.

        `create` are the engine's arguments, `limits` what its record of the
        new container must say before it may start. Raises `CommandRefused` for a
        `timeout_seconds` that no runner takes, before anything is created.
        """
        if self._may_exist:
            raise NotRun("this context has a container; a second one needs its own")
        positive_seconds("timeout_seconds", timeout_seconds)
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
        # From here on an interrupted command may have asked, and while its request
        # is on the way an empty listing is no proof.
        self._may_exist = True
        created = self._cli.call(*arguments, timeout_seconds=CREATE_SECONDS)
        self._answered = created.returncode == 0 and not created.timed_out
        self._may_exist = not is_refusal(self._cli.engine, created)
        if created.returncode != 0:
            reason = last_words(created)
            if "image" in reason:
                reason += " (images are never pulled: have this one here first)"
            raise NotRun(f"{self._cli.engine} created no container: {reason}")

    def _inspect(self, part: str) -> Mapping[str, object]:
        template = f"--format={{{{json .{part}}}}}"
        return self._cli.ask("inspect", "--type=container", template, self._name)

    def _remove(self) -> str:
        """Remove the container and prove it, again and again for a while.

        Returns why that is not proved, or nothing. `rm --force` ends with 0 for a
        missing container too, so its exit code proves nothing. The empty listing
        does, once creation was answered.
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
                return ""
            if time.monotonic() >= deadline:
                break
            time.sleep(pause)
            pause = min(1.0, 2 * pause)
        for command, answer in (("rm", removed), ("ps", listed)):
            if answer.returncode != 0:
                return f"{self._cli.engine} {command} failed: {last_words(answer)}"
        return "the request to create it is not answered" if empty else "it is listed"


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
    if 0 < code - 128 <= _LAST_SIGNAL:
        raise Killed(f"signal {code - 128} ended the program, no limit is known")
