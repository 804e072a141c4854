"""The command line of docker or podman: which engine it is, and what it can limit."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from engine_words import last_words, without_paths
from runner import CommandNotStarted, CommandRefused, CommandResult, CommandRunner
from workspace import AgentWorkspace

# All that the engine's command learns about the Host's environment: which engine to
# talk to and how, and where its settings and images are. With one of these left out
# it would be another engine than the one in the user's shell, or one without TLS.
VARIABLES = (
    "PATH",
    "HOME",
    "USERPROFILE",  # on Windows
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_RUNTIME_DIR",
    "DOCKER_CERT_PATH",
    "DOCKER_CONFIG",
    "DOCKER_CONTEXT",
    "DOCKER_HOST",
    "DOCKER_TLS",
    "DOCKER_TLS_VERIFY",
    "CONTAINER_CONNECTION",
    "CONTAINER_HOST",
    "CONTAINERS_CONF",
    "CONTAINERS_STORAGE_CONF",
)
ANSWER_SECONDS = 10.0
# An engine that lacks such a control group drops the limit, warns, and goes on.
_LIMITS = ("memory", "swap", "cpu", "pids")
_DOCKER_LIMITS = ("MemoryLimit", "SwapLimit", "CpuCfsQuota", "PidsLimit")


class ContainerError(RuntimeError):
    """There is no verdict; the message is one line for the operator."""


class NotRun(ContainerError):
    """The engine refused, or was lost before the program had ended."""


class EngineCLI:
    """The command line of docker or podman, started by our own runner."""

    def __init__(self, engine: str, workspace: AgentWorkspace) -> None:
        program = shutil.which(engine)
        if program is None:
            raise NotRun(f"{engine} is not installed here, or not on the PATH")
        self.engine = engine
        try:
            self._runner = CommandRunner(
                workspace,
                executables={engine: Path(program).absolute()},
                max_output_bytes=65_536,
                environment=_variables(engine),
            )
        except CommandRefused as error:
            raise NotRun(f"{engine} cannot be used: {error}") from error

    def call(
        self, *arguments: str, timeout_seconds: float = ANSWER_SECONDS
    ) -> CommandResult:
        """Run the engine's command once, whatever it ends with."""
        command = [self.engine, *arguments]
        try:
            return self._runner.run(command, timeout_seconds=timeout_seconds)
        except CommandNotStarted as error:
            raise NotRun(f"{self.engine} could not be started: {error}") from error

    def ask(self, *arguments: str) -> Mapping[str, object]:
        """Run a command whose answer is a JSON object; `NotRun` if there is none."""
        answer = self.call(*arguments)
        if answer.returncode != 0:
            raise NotRun(f"{self.engine} does not answer: {last_words(answer)}")
        with contextlib.suppress(ValueError):
            told = json.loads(answer.stdout)
            if isinstance(told, dict):
                return told
        raise NotRun(f"{self.engine} answers something unknown")

    def limits(self) -> dict[str, bool | None]:
        """Which limits this engine can set; None where it does not tell."""
        if self.engine == "docker":
            told = self.ask("info", "--format={{json .}}")
            # Docker 20.10 ends with 0 when its daemon is not there.
            if errors := told.get("ServerErrors"):
                raise NotRun(f"docker does not answer: {without_paths(errors[0])}")
            offered = (told.get(key) is True for key in _DOCKER_LIMITS)
            return dict(zip(_LIMITS, offered, strict=True))
        host = self.ask("info", "--format={{json .Host}}")
        controllers = host.get("cgroupControllers") or ()
        return {limit: limit in controllers for limit in _LIMITS} | {"swap": None}

    def require_limits(self) -> tuple[str, ...]:
        """Refuse an engine that would drop a limit; return what is not proved."""
        limits = self.limits()
        missing = [limit for limit, offered in limits.items() if offered is False]
        if missing:
            raise NotRun(f"{self.engine} would drop a limit here: {', '.join(missing)}")
        return tuple(limit for limit, offered in limits.items() if offered is None)


def _variables(engine: str) -> dict[str, str]:
    """Those that are set; a value that is no UTF-8 could not be passed on unchanged."""
    found = {name: os.environ[name] for name in VARIABLES if name in os.environ}
    for name, value in found.items():
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            reason = f"the variable {name} is not UTF-8"
            raise NotRun(f"{engine} cannot be used: {reason}") from None
    return found
