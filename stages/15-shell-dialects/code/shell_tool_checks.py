"""Checks of the tool itself: what it takes, what a command gets, how a call ends."""

from __future__ import annotations

import asyncio
import inspect
import io
import os
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
import unittest
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import landlock
import session_end
import shell_call
import shell_tool
from asking import gone, is_running, outside_folder
from contract import (
    CONTRACT,
    FULL_ACCESS,
    READ_ONLY,
    WORKSPACE_WRITE,
    Outcome,
    Policy,
)
from dialect_check_support import (
    DIALECTS,
    FENCES,
    SIDE_BY_SIDE,
    chain_of_links,
    end_by_mark,
    handling,
    name_of,
    needs_a_fence,
    needs_bash,
    needs_posix,
    scratch,
    tool,
)
from dialects import BASH
from excerpt import Stream
from fence_launch import Launch, start
from fences import BWRAP, NO_FENCE, Fence
from process_behaviour import unused_seconds
from render import render
from session_end import end_session
from shell_call import attend
from shell_tool import ShellTool

__all__ = [
    "CallChecks",
    "DenialChecks",
    "EndChecks",
    "EvidenceChecks",
    "ParameterChecks",
    "SchemaChecks",
]


PROPERTIES = {
    "command": {"type": "string"},
    "timeout": {
        "type": "integer",
        "minimum": 1,
        "maximum": 600_000,
        "default": 30_000,
        "description": "milliseconds",
    },
    "workdir": {
        "type": "string",
        "default": ".",
        "description": "absolute, or relative to the workspace",
    },
}

needs_setsid = unittest.skipUnless(
    shutil.which("setsid") and Path("/proc").exists(), "needs Linux, and its setsid"
)
# A program that moves to a process group of its own, on a system that tells of it.
CAN_MOVE = shutil.which("timeout") and Path("/proc").exists()


# The last child is the first of its group: the fifth word is the group's number.
UNTIL_IT_MOVED = (
    "until read -r _ _ _ _ group _ </proc/$!/stat && [ $group = $! ]; do :; done"
)


def open_tool() -> ShellTool:
    """The first dialect's tool, without a fence."""
    return tool(DIALECTS[0], FULL_ACCESS, NO_FENCE)


def working_tools() -> list[ShellTool]:
    """bash without a fence, and behind each that there is."""
    confined = [f for f in FENCES if not f.why_not()]
    fenced = [tool(BASH, WORKSPACE_WRITE, fence) for fence in confined]
    return [tool(BASH, FULL_ACCESS, NO_FENCE), *fenced]


class WatchedFence(Fence):
    """No fence at all, which keeps what it has launched."""

    def __init__(self) -> None:
        self.launches: list[Launch] = []

    def launch(self, argv, policy, workdir, environment) -> Launch:
        launch = super().launch(argv, policy, workdir, environment)
        self.launches.append(launch)
        return launch


class SchemaChecks(unittest.TestCase):
    def test_parameters_are_those_of_run(self) -> None:
        """What `run` takes is declared, and nothing else is."""
        for run in (ShellTool.run, ShellTool.run_async):
            taken = set(inspect.signature(run).parameters) - {"self"}
            for dialect in DIALECTS:
                schema = tool(dialect, FULL_ACCESS, NO_FENCE).input_schema()
                self.assertEqual(set(schema["properties"]), taken)
        self.assertEqual(schema["required"], ["command"])
        self.assertIs(schema["additionalProperties"], False)

    def test_the_schema(self) -> None:
        """Each parameter is declared with its type, unit, limits and default."""
        self.assertEqual(open_tool().input_schema()["properties"], PROPERTIES)

    def test_the_schema_is_the_contracts(self) -> None:
        """With another contract, its limits and defaults are declared."""
        other = replace(CONTRACT, default_timeout_ms=7, longest_timeout_ms=9)
        one = ShellTool(DIALECTS[0], open_tool().policy, NO_FENCE, other)
        timeout = one.input_schema()["properties"]["timeout"]
        self.assertEqual((timeout["default"], timeout["maximum"]), (7, 9))

    def test_the_limits_that_are_declared_are_kept(self) -> None:
        """The longest timeout is taken, and a millisecond more is not."""
        longest = open_tool().input_schema()["properties"]["timeout"]["maximum"]
        self.assertEqual(open_tool().run("exit 0", timeout=longest).refused, "")
        self.assertIn(str(longest), open_tool().run("", timeout=longest + 1).refused)

    def test_the_defaults_that_are_declared_are_used(self) -> None:
        """With the declared defaults a call is the one without them."""
        declared = open_tool().input_schema()["properties"]
        where = DIALECTS[0].say("where")
        plain = open_tool().run(where)
        there = open_tool().run(where, workdir=declared["workdir"]["default"])
        self.assertEqual((there, there.exit_code), (plain, 0))
        self.assertEqual(declared["timeout"]["default"], CONTRACT.default_timeout_ms)


@needs_bash
class ParameterChecks(unittest.TestCase):
    def setUp(self) -> None:
        self.tool = open_tool()
        self.made = self.tool.policy.workspace / "made"
        self.addCleanup(self.made.unlink, missing_ok=True)

    def refused(self, words: str, command: object = "echo x > made", **more) -> None:
        outcome = self.tool.run(command, **more)
        self.assertIn(words, outcome.refused)
        self.assertNotIn(str(scratch()), outcome.refused)
        self.assertFalse(self.made.exists())
        self.assertEqual((outcome.exit_code, outcome.stdout), (None, ""))

    def test_a_wrong_timeout_runs_nothing(self) -> None:
        """What is no positive whole number of milliseconds is refused."""
        for timeout in (
            0,
            -1,
            True,
            False,
            1.0,
            float("nan"),
            float("inf"),
            "abc",
            "1",
        ):
            self.refused("whole number of milliseconds", timeout=timeout)
        for timeout in ([1], 10**30, CONTRACT.longest_timeout_ms + 1):
            self.refused("whole number of milliseconds", timeout=timeout)
        self.assertEqual(self.tool.run("echo x > made", timeout=20_000).exit_code, 0)
        self.assertTrue(self.made.exists())

    def test_without_a_timeout_the_contracts_is_kept(self) -> None:
        """The default of the contract ends a call that names no timeout."""
        quick = replace(CONTRACT, default_timeout_ms=200)
        outcome = ShellTool(BASH, self.tool.policy, NO_FENCE, quick).run("sleep 60")
        self.assertEqual(outcome.timed_out, 200)

    def test_a_wrong_workdir_is_an_error_about_the_folder(self) -> None:
        """What is no folder that can be entered is refused, and not as a denial."""
        file = self.tool.policy.workspace / "file"
        file.touch()
        loop = self.tool.policy.workspace / "loop"
        loop.symlink_to("loop")
        self.addCleanup(loop.unlink)
        for workdir in (
            "missing",
            "file",
            "loop",
            "a\0b",
            "\ud800",
            3,
            b".",
            "x" * 5000,
        ):
            self.refused("workdir must be an existing folder", workdir=workdir)

    def test_a_workdir_behind_a_thousand_links_is_one_too(self) -> None:
        """A chain that Python cannot follow is refused, and a short one is not."""
        with chain_of_links(self.tool.policy.workspace) as first:
            self.refused("workdir must be an existing folder", workdir=first)
            # A Python that follows it, since 3.13, behaves as one that does not.
            with patch.object(os.path, "realpath", side_effect=RecursionError):
                self.refused("workdir must be an existing folder", workdir=first)
        with chain_of_links(self.tool.policy.workspace, 3, ".") as first:
            self.assertEqual(self.tool.run("true", workdir=first).refused, "")

    def test_a_workdir_that_cannot_be_entered_is_one_too(self) -> None:
        """A folder without that right is refused as a folder, behind every fence."""
        for one in working_tools():
            locked = one.policy.workspace / "locked"
            locked.mkdir(mode=0o600)
            try:
                outcome = without_roots_powers(
                    lambda one=one: one.run("echo x > ../made", workdir="locked")
                )
            finally:
                locked.rmdir()
            self.assertIn("workdir must be an existing folder", outcome.refused)
            self.assertEqual(one.run("echo on", workdir=".").stdout, "on\n")

    def test_a_workdir_below_proc_is_refused(self) -> None:
        """No call starts in a folder of the Host's own process, by whatever name."""
        if not Path("/proc/self").exists():
            self.skipTest("needs /proc")
        for workdir in ("/proc", "/proc/self", "/proc/self/fd", "/dev/fd", "link"):
            link = self.tool.policy.workspace / "link"
            link.symlink_to("/proc/self/task")
            try:
                self.refused("not below /proc", workdir=workdir)
            finally:
                link.unlink()

    def test_a_workdir_is_honoured_behind_every_fence(self) -> None:
        """Blanks, Chinese, a link and a leading dash in its name make no difference."""
        for one in working_tools():
            workspace = one.policy.workspace
            chinese = workspace / os.fsdecode("a b 目录".encode())
            for folder in (chinese, workspace / "-dash", workspace / "l'ink"):
                folder.mkdir(exist_ok=True)
            (workspace / "link").unlink(missing_ok=True)
            (workspace / "link").symlink_to(chinese)
            for workdir, real in (
                ("a b 目录", chinese),
                ("-dash/../l'ink", workspace / "l'ink"),
                ("link", chinese),
                (str(workspace / "-dash"), workspace / "-dash"),
                ("", workspace),
            ):
                outcome = one.run("pwd", workdir=workdir)
                there = os.fsencode(real).decode()
                self.assertEqual(outcome.stdout, f"{there}\n", name_of(one))

    def test_a_command_is_text(self) -> None:
        """What no shell can be given as one argument is refused."""
        for command in (None, 3, b"echo x > made", ["echo"], "echo x > made\0"):
            self.refused("command must be text", command)
        self.refused("valid Unicode", "echo x > made; echo \ud800")

    @needs_posix
    def test_a_command_that_is_too_long_is_refused(self) -> None:
        """What the system does not pass on is refused, behind every fence."""
        for one in working_tools():
            outcome = one.run("# " + "x" * 3_000_000)
            self.assertIn("too long", outcome.refused.lower(), name_of(one))

    def test_a_workspace_that_is_gone_is_an_error_about_the_folder(self) -> None:
        """When its folder was deleted, a tool runs nothing and says so."""
        folder = scratch() / "to be deleted"
        folder.mkdir()
        lost = ShellTool(BASH, Policy(FULL_ACCESS, folder), NO_FENCE)
        self.assertEqual(lost.run('rmdir "$HOME"').exit_code, 0)
        self.assertIn("workdir must be an existing folder", lost.run("true").refused)

    def test_a_shell_that_is_missing_runs_nothing(self) -> None:
        """Without the shell every call is refused, and says which one is missing."""
        with patch.dict(os.environ, {"PATH": str(scratch())}):
            missing = ShellTool(BASH, self.tool.policy, NO_FENCE)
        self.assertIn("bash is not installed", missing.run("true").refused)


def without_roots_powers(action: Callable[[], Outcome]) -> Outcome:
    """Do `action` as one whom the rights of a folder can stop."""
    if os.geteuid() != 0:
        return action()
    abi = landlock.kernel_abi()
    if not abi:
        raise unittest.SkipTest("needs not to be root, or Landlock")
    return landlock.in_restricted_thread(action, [Path("/")], abi)


@needs_bash
class CallChecks(unittest.TestCase):
    def test_nothing_is_inherited(self) -> None:
        """A command gets the variables that were built for it, and no others."""
        with patch.dict(os.environ, {"SECRET": "canary", "BASH_ENV": "/no/such"}):
            for one in working_tools():
                policy = one.policy
                again = ShellTool(BASH, policy, one.fence)
                lines = again.run("env").stdout.splitlines()
                seen = dict(line.split("=", 1) for line in lines)
                # What bash adds, and the one that Landlock does.
                for name in ("PWD", "SHLVL", "_", "TMPDIR"):
                    seen.pop(name, None)
                self.assertEqual(set(seen), {"HOME", "LANG", "PATH", "PYTHONUTF8"})
                self.assertEqual(seen["HOME"], str(policy.workspace))
                self.assertIn("UTF-8", seen["LANG"])

    def test_without_a_path_there_is_the_systems(self) -> None:
        """Where the Host itself has no PATH, a command gets the default one."""
        with patch.dict(os.environ):
            del os.environ["PATH"]
            one = ShellTool(BASH, open_tool().policy, NO_FENCE)
        self.assertEqual(one.run('echo "$PATH"').stdout, f"{os.defpath}\n")

    def test_the_command_is_one_argument(self) -> None:
        """A shell is started with its flags and the command, whatever is in it."""
        for dialect in DIALECTS:
            one = tool(dialect, FULL_ACCESS, NO_FENCE)
            awkward = one.dialect.say("print", "a 'b' \"c\" $d `e` ; # %s {0} 林\u2019")
            outcome = one.run(awkward)
            said = one.dialect.without_label(outcome.stdout).rstrip("\r\n")
            self.assertEqual(said, "a 'b' \"c\" $d `e` ; # %s {0} 林\u2019")
        arguments = tool(BASH, FULL_ACCESS, NO_FENCE).run(
            "tr '\\0' '\\n' </proc/$$/cmdline || ps -o args= -p $$"
        )
        self.assertIn("-c\n--\ntr ", arguments.stdout)

    def test_calls_beside_each_other_do_not_mix(self) -> None:
        """Each of many calls at once gets its own output and end."""
        tools = working_tools()
        numbers = range(24)
        with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
            outcomes = pool.map(
                lambda n: tools[n % len(tools)].run(f"echo {n}; exit {n}"), numbers
            )
            seen = [(o.stdout, o.exit_code) for o in outcomes]
        self.assertEqual(seen, [(f"{n}\n", n) for n in numbers])

    def test_many_calls_leave_nothing(self) -> None:
        """No descriptor, thread, child or temporary file is left by many calls."""
        for one in working_tools():
            one.run("true")
        before = holdings()
        for one in working_tools():
            for _ in range(20):
                one.run("sleep 60 & true")
        self.assertEqual(holdings(), before)

    def test_the_duration_is_that_of_the_call(self) -> None:
        """The duration is at least what the command took."""
        self.assertGreaterEqual(open_tool().run("sleep 0.05").duration_seconds, 0.05)


def holdings() -> tuple[int, int, str, list[str]]:
    """Descriptors, threads and children of this process, and files of the checks."""
    own = Path("/proc/self")
    descriptors = own / "fd" if own.exists() else Path("/dev/fd")
    lists = sorted(own.glob("task/*/children"))
    children = " ".join(path.read_text(encoding="ascii") for path in lists).split()
    files = sorted(str(path) for path in scratch().rglob("*"))
    counted = len(list(descriptors.iterdir())), threading.active_count()
    return *counted, " ".join(children), files


@needs_bash
class EndChecks(unittest.TestCase):
    @needs_setsid
    def test_a_held_pipe_does_not_delay_the_call(self) -> None:
        """A child that left its session with the pipes does not hold the call up."""
        for one in working_tools():
            mark = unused_seconds()
            self.addCleanup(end_by_mark, str(mark))
            outcome = one.run(f"setsid sleep {mark} & echo on", timeout=20_000)
            self.assertEqual((outcome.stdout, outcome.exit_code), ("on\n", 0))
            self.assertIsNone(outcome.timed_out, name_of(one))

    @needs_setsid
    def test_a_pipe_that_is_kept_full_does_not_either(self) -> None:
        """A child that left its session and floods the pipes is not read for long."""
        mark = unused_seconds()
        flood = f"exec -a yes-{mark} yes"
        outcome = open_tool().run(f"setsid bash -c {shlex.quote(flood)} & sleep 0.05")
        self.addCleanup(end_by_mark, f"yes-{mark}")
        self.assertIsNone(outcome.timed_out)
        self.assertLess(outcome.duration_seconds, 10)

    @unittest.skipUnless(CAN_MOVE, "needs Linux, and its timeout")
    def test_a_group_of_its_own_does_not_outlive_the_call(self) -> None:
        """Job control and `timeout` move a child to a new group, where it ends too."""
        for one in working_tools():
            mark = unused_seconds()
            for child in (f"sleep {mark}", f"timeout 999 sleep {mark}"):
                job_control = "" if "timeout" in child else "set -m; "
                outcome = one.run(f"{job_control}{child} & {UNTIL_IT_MOVED}; echo on")
                self.assertEqual((outcome.stdout, outcome.stderr), ("on\n", ""))
                self.assertTrue(gone(str(mark)), (child, name_of(one)))

    def test_a_fence_that_is_still_being_made_ends_too(self) -> None:
        """A call whose time is over at once leaves no half-made fence behind."""
        if BWRAP.why_not():
            self.skipTest(BWRAP.why_not())
        one, mark = tool(BASH, WORKSPACE_WRITE, BWRAP), unused_seconds()
        self.addCleanup(end_by_mark, str(mark))
        for timeout in range(1, 16):
            one.run(f"sleep {mark}", timeout=timeout)
        self.assertTrue(gone(str(mark)))

    def test_a_long_timeout_is_as_long_as_it_says(self) -> None:
        """By a clock that runs fast, ten minutes pass before a call is ended."""

        class FastClock:
            @staticmethod
            def monotonic() -> float:
                return time.monotonic() * 3000

        longest = CONTRACT.longest_timeout_ms
        with ExitStack() as patches:
            for module in (shell_tool, shell_call):
                patches.enter_context(patch.object(module, "time", FastClock))
            outcome = open_tool().run("sleep 60", timeout=longest)
        self.assertEqual(outcome.timed_out, longest)
        self.assertGreaterEqual(outcome.duration_seconds, longest / 1000)

    def test_the_timeout_ends_the_whole_session(self) -> None:
        """A late command ends with its children, in whatever group, who ignore TERM."""
        apart = "timeout 999 " if CAN_MOVE else ""

        def late(one: ShellTool) -> None:
            mark = unused_seconds()
            command = f"trap '' TERM INT HUP; echo on; ({apart}sleep {mark}); :"
            outcome = one.run(command, timeout=400)
            self.assertEqual((outcome.stdout, outcome.timed_out), ("on\n", 400))
            self.assertTrue(gone(str(mark)), name_of(one))

        with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
            list(pool.map(late, working_tools()))

    def test_a_flood_ends_at_the_timeout(self) -> None:
        """A command that never stops printing ends, and both ends of it are kept."""
        outcome = open_tool().run("yes", timeout=150)
        self.assertEqual(outcome.timed_out, 150)
        self.assertGreater(outcome.left_out, 0)
        self.assertTrue(outcome.stdout.startswith("y\ny\n"))

    def test_cancelling_ends_the_processes(self) -> None:
        """A cancelled task has ended its processes when it says that it is."""
        for one in working_tools():
            mark = unused_seconds()

            async def cancel_it(one: ShellTool, mark: float) -> None:
                command = f"sleep {mark}; true"
                call = asyncio.create_task(one.run_async(command, timeout=10_000))
                while not is_running(f"sleep {mark}"):
                    await asyncio.sleep(0.005)
                began = time.monotonic()
                call.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await call
                self.assertLess(time.monotonic() - began, 5, name_of(one))
                self.assertTrue(gone(str(mark), 1), name_of(one))

            asyncio.run(cancel_it(one, mark))

    def test_a_cancelled_call_has_ended_first(self) -> None:
        """When `CancelledError` comes, the process has been waited for already."""
        watched = WatchedFence()
        one = ShellTool(BASH, open_tool().policy, watched)

        async def cancel_it() -> int | None:
            call = asyncio.create_task(one.run_async("exec sleep 60"))
            while not watched.launches:
                await asyncio.sleep(0.005)
            call.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await call
            return watched.launches[0].process.returncode

        self.assertEqual(asyncio.run(cancel_it()), -signal.SIGKILL)

    def test_a_call_that_is_cancelled_before_its_turn_is_never_run(self) -> None:
        """It neither waits for the calls before it, nor is started after them."""
        watched = WatchedFence()
        one = ShellTool(BASH, open_tool().policy, watched)

        async def cancel_it() -> Outcome:
            asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))
            before = asyncio.create_task(one.run_async("sleep 60", timeout=5000))
            queued = asyncio.create_task(one.run_async("echo ran >ran"))
            while not watched.launches:
                await asyncio.sleep(0.005)
            queued.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await queued
            self.assertFalse(before.done())
            before.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await before
            return await one.run_async("exit 3")

        self.assertEqual(asyncio.run(cancel_it()).exit_code, 3)
        ends = [launch.process.returncode for launch in watched.launches]
        self.assertEqual(ends, [-signal.SIGKILL, 3])

    def test_a_task_gets_the_outcome(self) -> None:
        """Awaited, a call has the same outcome, and others go on beside it."""

        async def all_three() -> list:
            slow = open_tool().run_async("sleep 0.1; echo a; exit 3")
            quick = open_tool().run_async("pwd", workdir="..", timeout=20_000)
            late = open_tool().run_async("sleep 60", timeout=150)
            return await asyncio.gather(slow, quick, late)

        slow, quick, late = asyncio.run(all_three())
        self.assertEqual((slow.stdout, slow.exit_code), ("a\n", 3))
        self.assertEqual(quick, open_tool().run("pwd", workdir=".."))
        self.assertEqual(quick.stdout, f"{open_tool().policy.workspace.parent}\n")
        self.assertEqual(late.timed_out, 150)

    def test_ctrl_c_ends_the_processes(self) -> None:
        """Ctrl-C is raised when the processes have ended, and Python's again then."""
        with handling(signal.SIGINT, signal.default_int_handler):
            self.interrupted(signal.SIGINT, KeyboardInterrupt)
            handler = signal.getsignal(signal.SIGINT)
            self.assertEqual(handler, signal.default_int_handler)

    def test_what_another_handler_raises_does_too(self) -> None:
        """An exception of a handler, while the call waits, ends the processes."""

        def handler(*_: object) -> None:
            raise LookupError

        # Also of one for Ctrl-C, which is left alone if it is not Python's own.
        for number in (signal.SIGTERM, signal.SIGINT):
            with handling(number, handler):
                self.interrupted(number, LookupError)
                self.assertIs(signal.getsignal(number), handler)

    def interrupted(self, number: int, exception: type[BaseException]) -> None:
        mark, over = unused_seconds(), threading.Event()
        begun = open_tool().policy.workspace / f"begun-{mark}"
        self.addCleanup(begun.unlink)

        def interrupt() -> None:
            while not begun.exists() and not over.wait(0.005):
                pass
            os.kill(os.getpid(), number)

        thread = threading.Thread(target=interrupt)
        thread.start()
        command = f"sleep 0.05; echo >{begun.name}; sleep {mark}; true"
        # A KeyboardInterrupt in the place of another would end the whole run.
        with self.assertRaises(BaseException) as caught:
            open_tool().run(command, timeout=20_000)
            over.set()
            thread.join()
        thread.join()
        self.assertIs(type(caught.exception), exception)
        self.assertTrue(gone(str(mark)))

    @needs_setsid
    def test_what_forks_while_it_is_looked_for_ends_too(self) -> None:
        """What was listed starts another one before it is killed, and both end."""
        mark = unused_seconds()
        self.addCleanup(end_by_mark, str(mark))
        child = f"read; sleep {mark} >&- & echo; wait"
        # Job control gives the child a group of its own, and nothing else.
        argv = ["bash", "-c", f"set -m; ({child}) <&0 & echo; wait"]
        session_of, listed = os.getsid, []

        def getsid(number: int) -> int:
            session = session_of(number)
            if session == process.pid != number and not listed:
                listed.append(number)
                process.stdin.write(b"\n")
                process.stdout.readline()
            return session

        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "bufsize": 0}
        with subprocess.Popen(argv, start_new_session=True, **pipes) as process:
            process.stdout.readline()
            with patch.object(os, "getsid", getsid):
                end_session(process.pid)
        self.assertEqual(len(listed), 1)
        self.assertTrue(gone(str(mark)))

    @needs_posix
    def test_where_no_processes_are_listed_the_group_is_ended(self) -> None:
        """Without /proc a session is ended as far as its first group."""
        nowhere = patch.object(session_end, "PROCESSES", str(scratch() / "nowhere"))
        with nowhere, start(["sleep", "60"], Path("/"), {}) as process:
            end_session(process.pid)
        self.assertEqual(process.returncode, -signal.SIGKILL)

    def test_what_cannot_be_killed_is_no_success(self) -> None:
        """Where KILL is refused, as by another user's process, the call still ends."""
        watched = WatchedFence()
        one = ShellTool(BASH, open_tool().policy, watched)
        with ExitStack() as patches:
            for name in ("kill", "killpg"):
                refused = patch.object(os, name, side_effect=PermissionError)
                patches.enter_context(refused)
            patches.enter_context(patch.object(shell_call, "KILL_SECONDS", 0.02))
            outcome = one.run("exec sleep 60", timeout=50)
        (launch,) = watched.launches
        self.addCleanup(launch.process.wait)
        self.addCleanup(launch.process.kill)
        self.assertIsNone(launch.process.returncode)
        self.assertEqual((outcome.timed_out, outcome.signal), (50, signal.SIGKILL))

    @unittest.skipUnless(hasattr(os, "waitid"), "needs a system with waitid")
    def test_a_session_is_ended_while_its_leader_is_there(self) -> None:
        """Nobody has waited for the leader, so that its number is no stranger's."""
        seen = []

        class Looking(Launch):
            def end(self) -> None:
                seen.append(self.process.returncode)
                super().end()

        process = start(["sh", "-c", "exit 3"], Path("/"), {})
        streams = Stream(CONTRACT.budget), Stream(CONTRACT.budget)
        attend(Looking(process), *streams, 1e9, threading.Event())
        self.assertEqual((seen, process.returncode), ([None], 3))

    def test_without_a_descriptor_for_the_exit(self) -> None:
        """Where no descriptor tells of an exit, the end is found all the same."""
        with patch.object(os, "pidfd_open", side_effect=OSError, create=True):
            mark = unused_seconds()
            outcome = open_tool().run(f"sleep {mark} & echo on; exit 3")
            self.assertEqual((outcome.stdout, outcome.exit_code), ("on\n", 3))
            late = open_tool().run(f"exec >&- 2>&-; sleep {mark}", timeout=200)
            self.assertEqual(late.timed_out, 200)
            self.assertTrue(gone(str(mark)))


@needs_bash
@needs_a_fence
class DenialChecks(unittest.TestCase):
    def setUp(self) -> None:
        self.tools = [one for one in working_tools() if one.policy.confined]

    def test_the_three_misreadings(self) -> None:
        """A swallowed refusal is missed; a look-alike and a plain error are taken."""
        for one in self.tools:
            words = one.fence.denial_words[0]
            with outside_folder() as outside:
                file = outside / "file"
                target = shlex.quote(str(file))
                swallowed = one.run(f"echo x > {target} || true")
                self.assertIn(words, swallowed.stderr.lower())
                self.assertIsNone(swallowed.denied)
                self.assertFalse(file.exists())
            alike = one.run(f"echo 'remote: {words}' >&2; exit 255")
            self.assertEqual(alike.denied, WORKSPACE_WRITE)
        landlocked = [one for one in self.tools if one.fence.name == "landlock"]
        for one in landlocked:
            (one.policy.workspace / "program").write_text("#", encoding="utf-8")
            plain = one.run("./program")
            self.assertEqual((plain.exit_code, plain.denied), (126, WORKSPACE_WRITE))

    def test_a_denial_in_what_is_left_out_is_told(self) -> None:
        """The refusal is heard in the middle of a stderr that is cut there."""
        for one in self.tools:
            noise = f"printf '%0{CONTRACT.budget * 3}d\\n' 0 >&2"
            with outside_folder() as outside:
                target = shlex.quote(str(outside / "file"))
                outcome = one.run(f"{noise}; echo x > {target}; {noise}; exit 1")
            self.assertNotIn(one.fence.denial_words[0], outcome.stderr.lower())
            self.assertEqual(outcome.denied, WORKSPACE_WRITE)

    def test_every_failing_code_tells_of_a_denial(self) -> None:
        """Whatever a command that was refused makes of it, other than success."""
        for one in self.tools:
            with outside_folder() as outside:
                target = shlex.quote(str(outside / "file"))
                for code in (2, 77, 255):
                    outcome = one.run(f"echo x > {target} || exit {code}")
                    seen = (outcome.exit_code, outcome.denied)
                    self.assertEqual(seen, (code, WORKSPACE_WRITE))

    def test_the_mode_that_refused_is_the_one_that_is_named(self) -> None:
        """In the mode read-only the line names it, also for the workspace."""
        for one in self.tools:
            closed = tool(BASH, READ_ONLY, one.fence)
            outcome = closed.run("echo x > here")
            line = "[sandbox: file access denied under read-only mode]"
            self.assertEqual(render(outcome).splitlines()[-2], line)
            self.assertEqual(list(closed.policy.workspace.iterdir()), [])

    def test_a_killed_fence_is_no_success(self) -> None:
        """A command that ends its own fence ends as killed, as it would without."""
        if BWRAP.why_not():
            self.skipTest(BWRAP.why_not())
        outcome = tool(BASH, WORKSPACE_WRITE, BWRAP).run("kill -KILL 0")
        self.assertEqual((outcome.exit_code, outcome.refused), (137, ""))

    def test_in_full_access_nothing_is_a_denial(self) -> None:
        """Without a fence, words of a refusal are words."""
        for fence in FENCES:
            one = ShellTool(BASH, open_tool().policy, fence)
            for words in ("Permission denied", "Read-only file system"):
                outcome = one.run(f"echo {words} >&2; exit 1")
                self.assertIsNone(outcome.denied)


class BrokenFence(Fence):
    """A fence that can be made, and then fails in front of the command.

    It says what a refused command would say, and ends as one would, or does not end.
    """

    name = "broken"
    denial_words = ("read-only file system",)

    def __init__(self, before: str = "") -> None:
        self._code = f"{before}import sys; sys.exit('Read-only file system')"

    def why_not(self) -> str:
        return ""

    def _covers(self, mode: str) -> str:
        return "nothing, as it is broken"

    def _start_confined(self, argv, policy, workdir, environment) -> Launch:
        read_end, write_end = os.pipe()
        argv = [sys.executable, "-I", "-S", "-c", self._code]
        try:
            process = start(argv, workdir, {})
        finally:
            os.close(write_end)
        return Launch(process, io.FileIO(read_end))


@needs_posix
class EvidenceChecks(unittest.TestCase):
    def test_a_fence_that_fails_is_a_refusal(self) -> None:
        """What ended before the command began is neither a denial nor a bare run."""
        for dialect in DIALECTS:
            one = ShellTool(dialect, open_tool().policy, NO_FENCE)
            broken = ShellTool(
                dialect, Policy(READ_ONLY, one.policy.workspace), BrokenFence()
            )
            outcome = broken.run(dialect.say("write a file", "made", "x"))
            self.assertIn("not started", outcome.refused)
            self.assertEqual((outcome.denied, outcome.exit_code), (None, None))
            self.assertEqual(outcome.stdout + outcome.stderr, "")
            self.assertFalse((one.policy.workspace / "made").exists())

    def test_a_fence_that_takes_too_long_is_no_broken_one(self) -> None:
        """When the time is over before the command began, the refusal says that."""
        policy = Policy(READ_ONLY, open_tool().policy.workspace)
        slow = BrokenFence("import time; time.sleep(60); ")
        outcome = ShellTool(DIALECTS[0], policy, slow).run("true", timeout=100)
        self.assertIn("timeout was over before the command began", outcome.refused)
        self.assertEqual((outcome.timed_out, outcome.denied), (None, None))

    def test_a_report_that_is_held_open_is_not_waited_for(self) -> None:
        """What it says by then counts; who holds the other end may never let go."""
        with start(["true"], Path("/"), {}) as process:
            process.wait()
        for said, expected in ((b'{"exit-code": 0}', True), (b"", False)):
            read_end, write_end = os.pipe()
            os.write(write_end, said)
            lets_go = threading.Timer(5, os.close, [write_end])
            lets_go.start()
            begun = Launch(process, io.FileIO(read_end)).started()
            in_time = lets_go.is_alive()
            lets_go.cancel()
            lets_go.join()
            if in_time:
                os.close(write_end)
            self.assertEqual((begun, in_time), (expected, True))

    def test_what_was_not_run_has_no_markers(self) -> None:
        """A refusal's text is one line, without any marker of the contract."""
        for fence in (NO_FENCE, BrokenFence()):
            policy = Policy(READ_ONLY, open_tool().policy.workspace)
            text = render(ShellTool(DIALECTS[0], policy, fence).run("true"))
            self.assertTrue(text.startswith("not run: "), text)
            self.assertEqual(text.count("\n") + text.count("["), 0)

    def test_a_process_is_reaped_when_the_reading_fails(self) -> None:
        """What is raised while a call waits leaves neither process nor pipe."""

        class Unwilling:
            def feed(self, data: bytes, final: bool = False) -> None:
                raise MemoryError

        process = start(["sh", "-c", "echo a; exec sleep 60"], Path("/"), {})
        with self.assertRaises(MemoryError):
            attend(Launch(process), Unwilling(), Unwilling(), 1e9, threading.Event())
        self.assertEqual(process.returncode, -signal.SIGKILL)
        self.assertTrue(process.stdout.closed and process.stderr.closed)
        self.assertIsInstance(process, subprocess.Popen)
