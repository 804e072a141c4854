"""A tool that runs one command in one shell, under one policy, behind one fence.

What it says about itself is put together from promises, and what it does is the
same for every dialect.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path

from call_arguments import (
    Refused,
    command_text,
    milliseconds,
    schema,
    starting_folder,
)
from contract import CONTRACT, Outcome, Policy, RunContract
from dialects import Dialect
from excerpt import Stream, both_ends
from fences import Fence, FenceError, Launch
from promises import description_of
from shell_call import attend, interrupt_cancels

KILL = 9


class ShellTool:
    """One shell as a tool: what a model is told about it, and what it does.

    dialect: the shell. policy: what its commands may do with files. fence: who
        holds that; in danger-full-access nobody.

    Under a confined policy and a fence that enforces nothing here, every call is
    refused, and the description says so. Raises `FenceError` for a workspace that
    the fence cannot confine.

    What it does not do: limit memory, processor time, the network or what can be
    read; end processes that moved to a session of their own, unless the fence
    does (where there is no /proc, to a group of their own; on Windows, any but the
    shell itself); end anything when the Host itself is killed, unless the fence
    does, as bubblewrap; undo what an ended call wrote.
    """

    def __init__(
        self,
        dialect: Dialect,
        policy: Policy,
        fence: Fence,
        contract: RunContract = CONTRACT,
    ) -> None:
        fence.accept(policy)
        self.dialect = dialect
        self.policy = policy
        self.fence = fence
        self.contract = contract
        self._environment = _environment(policy.workspace, dialect.environment)
        # Found once, because each call would look into every folder of the PATH.
        self._shell = dialect.command_line()
        self._denials = (*fence.denial_words, *dialect.denials)

    def runs(self) -> bool:
        """Whether any command runs: unconfined, or behind a fence that holds."""
        return not self.policy.confined or not self.fence.why_not()

    def description(self) -> str:
        """What the model is told: a header, and one line for each promise kept."""
        return description_of(self)

    def input_schema(self) -> dict:
        """The JSON Schema of the arguments of `run`."""
        return schema(self.contract)

    def run(
        self, command: str, *, timeout: int | None = None, workdir: str | None = None
    ) -> Outcome:
        """Run `command` in a fresh process, and end what it leaves behind.

        timeout: milliseconds, a whole number within the contract's limits.
        workdir: an existing folder, absolute or relative to the workspace.

        All three come from a model, so anything may be in them. What cannot be run
        as asked is an outcome with `refused` set, and then nothing ran. Ctrl-C
        ends the processes, and so does what another handler raises, unless it
        does so in the moment in which they are started.
        """
        cancelled = threading.Event()
        with interrupt_cancels(cancelled):
            return self._run(command, timeout, workdir, cancelled)

    async def run_async(
        self, command: str, *, timeout: int | None = None, workdir: str | None = None
    ) -> Outcome:
        """The same beside other tasks. To cancel it ends its processes first.

        A call that still waits for a thread has none, and then nothing runs.
        """
        import asyncio  # takes longer than most calls, and few programs need it

        cancelled, begun = threading.Event(), threading.Event()

        def in_thread() -> Outcome:
            begun.set()
            return self._run(command, timeout, workdir, cancelled)

        call = asyncio.create_task(asyncio.to_thread(in_thread))
        try:
            return await asyncio.shield(call)
        except asyncio.CancelledError:
            cancelled.set()
            # Each side sets its own event and then looks at the other's. So what
            # has not begun will find that it is cancelled, whenever its turn comes.
            if begun.is_set():
                await asyncio.wait([call])
            raise

    def _run(
        self,
        command: object,
        timeout: object,
        workdir: object,
        cancelled: threading.Event,
    ) -> Outcome:
        began = time.monotonic()
        try:
            time_limit = milliseconds(timeout, self.contract)
            folder = starting_folder(workdir, self.policy.workspace)
            text = command_text(command)
            if cancelled.is_set():
                raise Refused("the call was cancelled before it began")
            launch = self._launch(text, folder)
        except Refused as refusal:
            return Outcome(refused=str(refusal))
        stdout = Stream(self.contract.budget)
        stderr = Stream(
            self.contract.budget, self._denials if self.policy.confined else ()
        )
        deadline = began + time_limit / 1000
        try:
            late = attend(launch, stdout, stderr, deadline, cancelled)
        finally:
            begun = launch.started()
        if not begun and late:
            return Outcome(refused="the timeout was over before the command began")
        if not begun:
            return Outcome(refused="the fence failed, and the command was not started")
        timed_out = time_limit if late else None
        return self._outcome(
            launch.process.returncode, stdout, stderr, timed_out, began
        )

    def _outcome(
        self,
        returncode: int | None,
        stdout: Stream,
        stderr: Stream,
        timed_out: int | None,
        began: float,
    ) -> Outcome:
        if returncode is None:
            returncode = -KILL  # which was sent, and is still being carried out
        killed_by = -returncode if returncode < 0 else None
        if killed_by and not self.fence.keeps("signal", self.policy.mode):
            # The fence was killed with its command, whose own end it can no more tell.
            killed_by, returncode = None, 128 + killed_by
        out, err, left_out = both_ends(stdout, stderr, self.contract)
        # A refusal that did not make the command fail was not told to the shell.
        denied = stderr.heard and returncode != 0
        return Outcome(
            stdout=out,
            stderr=err,
            exit_code=None if killed_by or timed_out else returncode,
            signal=killed_by,
            timed_out=timed_out,
            denied=self.policy.mode if denied else None,
            left_out=left_out,
            duration_seconds=time.monotonic() - began,
        )

    def _launch(self, command: str, folder: Path) -> Launch:
        if not self._shell:
            name = self.dialect.name
            raise Refused(f"{name} is not installed here, or not on the PATH")
        argv = [*self._shell, self.dialect.preamble + command]
        try:
            return self.fence.launch(argv, self.policy, folder, self._environment)
        except FenceError as error:
            raise Refused(str(error)) from None


def _environment(workspace: Path, own: Mapping[str, str]) -> dict[str, str]:
    """All that a command gets. Nothing is inherited but where programs are."""
    environment = {
        "HOME": str(workspace),
        "LANG": "C.UTF-8" if sys.platform != "darwin" else "en_US.UTF-8",
        "PATH": os.environ.get("PATH", os.defpath),
        "PYTHONUTF8": "1",
        **own,
    }
    if os.name == "nt":
        # Without these, programs of Windows do not start.
        needed = {"SYSTEMROOT", "PATHEXT", "TEMP", "TMP"} & os.environ.keys()
        environment |= {name: os.environ[name] for name in needed}
        environment["USERPROFILE"] = str(workspace)
    return environment
