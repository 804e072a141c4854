"""Checks of runner.py and its parts: values, pipes, processes, interrupts."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

from check_support import (
    CODE,
    ENVIRONMENT,
    Beside,
    is_running,
    python,
    wait_until,
)
from child_process import ChildProcess
from command_values import child_environment
from interrupt_guard import InterruptGuard
from pipe_drain import OutputDrain, ThreadedDrain
from runner import CommandNotStarted, CommandRefused, CommandResult, CommandRunner
from workspace import AgentWorkspace

__all__ = [
    "RunnerDeadlineChecks",
    "RunnerDrainChecks",
    "RunnerInterruptChecks",
    "RunnerLeakChecks",
    "RunnerOutputChecks",
    "RunnerRefusalChecks",
    "RunnerRegistrationChecks",
    "RunnerStartChecks",
    "RunnerTerminalChecks",
    "RunnerThreadedDrainChecks",
]

POSIX = os.name == "posix"
LINUX = sys.platform == "linux"
needs_posix = unittest.skipUnless(POSIX, "needs POSIX process groups and /bin/sh")
needs_proc = unittest.skipUnless(LINUX, "needs Linux and its /proc to count")


class RunnerCase(unittest.TestCase):
    """A workspace of its own for each class, and runners in it."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.enter_for_class = contextlib.ExitStack()
        cls.addClassCleanup(cls.enter_for_class.close)
        cls.workspace = cls.enter_for_class.enter_context(AgentWorkspace.temporary())
        cls.folder = Path(
            cls.enter_for_class.enter_context(
                tempfile.TemporaryDirectory(prefix="runner-checks-")
            )
        )

    @classmethod
    def runner(cls, programs: dict[str, str | Path] | None = None, **settings):
        known = {"python": sys.executable}
        if POSIX:
            known["sh"] = "/bin/sh"
        known.update(programs or {})
        return CommandRunner(cls.workspace, executables=known, **settings)

    def run_python(self, *code: str, **settings) -> CommandResult:
        return self.runner(**settings).run(python(*code), timeout_seconds=20)

    def program(self, name: str, text: str = "#!/bin/sh\n", mode: int = 0o755) -> Path:
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        path.chmod(mode)
        return path


class RunnerOutputChecks(RunnerCase):
    def test_exit_code_and_streams_are_told_apart(self) -> None:
        """A result has the exit code, and each stream's text in its own field."""
        result = self.run_python(
            "import sys",
            "print('to stdout')",
            "print('to stderr', file=sys.stderr)",
            "sys.exit(3)",
        )
        self.assertEqual(result.returncode, 3)
        self.assertEqual(result.stdout.strip(), "to stdout")
        self.assertEqual(result.stderr.strip(), "to stderr")
        self.assertFalse(result.timed_out or result.truncated)
        self.assertTrue(result.output_complete and result.cleanup_complete)
        self.assertGreater(result.duration_seconds, 0)

    def test_success_is_zero_and_the_result_cannot_be_changed(self) -> None:
        """A program that does nothing is a plain success, in a frozen result."""
        started = time.monotonic()
        result = self.run_python("pass")
        self.assertLessEqual(result.duration_seconds, time.monotonic() - started)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
        with self.assertRaises(dataclasses.FrozenInstanceError):
            result.returncode = 1

    @needs_posix
    def test_a_signal_is_a_negative_exit_code(self) -> None:
        """A program ended by a signal reports that signal as a negative number."""
        result = self.runner().run(["sh", "-c", "kill -KILL $$"], timeout_seconds=20)
        self.assertEqual(result.returncode, -9)
        self.assertFalse(result.timed_out)

    def test_bytes_are_decoded_but_not_rewritten(self) -> None:
        """CRLF, NUL and U+FEFF stay; what is not UTF-8 becomes U+FFFD."""
        result = self.run_python(
            "import os",
            r"os.write(1, b'\xef\xbb\xbfa\r\nb\rc\0\xff' + '中'.encode())",
        )
        self.assertEqual(result.stdout, "\ufeffa\r\nb\rc\0\ufffd中")

    def test_a_character_in_many_writes_stays_one(self) -> None:
        """Decoding looks at the whole, not at each piece that was read."""
        result = self.run_python(
            "import os", "for byte in '报告'.encode() * 40: os.write(1, bytes([byte]))"
        )
        self.assertEqual(result.stdout, "报告" * 40)

    def test_exactly_the_limit_is_not_truncated(self) -> None:
        """The limit itself fits; one byte more is cut and said, a stream at a time."""
        code = "import os; os.write(1, b'x' * {}); os.write(2, b'y' * {})"
        for out, err in ((100, 100), (101, 100), (100, 101)):
            with self.subTest(stdout=out, stderr=err):
                result = self.run_python(code.format(out, err), max_output_bytes=100)
                self.assertEqual((result.stdout, result.stderr), ("x" * 100, "y" * 100))
                self.assertIs(result.stdout_truncated, out > 100)
                self.assertIs(result.stderr_truncated, err > 100)
                self.assertIs(result.truncated, out + err > 200)
                self.assertTrue(result.output_complete)
                self.assertEqual(result.returncode, 0)

    def test_only_a_character_cut_by_the_limit_is_dropped(self) -> None:
        """A cut character vanishes; one that the program left unfinished is U+FFFD."""
        for more, expected in (("b'z'", "ab"), ("b''", "ab\ufffd")):
            with self.subTest(more=more):
                result = self.run_python(
                    rf"import os; os.write(1, b'ab\xe4\xb8' + {more})",
                    max_output_bytes=4,
                )
                self.assertEqual(result.stdout, expected)

    def test_floods_on_both_pipes_neither_block_nor_grow(self) -> None:
        """More than any pipe holds, on both at once, is read on and forgotten."""
        result = self.run_python(
            "import os, threading",
            "def flood(fd):",
            "    for _ in range(64): os.write(fd, bytes(65536))",
            "threads = [threading.Thread(target=flood, args=(fd,)) for fd in (1, 2)]",
            "[t.start() for t in threads]; [t.join() for t in threads]",
            "os._exit(5)",
        )
        self.assertEqual(result.returncode, 5)
        self.assertEqual((len(result.stdout), len(result.stderr)), (16_384, 16_384))
        self.assertTrue(result.stdout_truncated and result.stderr_truncated)
        self.assertTrue(result.output_complete and result.cleanup_complete)

    def test_a_pipe_is_not_neglected_for_the_other(self) -> None:
        """A full pipe before the first byte in the other is no deadlock."""
        for first, last in ((1, 2), (2, 1)):
            with self.subTest(first=first):
                result = self.run_python(
                    f"import os; os.write({first}, bytes(300_000)); "
                    f"os.write({last}, b'end')"
                )
                self.assertEqual(result.returncode, 0)
                self.assertIn("end", (result.stdout, result.stderr))


class RunnerStartChecks(RunnerCase):
    def test_arguments_arrive_as_given(self) -> None:
        """No shell reads the arguments: each arrives whole, also in Chinese."""
        words = ["a b", "", "$HOME", "*", "; exit 9", "`id`", '"', "报告 📄", "-x"]
        code = "import json, sys; print(json.dumps(sys.argv[1:]))"
        command = [*python(code), *words, Liar("itself")]
        result = self.runner().run(command, timeout_seconds=20)
        self.assertEqual(json.loads(result.stdout), [*words, "itself"])

    def test_the_child_starts_in_the_root(self) -> None:
        """The working directory is the workspace's root."""
        result = self.run_python("import os; print(os.getcwd())")
        self.assertTrue(Path(result.stdout.strip()).samefile(self.workspace.root))

    @needs_posix
    def test_the_child_does_not_read_the_hosts_input(self) -> None:
        """The Host's stdin stays its own; that of a child is at its end."""
        seen = run_host(
            "r = runner.run(['sh', '-c', '/bin/cat'], timeout_seconds=20)",
            "answer = [r.stdout, sys.stdin.read()]",
        )
        self.assertEqual(seen, ["", "for the Host"])

    def test_the_environment_is_built(self) -> None:
        """A child gets UTF-8 settings and what the Host names, PATH not included."""
        show = "import json, os; print(json.dumps(dict(os.environ)))"
        named = {"HF_NAMED": "值 = 1"}
        os.environ["HF_PLANTED"] = "secret"
        self.addCleanup(os.environ.pop, "HF_PLANTED", None)
        inherits = subprocess.run(
            [sys.executable, "-S", "-c", show], capture_output=True, encoding="utf-8"
        )
        runner = self.runner(environment=named)
        named["HF_LATER"] = "too late"
        result = runner.run(python(show), timeout_seconds=20)
        self.assertIn("HF_PLANTED", json.loads(inherits.stdout))
        seen = json.loads(result.stdout)
        seen.pop("__CF_USER_TEXT_ENCODING", None)  # macOS puts it there itself
        expected = {"LANG": "C.UTF-8", "PYTHONUTF8": "1", "HF_NAMED": "值 = 1"}
        if os.name == "nt":
            self.assertNotIn("PATH", {name.upper() for name in seen})
            self.assertLessEqual(expected.items(), seen.items())
        else:
            self.assertEqual(seen, expected)

    def test_the_host_may_name_path_itself(self) -> None:
        """What the Host names arrives, also PATH, and can replace a preference."""
        extra = {"PATH": "/named", "LANG": "C"}
        self.assertEqual(child_environment(extra)["PATH"], "/named")
        self.assertEqual(child_environment(extra)["LANG"], "C")
        self.assertNotIn("PATH", child_environment(None))

    @needs_posix
    def test_utf8_reaches_the_child_of_an_ascii_host(self) -> None:
        """A Host in an ASCII locale still sends and reads UTF-8."""
        environment = dict(os.environ, LC_ALL="C", PYTHONUTF8="0")
        environment["PYTHONCOERCECLOCALE"] = "0"
        seen = run_host(
            "r = runner.run(['sh', '-c', 'echo \"$0 $V\"', '\\u62a5'],"
            " timeout_seconds=20)",
            "answer = [sys.getfilesystemencoding(), r.stdout]",
            settings="environment={'V': '\\u544a'}",
            env=environment,
        )
        self.assertNotEqual(seen[0], "utf-8")
        self.assertEqual(seen[1], "报 告\n")

    @needs_posix
    def test_a_linked_program_stays_itself(self) -> None:
        """The program is started by its registered path: a venv's python is one."""
        link = self.folder / "venv-python"
        link.symlink_to(Path(sys.executable).resolve())
        command = ["linked", *python("import sys; print(sys.executable)")[1:]]
        result = self.runner({"linked": link}).run(command, timeout_seconds=20)
        self.assertEqual(result.stdout.strip(), str(link))

    def test_a_missing_program_is_named_by_its_alias(self) -> None:
        """A program that vanished is CommandNotStarted, with alias and no path."""
        gone = self.program("gone.exe")
        runner = self.runner({"gone": gone})
        gone.unlink()
        self.assert_not_started(runner, ["gone"], "program 'gone'.*missing")
        self.assertEqual(runner.run(python("pass"), timeout_seconds=20).returncode, 0)

    @needs_posix
    def test_other_failures_to_start_are_told_apart(self) -> None:
        """A missing interpreter, a lost permission and an alien file are said so."""
        scripts = {
            "script": self.program("script", "#!/no/such/interpreter\n"),
            "denied": self.program("denied"),
            "alien": self.program("alien", "neither script nor binary\n"),
        }
        runner = self.runner(scripts)
        scripts["denied"].chmod(0o644)
        self.assert_not_started(runner, ["script"], "interpreter.*missing")
        self.assert_not_started(runner, ["denied"], "(?i)denied.*permission")
        self.assert_not_started(runner, ["alien"], "(?i)alien.*exec format")

    def test_a_missing_working_directory_is_said(self) -> None:
        """Without its root nothing starts, and the program is not blamed for it."""
        with AgentWorkspace.temporary() as workspace:
            runner = CommandRunner(workspace, executables={"python": sys.executable})
            works = runner.run(python("pass"), timeout_seconds=20)
            moved = workspace.root.with_name(workspace.root.name + "-moved")
            workspace.root.rename(moved)
            try:
                self.assert_not_started(runner, python("pass"), "working directory")
            finally:
                moved.rename(workspace.root)
        self.assertEqual(works.returncode, 0)

    @needs_posix
    def test_a_working_directory_that_cannot_be_entered_is_said(self) -> None:
        """A lost permission of a folder is neither the program's nor a path's."""
        seen = run_host(
            "folder.root = Path('outer/inner').absolute()",
            "folder.root.mkdir(parents=True)",
            "works = runner.run(['sh', '-c', ':'], timeout_seconds=20).returncode",
            "answer = [works]",
            "user = os.geteuid()",
            "if user == 0:",
            "    os.seteuid(65534)",
            "for closed in folder.root, folder.root.parent:",
            "    os.seteuid(user)",
            "    closed.chmod(0)",
            "    os.seteuid(user or 65534)",
            "    try:",
            "        answer.append(repr(runner.run(['sh'], timeout_seconds=20)))",
            "    except CommandNotStarted as error:",
            "        answer.append(str(error))",
            "os.seteuid(user)",
            "folder.root.parent.chmod(0o700)",
            "folder.root.chmod(0o700)",
        )
        self.assertEqual(seen[0], 0)
        for message in seen[1:]:
            self.assertRegex(message, "working directory .*entered$")

    @needs_posix
    def test_no_descriptor_of_the_host_is_inherited(self) -> None:
        """What the Host has open, and even made inheritable, is closed in a child."""
        reader, writer = os.pipe()
        self.addCleanup(os.close, reader)
        self.addCleanup(os.close, writer)
        os.set_inheritable(reader, True)
        code = python(f"import os; os.fstat({reader}); print('open')")
        inherits = subprocess.run(
            [sys.executable, *code[1:]], capture_output=True, close_fds=False
        )
        result = self.runner().run(code, timeout_seconds=20)
        self.assertEqual(inherits.stdout.split(), [b"open"])
        self.assertEqual(result.stdout, "")
        self.assertIn("Bad file descriptor", result.stderr)

    def test_too_many_bytes_of_arguments_do_not_start(self) -> None:
        """A list of arguments that the system refuses is CommandNotStarted."""
        words = [*python("pass"), *["x" * 100_000] * 100]
        self.assert_not_started(self.runner(), words, "program 'python'")

    def assert_not_started(self, runner, command, message: str) -> None:
        with self.assertRaisesRegex(CommandNotStarted, message) as caught:
            runner.run(command, timeout_seconds=20)
        self.assertIsInstance(caught.exception, OSError)
        self.assertIsNone(caught.exception.filename)
        # A printed cause would show a path of the Host.
        self.assertIsNone(caught.exception.__cause__)
        self.assertTrue(caught.exception.__suppress_context__)
        self.assertNotIn(str(self.folder), str(caught.exception))
        self.assertNotIn(str(self.workspace.root), str(caught.exception))


class Liar(str):
    """Text that claims to be something else, wherever it is asked."""

    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        return True

    def __contains__(self, part: object) -> bool:
        return False

    def encode(self, *_: object) -> bytes:
        return b"something else"


class RunnerRefusalChecks(RunnerCase):
    def test_a_command_is_a_list_that_begins_with_an_alias(self) -> None:
        """Strings, empty lists, unknown names, paths and non-strings start nothing."""
        effect = self.workspace.root / "started"
        good = python(f"open({str(effect)!r}, 'wb').close()")
        refused = {
            "string": "python -c pass",
            "bytes": b"python",
            "nothing": None,
            "no sequence": iter(good),
            "a set": set(good),
            "empty": [],
            "unknown": ["rm", *good[1:]],
            "path": [sys.executable, *good[1:]],
            "number": [*good, 7],
            "bytes inside": [*good, b"x"],
            "path object": [*good, Path("x")],
            "NUL": [*good, "a\0b"],
            "lone surrogate": [*good, "\udc80"],
            "hidden NUL": [*good, Liar("a\0b")],
            "hidden surrogate": [*good, Liar("\udc80")],
            "alias of another case": ["Python", *good[1:]],
        }
        runner = self.runner()
        for what, command in refused.items():
            with self.subTest(what):
                with self.assertRaises(CommandRefused) as caught:
                    runner.run(command, timeout_seconds=20)
                self.assertNotIn(sys.executable, str(caught.exception))
        self.assertFalse(effect.exists())
        with self.assertRaises(CommandRefused):
            self.runner({"p": sys.executable}).run("p", timeout_seconds=20)
        self.assertEqual(runner.run(tuple(good), timeout_seconds=20).returncode, 0)
        self.assertTrue(effect.exists())
        self.assertTrue(issubclass(CommandRefused, ValueError))

    def test_the_timeout_is_a_positive_number_of_at_most_a_day(self) -> None:
        """Other values are refused; an integer and exactly a day are accepted."""
        runner = self.runner()
        wrong = (True, False, 0, 0.0, -1, float("nan"), float("inf"), 86_400.5)
        for value in (*wrong, 10**400, "1", None, 1j):
            with self.subTest(value=str(value)[:20]), self.assertRaises(CommandRefused):
                runner.run(python("pass"), timeout_seconds=value)
        self.assertEqual(runner.run(python(""), timeout_seconds=86_400).returncode, 0)

    def test_limits_are_checked_at_construction(self) -> None:
        """Limits that are no positive numbers are refused; usual ones are not."""
        wrong = (True, 0, -1, float("nan"), float("inf"), "1", None)
        for name in ("max_output_bytes", "grace_seconds"):
            for value in wrong:
                with (
                    self.subTest(name, value=value),
                    self.assertRaisesRegex(CommandRefused, name),
                ):
                    self.runner(**{name: value})
        with self.assertRaises(CommandRefused):
            self.runner(max_output_bytes=1.5)
        self.runner(max_output_bytes=1, grace_seconds=0.001)

    def test_variables_are_text_without_nul(self) -> None:
        """Names and values that no system can pass on are refused without a value."""
        wrong = (
            {"": "x"},
            {"A=B": "x"},
            {"A\0": "x"},
            {"A": "secret\0"},
            {"A": 1},
            {1: "x"},
            {"A": None},
            {b"A": "x"},
            {"A": "\ud800"},
            {"\ud800": "x"},
            [("A", "x")],
        )
        for environment in wrong:
            with self.subTest(environment=ascii(environment)):
                with self.assertRaises(CommandRefused) as caught:
                    self.runner(environment=environment)
                self.assertNotIn("secret", str(caught.exception))
        self.runner(environment={"A": "x=y", "空": ""})


class RunnerRegistrationChecks(RunnerCase):
    def test_a_program_is_an_absolute_executable_file(self) -> None:
        """Relative, missing, non-regular and non-text registrations are refused."""
        wrong = {
            "relative": Path(sys.executable).name,
            "dotted": "./python",
            "empty": "",
            "missing": self.folder / "missing",
            "directory": self.folder,
            "number": 7,
            "none": None,
            "bytes": os.fsencode(sys.executable),
            "NUL": sys.executable + "\0",
            "name too long": self.folder / ("x" * 300),
        }
        if POSIX:
            wrong["not executable"] = self.program("plain.txt", mode=0o644)
            wrong["fifo"] = self.folder / "fifo"
            os.mkfifo(wrong["fifo"], 0o755)
        for what, path in wrong.items():
            with self.subTest(what):
                with self.assertRaises(CommandRefused) as caught:
                    self.runner({"tool": path})
                self.assertIn("'tool'", str(caught.exception))
                self.assertNotIn(str(self.folder), str(caught.exception))
        self.runner({"text": sys.executable, "path": Path(sys.executable)})

    def test_an_alias_is_text(self) -> None:
        """A mapping with other keys, or no mapping at all, is refused."""
        for programs in ({1: sys.executable}, {"a\0": sys.executable}):
            with self.subTest(programs=programs), self.assertRaises(CommandRefused):
                CommandRunner(self.workspace, executables=programs)
        with self.assertRaises(CommandRefused):
            CommandRunner(self.workspace, executables=[("python", sys.executable)])

    def test_the_registration_is_a_copy(self) -> None:
        """A program added to the mapping afterwards cannot be run."""
        programs = {"python": sys.executable}
        runner = CommandRunner(self.workspace, executables=programs)
        programs["later"] = sys.executable
        with self.assertRaises(CommandRefused):
            runner.run(["later"], timeout_seconds=20)
        self.assertEqual(runner.run(python("pass"), timeout_seconds=20).returncode, 0)

    @needs_posix
    def test_batch_files_are_refused_however_they_are_spelled(self) -> None:
        """Case, dots, spaces, streams and links do not hide a batch file."""
        names = ["a.bat", "a.CMD", "a.Bat.", "a.cmd .. ", ".bat"]
        names += ["a.bat::$DATA", "a.cmd:x", "a.cmd. :x", "a.exe:b.bat"]
        for name in names:
            path = self.program(name)
            link = self.folder / f"link-{len(name)}-{ord(name[2])}"
            link.unlink(missing_ok=True)
            link.symlink_to(path)
            for registered in (path, link):
                with (
                    self.subTest(name, link=registered == link),
                    self.assertRaisesRegex(CommandRefused, "batch"),
                ):
                    self.runner({"tool": registered})
        named_batch = self.folder / "link.cmd"
        named_batch.symlink_to(sys.executable)
        with self.assertRaisesRegex(CommandRefused, "batch"):
            self.runner({"tool": named_batch})
        for name in ("combat", "cmd", "a.bat.exe", "a.batch", "a.cmd-tool"):
            with self.subTest(name):
                self.runner({"tool": self.program(name)})


@needs_posix
class RunnerDeadlineChecks(RunnerCase):
    """The slow cases run at the same time, once, and each check looks at its own.

    They run beside other checks (`SLOW_CASES`), in a workspace of their own.
    """

    timeout = 2
    grace = 0.3
    # Each with the number of words that it prints before it waits.
    scripts = {  # noqa: RUF012
        "polite": (1, "echo kept >side-effect; echo begun; exec /bin/sleep 9"),
        "stubborn": (
            3,
            "trap '' TERM; /bin/sleep 9 & echo $!; /bin/sleep 9 & echo $!; "
            "echo $$; wait",
        ),
        "stopped": (1, "echo $$; kill -STOP $$"),
        "holds stdout": (1, "/bin/sleep 9 2>&- & echo $!"),
        "holds stderr": (1, "/bin/sleep 9 >&- & echo $!"),
        "closed": (0, "exec /bin/sleep 9 >&- 2>&-"),
    }
    # It reports once it has its own session, so no kill can come too early.
    escapee = python(
        "import os, signal, time",
        "ready, tell = os.pipe()",
        "if os.fork() == 0:",
        "    signal.alarm(9)  # whoever forgets it",
        "    os.setsid()",
        "    print(os.getpid(), flush=True)",
        "    os.write(tell, b'x')",
        "    try:",
        "        while True: os.write(1, b'flood' * 1000)",
        "    except OSError: time.sleep(9)",
        "    os._exit(0)",
        "os.read(ready, 1)",
    )

    @classmethod
    def run_slow_cases(cls) -> SimpleNamespace:
        """Results and delays of all cases, the escapee alive, what was written."""
        with AgentWorkspace.temporary() as workspace, ThreadPoolExecutor(12) as pool:
            script = functools.partial(pool.submit, cls.script, workspace)
            cases = {name: script(name) for name in cls.scripts}
            cases["patient"] = script("stubborn", grace=8)
            cases["hasty"] = script("stubborn", grace=1e-6)
            escape = pool.submit(cls.escape, workspace)
            effect = workspace.root / "side-effect"
            cases["polite"].result()
            return SimpleNamespace(
                cases={name: case.result() for name, case in cases.items()},
                escapee=escape.result(),
                effect=effect.read_text(encoding="utf-8"),
            )

    @classmethod
    def timed(
        cls, workspace, command, *, grace: float = grace, timeout: float = timeout
    ) -> tuple[CommandResult, float]:
        """A result, and by how much the call overran its deadline."""
        programs = {"python": sys.executable, "sh": "/bin/sh"}
        runner = CommandRunner(workspace, executables=programs, grace_seconds=grace)
        started = time.monotonic()
        result = runner.run(command, timeout_seconds=timeout)
        return result, time.monotonic() - started - timeout

    @classmethod
    def script(cls, workspace, name: str, *, grace: float = grace):
        """The same for one of the scripts."""
        words, text = cls.scripts[name]
        result, late = cls.timed(workspace, ["sh", "-c", text], grace=grace)
        if len(result.stdout.split()) < words:
            # Give a busy machine the time to get as far as that.
            result, late = cls.timed(
                workspace, ["sh", "-c", text], grace=grace, timeout=5
            )
        return result, late

    @classmethod
    def escape(cls, workspace) -> tuple[CommandResult, float, bool]:
        """The case of the escapee, and whether it was alive afterwards."""
        result, late = cls.timed(workspace, cls.escapee)
        if result.returncode != 0:
            # Give a busy machine the time to let the escape happen at all.
            result, late = cls.timed(workspace, cls.escapee, timeout=5)
        pid = int(result.stdout.split()[0])
        alive = is_running(pid)
        end_quietly(pid)
        return result, late, alive

    def case(self, name: str) -> CommandResult:
        result, late = SLOW_CASES.result().cases[name]
        self.assert_late(result, late)
        return result

    def assert_late(self, result: CommandResult, late: float) -> None:
        self.assertTrue(result.timed_out)
        self.assertGreaterEqual(late, 0)
        self.assertLess(late, self.grace + 0.5)

    def assert_ended(self, pids: str, count: int) -> None:
        numbers = [int(pid) for pid in pids.split()]
        self.assertEqual(len(numbers), count)
        for pid in numbers:
            # Less than the children's own nine seconds.
            self.assertTrue(wait_until(lambda pid=pid: not is_running(pid), 5), pid)

    def test_a_time_out_ends_the_program_and_undoes_nothing(self) -> None:
        """TERM comes first; output and files from before the deadline stay."""
        result = self.case("polite")
        self.assertEqual((result.returncode, result.stdout), (-15, "begun\n"))
        self.assertTrue(result.output_complete and result.cleanup_complete)
        self.assertEqual(SLOW_CASES.result().effect, "kept\n")

    def test_a_group_that_ignores_term_is_killed(self) -> None:
        """Three processes that ignore TERM are killed, descendants included."""
        result = self.case("stubborn")
        self.assertEqual(result.returncode, -9)
        self.assertTrue(result.output_complete and result.cleanup_complete)
        self.assert_ended(result.stdout, 3)

    def test_a_stopped_program_is_killed(self) -> None:
        """A program that is stopped cannot act on TERM, and ends all the same."""
        result = self.case("stopped")
        self.assertEqual(result.returncode, -9)
        self.assert_ended(result.stdout, 1)

    def test_a_held_pipe_is_a_time_out(self) -> None:
        """A descendant that holds one pipe keeps the run going until the deadline."""
        for name in ("holds stdout", "holds stderr"):
            with self.subTest(name):
                result = self.case(name)
                self.assertEqual(result.returncode, 0)
                self.assertTrue(result.output_complete and result.cleanup_complete)
                self.assert_ended(result.stdout, 1)

    def test_the_deadline_covers_the_exit_too(self) -> None:
        """A program that closed both pipes and runs on is ended at the deadline."""
        result = self.case("closed")
        self.assertEqual(result.returncode, -15)
        self.assertTrue(result.output_complete and result.cleanup_complete)

    def test_an_escapee_is_reported_and_not_waited_for(self) -> None:
        """One that left the session and holds a pipe makes both promises false."""
        result, late, alive = SLOW_CASES.result().escapee
        self.assert_late(result, late)
        self.assertTrue(alive)
        self.assertEqual(result.returncode, 0)
        self.assertFalse(result.output_complete)
        self.assertFalse(result.cleanup_complete)
        self.assertTrue(result.stdout_truncated)

    def test_the_grace_period_is_not_spent_without_need(self) -> None:
        """A long grace period does not delay the end of a stubborn group."""
        result, late = SLOW_CASES.result().cases["patient"]
        self.assertTrue(result.timed_out and result.cleanup_complete)
        self.assertLess(late, 2)

    def test_the_shortest_grace_period_is_enough(self) -> None:
        """However short, nothing is left behind, and what was printed is there."""
        result, _ = SLOW_CASES.result().cases["hasty"]
        self.assertTrue(result.timed_out)
        self.assertTrue(result.output_complete and result.cleanup_complete)
        self.assert_ended(result.stdout, 3)

    @needs_proc
    def test_a_traced_program_holds_up_nothing(self) -> None:
        """A descendant that traces the program cannot make the run wait for it."""
        seen = SLOW_HOSTS["a tracer"].result()
        if seen is None:
            self.skipTest("needs a system that lets a process trace its parent")
        returncode, timed_out, cleanup_complete, late, nothing_left = seen
        self.assertEqual([returncode, timed_out, cleanup_complete], [None, True, False])
        self.assertLess(late, self.grace + 0.5)
        self.assertTrue(nothing_left)

    def test_a_quiet_background_process_ends_with_a_success(self) -> None:
        """At the end of a successful run the whole group is killed, without waiting."""
        script = "trap '' TERM; /bin/sleep 9 >&- 2>&- & echo $!"
        started = time.monotonic()
        result = self.runner(grace_seconds=8).run(
            ["sh", "-c", script], timeout_seconds=20
        )
        self.assertLess(time.monotonic() - started, 5)
        self.assertEqual(result.returncode, 0)
        self.assertFalse(result.timed_out)
        self.assertTrue(result.output_complete and result.cleanup_complete)
        self.assert_ended(result.stdout, 1)

    @unittest.skipUnless(hasattr(os, "waitid"), "needs os.waitid to leave it unreaped")
    def test_the_child_is_unreaped_until_its_group_is_signalled(self) -> None:
        """After the exit the number of the group still belongs to our own child."""
        with ChildProcess(
            Path("/bin/sh"),
            ["-c", "echo $$; exit 4"],
            cwd=self.workspace.root,
            environment={},
            grace_seconds=5,
        ) as child:
            pid = int(child.stdout.readall())
            child.stdout.close()
            child.stderr.close()
            self.assertTrue(child.wait(time.monotonic() + 20))
            unreaped = os.WEXITED | os.WNOHANG | os.WNOWAIT
            self.assertIsNotNone(os.waitid(os.P_PID, pid, unreaped))
            self.assertEqual(child.end(time.monotonic() + 5), 4)

    def test_an_exit_code_taken_by_others_is_not_invented(self) -> None:
        """Where SIGCHLD is ignored the exit code is None; elsewhere it is known."""
        seen = run_host(
            "command = ['sh', '-c', 'exit 7']",
            "a = runner.run(command, timeout_seconds=20)",
            "signal.signal(signal.SIGCHLD, signal.SIG_IGN)",
            "b = runner.run(command, timeout_seconds=20)",
            "answer = [[r.returncode, r.cleanup_complete] for r in (a, b)]",
        )
        self.assertEqual(seen[0], [7, True])
        if hasattr(os, "waitid"):
            self.assertEqual(seen[1], [None, False])

    def test_older_systems_end_runs_as_well(self) -> None:
        """Without pidfd_open, and without waitid, results and clean-up are the same."""
        for name in ("no pidfd_open", "no waitid"):
            with self.subTest(name):
                quiet, late, silent = SLOW_HOSTS[name].result()
                self.assertEqual(quiet[:3], [3, False, True])
                self.assertEqual(late[:3], [-9, True, True])
                self.assertEqual(silent[:3], [0, False, True])
                self.assert_ended(quiet[3] + late[3], 2)

    @classmethod
    def with_a_tracer(cls) -> tuple[str, ...]:
        """A Host whose child is traced by a descendant that has left the group."""
        code = python(
            "import ctypes, os, signal, time",
            "libc = ctypes.CDLL(None)",
            "libc.prctl(0x59616D61, ctypes.c_ulong(-1), 0, 0, 0)  # PR_SET_PTRACER",
            "ready, tell = os.pipe()",
            "if os.fork() == 0:",
            "    signal.alarm(9)  # whoever forgets it",
            "    os.setsid()",
            "    failed = libc.ptrace(0x4206, os.getppid(), None, None)  # SEIZE",
            "    print(os.getpid(), 'failed' if failed else 'traces', flush=True)",
            "    os.close(1)",
            "    os.close(2)",
            "    os.write(tell, b'x')",
            "    time.sleep(9)",
            "os.read(ready, 1)",
            "time.sleep(9)",
        )
        return (
            "import warnings  # Popen is right to say that the child is not reaped",
            "warnings.simplefilter('ignore', ResourceWarning)",
            "runner.run(['sh', '-c', ':'], timeout_seconds=20)",
            "before, answer = counts(), None",
            "# The second is for a machine so busy that nothing was said in the first.",
            f"for seconds in ({cls.timeout}, 5):",
            "    started = time.monotonic()",
            f"    r = runner.run({code!r}, timeout_seconds=seconds)",
            "    late = time.monotonic() - started - seconds",
            "    if r.stdout:",
            "        break",
            "if 'traces' in r.stdout:",
            "    os.kill(int(r.stdout.split()[0]), signal.SIGKILL)",
            "    deadline = time.monotonic() + 5",
            "    while counts() != before and time.monotonic() < deadline:",
            "        runner.run(['sh', '-c', ':'], timeout_seconds=20)",
            "    answer = [r.returncode, r.timed_out, r.cleanup_complete, late]",
            "    answer.append(counts_after(before) == before)",
        )

    @staticmethod
    def on_older_system(*missing: str) -> tuple[str, ...]:
        quiet = "/bin/sleep 9 >&- 2>&- & echo $!; exit 3"
        late = "trap '' TERM; /bin/sleep 9 & echo $!; wait"
        silent = "exec >&- 2>&-; /bin/sleep .05"
        return (
            f"for name in {missing!r}:",
            "    vars(os).pop(name, None)",
            f"a = runner.run(['sh', '-c', {quiet!r}], timeout_seconds=20)",
            "for seconds in (1, 5):",
            f"    b = runner.run(['sh', '-c', {late!r}], timeout_seconds=seconds)",
            "    if b.stdout:",
            "        break",
            f"c = runner.run(['sh', '-c', {silent!r}], timeout_seconds=20)",
            "answer = [[r.returncode, r.timed_out, r.cleanup_complete, r.stdout]"
            " for r in (a, b, c)]",
        )


@needs_posix
class RunnerDrainChecks(unittest.TestCase):
    def test_descriptors_above_1023_can_be_read(self) -> None:
        """A Host with many open files still drains: poll() has no such limit."""
        import fcntl
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if hard not in (resource.RLIM_INFINITY,) and hard < 1_200:
            self.skipTest("needs a hard limit of 1,200 open files (ulimit -Hn)")
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 1_200), hard))
        pipes, writers = [], []
        for _ in range(2):
            reader, writer = os.pipe()
            pipes.append(io.FileIO(fcntl.fcntl(reader, fcntl.F_DUPFD_CLOEXEC, 1_100)))
            os.close(reader)
            writers.append(writer)
        with OutputDrain(*pipes, 100) as output:
            for writer in writers:
                os.write(writer, b"high")
                os.close(writer)
            self.assertTrue(output.wait(time.monotonic() + 20))
        self.assertEqual((output.stdout.text(), output.stderr.text()), ("high",) * 2)

    def test_stopping_does_not_wait_for_a_writer(self) -> None:
        """Readers of pipes that stay open end at once, and close their own ends."""
        reader, writer = os.pipe()
        self.addCleanup(os.close, writer)
        other, other_writer = os.pipe()
        self.addCleanup(os.close, other_writer)
        output = OutputDrain(io.FileIO(reader), io.FileIO(other), 100)
        self.assertFalse(output.wait(time.monotonic()))
        self.assertTrue(output.stop())
        self.assertFalse(output.stdout.complete or output.stderr.complete)
        with self.assertRaises(BrokenPipeError):
            os.write(writer, b"x")

    def test_an_endless_flood_does_not_drown_the_clock(self) -> None:
        """Whoever reads what never runs dry looks at the deadline, and can stop."""
        output = OutputDrain(io.FileIO("/dev/zero"), io.FileIO("/dev/zero"), 100)
        seen = []

        def wait_and_stop() -> None:
            seen.append(output.wait(time.monotonic() + 0.05))
            seen.append(output.stop())

        # A daemon, so that a reader that cannot be stopped fails and does not hang.
        thread = threading.Thread(target=wait_and_stop, daemon=True)
        thread.start()
        thread.join(5)
        self.assertEqual(seen, [False, True])
        self.assertTrue(output.stdout.truncated and output.stderr.truncated)

    def test_a_reader_never_blocks_in_a_read(self) -> None:
        """What another process takes out of the pipe first cannot hang a reader."""
        reader, writer = os.pipe()
        other, other_writer = os.pipe()
        self.addCleanup(os.close, writer)
        self.addCleanup(os.close, other_writer)
        with OutputDrain(io.FileIO(reader), io.FileIO(other), 100):
            self.assertFalse(os.get_blocking(reader) or os.get_blocking(other))


class RunnerThreadedDrainChecks(unittest.TestCase):
    """What Windows uses works everywhere, so it is checked everywhere."""

    def test_two_threads_read_both_pipes(self) -> None:
        """Runs whose pipes are read by threads have the same results."""
        code = "import os; os.write({}, bytes(300_000)); os.write({}, b'end')"
        commands = [python(code.format(*order)) for order in ((1, 2), (2, 1))]
        seen = run_host(
            "import runner as module",
            "from pipe_drain import ThreadedDrain",
            "module.OutputDrain = ThreadedDrain",
            f"commands = {commands!r}",
            "runs = [runner.run(c, timeout_seconds=20) for c in commands]",
            "answer = [[len(r.stdout), len(r.stderr), r.stdout_truncated,"
            " r.output_complete, r.cleanup_complete] for r in runs]",
        )
        self.assertEqual(seen[0], [16_384, 3, True, True, True])
        self.assertEqual(seen[1], [3, 16_384, False, True, True])

    def test_a_thread_that_cannot_be_woken_is_reported(self) -> None:
        """As long as somebody holds a pipe its reader stays, and `stop` says so."""
        reader, writer = os.pipe()
        other, other_writer = os.pipe()
        os.close(other_writer)
        pipe = io.FileIO(reader)
        output = ThreadedDrain(pipe, io.FileIO(other), 100)
        try:
            self.assertFalse(output.wait(time.monotonic() + 0.01))
            self.assertFalse(output.stop())
        finally:
            os.close(writer)
        self.assertTrue(output.wait(time.monotonic() + 20))
        self.assertTrue(output.stop())
        self.assertTrue(pipe.closed)

    @needs_proc
    def test_no_thread_means_no_process(self) -> None:
        """When a reader cannot start, the program is ended and CommandNotStarted."""
        seen = run_host(
            "import runner as module",
            "from pipe_drain import ThreadedDrain",
            "module.OutputDrain = ThreadedDrain",
            "before = counts()",
            "try:",
            "    threading.stack_size(1 << 50)",
            "except ValueError:",
            "    answer = None",
            "else:",
            "    try:",
            "        runner.run(['sh', '-c', '/bin/sleep 9'], timeout_seconds=8)",
            "        answer = ['started']",
            "    except CommandNotStarted as error:",
            "        answer = [str(error), before == counts_after(before)]",
            "    threading.stack_size(0)",
            "    r = runner.run(['sh', '-c', 'echo ok'], timeout_seconds=20)",
            "    answer.append(r.stdout)",
        )
        if seen is None:
            self.skipTest("this system refuses a stack size that it cannot give")
        self.assertIn("'sh'", seen[0])
        self.assertEqual(seen[1:], [True, "ok\n"])


class RunnerInterruptChecks(RunnerCase):
    at_any_moment = (
        "signal.signal(signal.SIGTERM, signal.default_int_handler)",
        "before, interrupts = counts(), 0",
        "for turn in range(60):",
        "    number = signal.SIGTERM if turn % 2 else signal.SIGINT",
        "    def interrupt(pause=turn / 30_000, number=number):",
        "        time.sleep(pause)",
        "        os.kill(os.getpid(), number)",
        "    thread = threading.Thread(target=interrupt)",
        "    try:",
        "        thread.start()",
        "        runner.run(['sh', '-c', 'exec /bin/sleep 9'], timeout_seconds=8)",
        "    except KeyboardInterrupt:",
        "        interrupts += 1",
        "    thread.join()",
        "both = signal.SIGINT, signal.SIGTERM",
        "own = {signal.getsignal(n) is signal.default_int_handler for n in both}",
        "answer = [interrupts, before == counts_after(before), list(own)]",
    )
    woken_by_nobody = (
        "def interrupt():",
        "    time.sleep(0.1)",
        "    os.kill(os.getpid(), signal.SIGINT)",
        "answer = []",
        "for closing in ('', 'exec >&- 2>&-;'):",
        "    thread = threading.Thread(target=interrupt)",
        "    thread.start()",
        "    # From now on another thread takes the signal, and poll() sleeps on.",
        "    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])",
        "    started = time.monotonic()",
        "    try:",
        "        script = closing + 'exec /bin/sleep 9'",
        "        runner.run(['sh', '-c', script], timeout_seconds=8)",
        "    except KeyboardInterrupt:",
        "        answer.append(time.monotonic() - started < 4)",
        "    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])",
        "    thread.join()",
    )

    def test_a_held_interrupt_comes_at_the_end_of_the_block(self) -> None:
        """It is neither lost nor early, and the Host's handler is put back first."""
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, before)
        reached = []
        with self.assertRaises(KeyboardInterrupt), InterruptGuard(signal.SIGINT):
            signal.raise_signal(signal.SIGINT)
            reached.append("after the interrupt")
        self.assertEqual(reached, ["after the interrupt"])
        self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)

    def test_a_signal_during_its_handler_is_not_put_off(self) -> None:
        """A second signal that comes while the first is handled is handled next."""
        calls = []

        def handler(number: int, _: object) -> None:
            calls.append(number)
            if len(calls) == 1:
                signal.raise_signal(number)

        before = signal.signal(signal.SIGINT, handler)
        self.addCleanup(signal.signal, signal.SIGINT, before)
        with InterruptGuard(signal.SIGINT) as guard, guard.admitted():
            signal.raise_signal(signal.SIGINT)
            self.assertEqual(calls, [signal.SIGINT] * 2)

    @needs_proc
    def test_an_interrupt_leaves_nothing_behind(self) -> None:
        """A Ctrl-C while the program runs ends its whole group and is passed on."""
        seen = run_host(
            "pids = Path('pids')",
            "def interrupt():",
            "    while not pids.exists() or len(pids.read_bytes().split()) < 2:",
            "        time.sleep(0.005)",
            "    os.kill(os.getpid(), signal.SIGINT)",
            "thread = threading.Thread(target=interrupt)",
            "before, started = counts(), time.monotonic()",
            "thread.start()",
            "try:",
            "    runner.run(['sh', '-c', '/bin/sleep 9 & echo $! $$ >pids; wait'],"
            " timeout_seconds=8)",
            "except KeyboardInterrupt:",
            "    thread.join()",
            "    answer = [pids.read_bytes().decode(), time.monotonic() - started < 6]",
            "    answer.append(before == counts_after(before))",
            "own = signal.getsignal(signal.SIGINT) is signal.default_int_handler",
            "answer.append(own)",
            settings="grace_seconds=5",
        )
        for pid in seen[0].split():
            self.assertTrue(wait_until(lambda pid=int(pid): not is_running(pid)))
        self.assertEqual(seen[1:], [True, True, True])

    @needs_proc
    def test_an_interrupt_at_any_moment_leaves_nothing_behind(self) -> None:
        """What SIGINT or SIGTERM raises waits for a start or an end and is not lost."""
        seen = SLOW_HOSTS["interrupts at any moment"].result()
        self.assertEqual(seen, [60, True, [True]])

    @unittest.skipUnless(hasattr(signal, "pthread_sigmask"), "needs signal masks")
    def test_an_interrupt_that_wakes_nobody_is_noticed(self) -> None:
        """A Ctrl-C that came too early to end the waiting does not wait itself."""
        seen = SLOW_HOSTS["interrupts that wake nobody"].result()
        self.assertEqual(seen, [True, True])

    @needs_posix
    def test_a_handler_installed_meanwhile_stays(self) -> None:
        """A handler that puts another in its place, for a second Ctrl-C, is obeyed."""
        seen = run_host(
            "def second(*_): pass",
            "def first(*_):",
            "    signal.signal(signal.SIGINT, second)",
            "    Path('called').touch()",
            "signal.signal(signal.SIGINT, first)",
            "script = 'kill -INT $PPID; until test -e called; do /bin/sleep .01; done'",
            "r = runner.run(['sh', '-c', script], timeout_seconds=6)",
            "answer = [r.returncode, signal.getsignal(signal.SIGINT) is second]",
        )
        self.assertEqual(seen, [0, True])

    @needs_posix
    def test_a_handler_that_does_not_raise_does_not_end_the_run(self) -> None:
        """The Host's own SIGINT handler is called, each time, and the run goes on."""
        seen = run_host(
            "calls = []",
            "def called(*_):",
            "    calls.append(1)",
            "    Path(f'call-{len(calls)}').touch()",
            "signal.signal(signal.SIGINT, called)",
            "wait = 'until test -e call-%d; do /bin/sleep .01; done;'",
            "script = ''.join('kill -INT $PPID;' + wait % n for n in (1, 2))",
            "r = runner.run(['sh', '-c', script + 'echo end'], timeout_seconds=6)",
            "answer = [len(calls), r.stdout]",
        )
        self.assertEqual(seen, [2, "end\n"])


@needs_posix
class RunnerTerminalChecks(RunnerCase):
    def test_no_program_reaches_the_terminal(self) -> None:
        """A child cannot open the Host's terminal; one in its session could."""
        import pty

        code = "open('/dev/tty', 'rb').close(); print('reached')"
        report = self.folder / "report.json"
        host = host_code(
            "import subprocess",
            "os.close(os.open(os.ttyname(0), os.O_RDWR))",
            f"a = subprocess.run([sys.executable, '-S', '-c', {code!r}],"
            " capture_output=True, encoding='utf-8')",
            f"b = runner.run(['python', '-S', '-c', {code!r}], timeout_seconds=20)",
            "answer = [a.stdout, b.stdout, b.returncode]",
        )
        master, slave = pty.openpty()
        self.addCleanup(os.close, master)
        self.addCleanup(os.close, slave)
        subprocess.run(
            [sys.executable, "-S", "-B", "-c", host, str(CODE), str(report)],
            cwd=CODE,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            timeout=30,
        )
        seen = json.loads(report.read_text(encoding="utf-8"))
        self.assertEqual(seen[0].strip(), "reached")
        self.assertEqual(seen[1:], ["", 1])


@needs_proc
class RunnerLeakChecks(unittest.TestCase):
    host = (
        "from concurrent.futures import ThreadPoolExecutor",
        "def shell(script, seconds=20):",
        "    return runner.run(['sh', '-c', script], timeout_seconds=seconds)",
        "shell(':')",
        "gone = Path('gone')",
        "gone.touch(0o755)",
        "missing = CommandRunner(folder, executables={'gone': gone.absolute()})",
        "gone.unlink()",
        "before, wrong = counts(), []",
        "with ThreadPoolExecutor(2) as pool:",
        "    # The two that have to wait do so while the others run.",
        f"    command = {RunnerDeadlineChecks.escapee!r}",
        "    escapes = [pool.submit(runner.run, command, timeout_seconds=2)"
        " for _ in range(2)]",
        "    for turn in range(198):",
        "        if turn % 4 == 0:",
        "            try:",
        "                wrong.append(missing.run(['gone'], timeout_seconds=20))",
        "            except CommandNotStarted:",
        "                pass",
        "        elif turn % 4 == 1:",
        "            shell('/bin/sleep 9 & wait', 0.002)",
        "        else:",
        "            quiet = '/bin/sleep 9 >&- 2>&- &' if turn % 8 == 2 else ''",
        "            result = shell(f'{quiet} exit {turn % 4}')",
        "            if result.returncode != turn % 4:",
        "                wrong.append(str(result))",
        "pids = [p for e in escapes for p in e.result().stdout.split()[:1]]",
        "after = counts_after(before)",
        "for pid in pids:",
        "    os.kill(int(pid), signal.SIGKILL)",
        "answer = [wrong, before, after, len(pids)]",
    )

    def test_200_runs_return_to_the_starting_counts(self) -> None:
        """Runs of every kind leave no descriptor, thread, child or zombie behind."""
        wrong, before, after, escaped = SLOW_HOSTS["200 runs"].result()
        self.assertEqual(wrong, [])
        self.assertEqual(before, after)
        self.assertGreater(escaped, 0)


def end_quietly(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, 9)


def host_code(*code: str, settings: str = "") -> str:
    """A Host of its own, in the current folder: it has `runner` and prints `answer`."""
    body = "\n".join(code)
    return f"""\
import json, os, signal, sys, threading, time
sys.path[0] = sys.argv[1]
from pathlib import Path
from types import SimpleNamespace
from check_support import counts, counts_after
from runner import CommandNotStarted, CommandRunner
folder = SimpleNamespace(root=Path.cwd())
runner = CommandRunner(
    folder, executables={{"python": sys.executable, "sh": "/bin/sh"}}, {settings}
)
{body}
if len(sys.argv) > 2:
    Path(sys.argv[2]).write_text(json.dumps(answer), encoding="utf-8")
else:
    print(json.dumps(answer))
"""


def run_host(*code: str, settings: str = "", env: dict[str, str] | None = None):
    """Run a Host of its own and return its answer."""
    host = host_code(*code, settings=settings)
    with tempfile.TemporaryDirectory(prefix="runner-host-") as folder:
        done = subprocess.run(
            [sys.executable, "-S", "-B", "-c", host, str(CODE)],
            cwd=folder,
            env=ENVIRONMENT if env is None else env,
            input="for the Host",
            capture_output=True,
            encoding="utf-8",
            timeout=50,
        )
    if done.returncode or done.stderr:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)


SLOW_CASES = Beside(RunnerDeadlineChecks.run_slow_cases)
HASTY = f"grace_seconds={RunnerDeadlineChecks.grace}"
SLOW_HOSTS = {
    name: Beside(functools.partial(run_host, settings=settings), *code)
    for name, settings, code in (
        ("a tracer", HASTY, RunnerDeadlineChecks.with_a_tracer()),
        ("no pidfd_open", HASTY, RunnerDeadlineChecks.on_older_system("pidfd_open")),
        (
            "no waitid",
            HASTY,
            RunnerDeadlineChecks.on_older_system("pidfd_open", "waitid"),
        ),
        # What is killed while it begins can take a while to end on a busy machine.
        ("interrupts at any moment", "", RunnerInterruptChecks.at_any_moment),
        ("interrupts that wake nobody", "", RunnerInterruptChecks.woken_by_nobody),
        ("200 runs", "", RunnerLeakChecks.host),
    )
}


if __name__ == "__main__":
    unittest.main()
