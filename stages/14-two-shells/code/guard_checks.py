"""Checks of twoshell_guard.py: what it runs, what it refuses, and what it says."""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import inspect
import json
import os
import re
import shutil
import signal
import string
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings
from decimal import Decimal
from pathlib import Path
from unittest.mock import patch

import twoshell_guard
from process_check_support import (
    file_name,
    new_mark,
    processes_with,
    wait_until,
    words_of,
    write_program,
)
from shell_check_support import (
    REAL_PYTHON,
    SHELLS,
    ScriptedExecutor,
    ShellExecutor,
    counts,
    is_running,
    needs_posix,
    needs_proc,
)
from twoshell_guard import (
    CAPTURE_BYTES,
    COMMAND_BYTES,
    CONTRACT,
    LANGUAGES,
    MESSAGES,
    PROBE_SECONDS,
    SHOWN_CHARACTERS,
    STDERR_CHARACTERS,
    WHO,
    WS_NAME,
    Execution,
    ToolContract,
    dispatch,
    fingerprint,
    run_local,
)

__all__ = [
    "GuardDispatchChecks",
    "GuardFileChecks",
    "GuardFingerprintChecks",
    "GuardMessageChecks",
    "GuardOutputChecks",
    "GuardRefusalChecks",
    "GuardRunChecks",
    "GuardShellChecks",
]

GUARD = Path(twoshell_guard.__file__)
FP = {"host": "scripted", "python": "none", "has_sessions": False, "workspace": None}
UNKNOWN = {**FP, "host": "unknown", "python": "unknown"}
WIRING = {"en": "Check the wiring", "zh-CN": "请检查接线", "ja": "配線を確認"}
# An agent of a reader's own: no more than the file and its docstring.
OWN_AGENT = """\
import json
from twoshell_guard import dispatch, fingerprint
fp = fingerprint()
calls = [("call_1", "run_in_sandbox", {"command": "echo hello"}),
         ("call_2", "run_in_sandbox", {"command": "true"})]
print(json.dumps([dispatch(i, name, a["command"], fp) for i, name, a in calls]))
"""


def answer(executor: object, name: str = "run_in_sandbox", **options) -> dict:
    """The result of a command that a scripted executor gives an answer to."""
    fp = options.pop("fp", FP)
    return dispatch("toolu_1", name, "a command", fp, executor=executor, **options)


def printed(stdout: bytes, stderr: bytes = b"", code: int = 0, **options) -> dict:
    """The result of a command that prints this and ends so."""
    return answer(ScriptedExecutor(stdout, stderr, code), **options)


class FolderCase(unittest.TestCase):
    """A folder for each test, which is gone afterwards."""

    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory(prefix=file_name("guard 检查 "))
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name).resolve()

    def shells(self) -> list[ShellExecutor]:
        """One real shell of each kind that is here, with a home of its own."""
        executors = []
        for shell in SHELLS:
            (self.folder / shell).mkdir()
            executors.append(ShellExecutor(self.folder / shell, shell))
        return executors

    def assert_failed(self, result: dict, *texts: str) -> None:
        self.assertIs(result.get("is_error"), True, result)
        for text in texts:
            self.assertIn(text, result["content"])


class GuardFileChecks(FolderCase):
    def test_it_imports_the_standard_library_alone(self) -> None:
        """The file imports nothing but the standard library, so it can be copied."""
        names = set()
        for node in ast.walk(ast.parse(GUARD.read_bytes())):
            if isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                names.add(node.module)
        tops = {name.partition(".")[0] for name in names}
        self.assertLess({"subprocess", "os"}, tops)
        self.assertEqual(tops - sys.stdlib_module_names, set())

    @needs_posix
    def test_a_copy_guards_another_agent(self) -> None:
        """The file alone, beside an agent of six lines, does its work there."""
        shutil.copy(GUARD, self.folder)
        agent = self.folder / "agent.py"
        agent.write_text(OWN_AGENT, encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-S", str(agent)],
            env={**os.environ, "PATH": str(self.shells()[0].programs)},
            cwd=self.folder,
            capture_output=True,
            encoding="utf-8",
            timeout=60,
        )
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        healthy, empty = json.loads(done.stdout)
        self.assertEqual(healthy["content"], "hello")
        self.assertEqual(healthy["tool_use_id"], "call_1")
        self.assert_failed(empty, "exit=0 but the output is empty")

    def test_the_contract_is_what_descriptions_are_made_from(self) -> None:
        """Two tools; one needs the workspace and sees it, the other neither."""
        self.assertEqual(
            CONTRACT,
            {
                "run_in_sandbox": ToolContract(False, "nothing of yours", "cloud"),
                "run_on_desktop": ToolContract(True, "workspace", "desktop"),
            },
        )
        with self.assertRaises(dataclasses.FrozenInstanceError):
            CONTRACT["run_in_sandbox"].sees = "workspace"

    def test_names_and_defaults_are_the_promised_ones(self) -> None:
        """The two functions take what the chapter says, with these defaults."""
        defaults = {
            name: parameter.default
            for name, parameter in inspect.signature(dispatch).parameters.items()
            if parameter.default is not parameter.empty
        }
        expected = {
            "expect_empty": False,
            "timeout_seconds": 30.0,
            "language": "en",
            "executor": None,
            "accept_exit": (0,),
        }
        self.assertEqual(defaults, expected)
        parameters = inspect.signature(fingerprint).parameters
        self.assertEqual(list(parameters), ["executor", "ws_name"])
        self.assertEqual(WS_NAME, "Workspace")
        self.assertEqual(PROBE_SECONDS, 10)


class GuardMessageChecks(FolderCase):
    def test_languages_say_the_same(self) -> None:
        """Each language has the same messages, with the same places to fill in."""

        def places(text: str) -> set[str]:
            return {field for _, field, _, _ in string.Formatter().parse(text) if field}

        self.assertEqual(LANGUAGES, ("en", "zh-CN", "ja"))
        for key, english in MESSAGES["en"].items():
            for language in LANGUAGES:
                self.assertEqual(set(MESSAGES[language]), set(MESSAGES["en"]))
                said = MESSAGES[language][key]
                self.assertEqual(places(said), places(english), (language, key))
                self.assertEqual("exit={code}" in said, "exit={code}" in english)

    def test_all_of_a_message_is_translated(self) -> None:
        """A message has words of its language, and only fixed ones of another."""
        fixed = r"\{\w+\}|exit=|NUL|UTF-8|shell|`"
        for language in ("zh-CN", "ja"):
            for key, text in MESSAGES[language].items():
                rest = re.sub(fixed, "", text)
                self.assertIsNone(re.search("[A-Za-z]", rest), (key, text))
                self.assertRegex(rest, "[\u3040-\u30ff\u4e00-\u9fff]", key)

    def test_fixed_terms_are_used_in_chinese(self) -> None:
        """Chinese messages call executor and workspace by the course's terms."""
        said = MESSAGES["zh-CN"]["no_workspace"]
        self.assertIn("执行端", said)
        self.assertIn("工作区", said)

    def test_an_unknown_language_is_the_programs_mistake(self) -> None:
        """Another language raises, before anything runs; the three do not."""
        executor = ScriptedExecutor(b"x")
        for language in ("fr", "EN", "zh", "", None):
            with self.assertRaisesRegex(ValueError, "language .* en, zh-CN, ja"):
                answer(executor, language=language)
        self.assertEqual(executor.asked, [])
        for language in LANGUAGES:
            self.assertEqual(answer(executor, language=language)["content"], "x")
            self.assertIn(f'"{language}"', dispatch.__doc__)

    def test_wrong_codes_or_limits_are_the_programs_mistake(self) -> None:
        """Accepted codes or a limit of another type raise before anything runs."""
        executor = ScriptedExecutor(b"x")
        wrong = [
            {"accept_exit": value} for value in (0, None, True, "0", [None], [0.5])
        ]
        no_seconds = (None, "soon", "5", [], 1j, Decimal(5))
        no_limits = (0, -1, 0.0, float("nan"), float("inf"), 10**400, 1e9)
        wrong += [{"timeout_seconds": value} for value in no_seconds + no_limits]
        for options in wrong:
            with self.assertRaises((TypeError, ValueError), msg=options):
                answer(executor, **options)
        self.assertEqual(executor.asked, [])
        fine = [{"accept_exit": value} for value in (range(2), [0], {0}, iter([0]))]
        fine += [{"timeout_seconds": value} for value in (1, 0.5, 999_999_999)]
        for options in fine:
            self.assertEqual(answer(executor, **options)["content"], "x")
        self.assertIn("not `0 < seconds < 1e9`", dispatch.__doc__)

    def test_results_have_the_same_form_in_each_language(self) -> None:
        """What is wrong and what is not does not depend on the language."""
        cases = [
            lambda **k: printed(b"fine\n", **k),
            lambda **k: printed(b"", **k),
            lambda **k: printed(b"", expect_empty=True, **k),
            lambda **k: printed(b"x", code=7, **k),
            lambda **k: printed(b"\xff", **k),
            lambda **k: printed(b"x", name="run_on_desktop", **k),
            lambda **k: printed(b"x", name="no_such_tool", **k),
            lambda **k: printed(b"x", fp={"host": "other", "workspace": None}, **k),
            lambda **k: answer(ScriptedExecutor(b"x", timed_out=True), **k),
            lambda **k: answer(ScriptedExecutor(b"x", host=""), **k),
            lambda **k: answer(ScriptedExecutor(None), **k),
        ]
        for case in cases:
            english, *others = (case(language=language) for language in LANGUAGES)
            for other in others:
                self.assertEqual(other.keys(), english.keys())
                self.assertEqual(other.get("is_error"), english.get("is_error"))
                fixed = re.findall(
                    r"exit=-?\d+|timeout_seconds=\S+", english["content"]
                )
                for word in fixed:
                    self.assertIn(word, other["content"])


class GuardFingerprintChecks(FolderCase):
    @needs_posix
    def test_it_asks_the_executor(self) -> None:
        """Host and Python are those of the shell that was asked; no key is missing."""
        for executor in self.shells():
            write_program(executor.programs, "python3", REAL_PYTHON)
            said = fingerprint(executor)
            self.assertEqual(list(said), list(UNKNOWN))
            self.assertEqual(said["host"], os.uname().nodename)
            self.assertEqual(said["python"], "{}.{}.{}".format(*sys.version_info))
            self.assertIs(said["has_sessions"], False)
            self.assertIsNone(said["workspace"])

    @needs_posix
    def test_without_an_executor_it_is_this_computer(self) -> None:
        """None is this computer's own shell."""
        programs = self.shells()[0].programs
        with patch.dict(os.environ, {"PATH": str(programs)}):
            said = fingerprint()
        self.assertEqual(said["host"], os.uname().nodename)
        self.assertEqual(said["python"], "3.99.0")

    @needs_posix
    def test_the_workspace_in_the_home_folder_is_found(self) -> None:
        """A folder ~/mnt/Workspace is the workspace; a file of that name is none."""
        for executor in self.shells():
            (executor.home / "mnt").mkdir()
            file = executor.home / "mnt" / "Workspace"
            file.write_text("no folder", encoding="utf-8")
            self.assertIsNone(fingerprint(executor)["workspace"])
            file.unlink()
            file.mkdir()
            self.assertEqual(fingerprint(executor)["workspace"], words_of(file))

    @needs_posix
    def test_a_workspace_below_sessions_is_found_first(self) -> None:
        """A session's workspace comes before the one in the home folder."""
        for executor in self.shells():
            executor.make_workspace()
            executor.sessions.mkdir()
            said = fingerprint(executor)
            self.assertIs(said["has_sessions"], True)
            self.assertTrue(said["workspace"].startswith(words_of(executor.home)))
            ours = executor.sessions / "a session" / "mnt" / "Workspace"
            ours.mkdir(parents=True)
            self.assertEqual(fingerprint(executor)["workspace"], words_of(ours))

    @needs_posix
    def test_sessions_that_is_no_folder_does_not_count(self) -> None:
        """A file in the place of /sessions is not a folder of sessions."""
        executor = self.shells()[0]
        executor.sessions.write_text("", encoding="utf-8")
        self.assertIs(fingerprint(executor)["has_sessions"], False)

    @needs_posix
    def test_the_name_of_the_workspace_is_data(self) -> None:
        """Whatever a workspace is called, its name is no code and no pattern."""
        code = ['$(touch "$HOME/canary")', '"; touch ~/canary; "', "'; touch ~/x; '"]
        names = ["my notes", "工作区", "it's", "-n", *code]
        for executor in self.shells():
            (executor.programs / "python3").unlink()
            self.assertIsNone(fingerprint(executor, names[0])["workspace"])
            for name in names:
                folder = executor.make_workspace(file_name(name))
                said = fingerprint(executor, name)["workspace"]
                self.assertEqual(said, words_of(folder))
            self.assertIsNone(fingerprint(executor, "*")["workspace"])
            self.assertEqual(sorted(os.listdir(executor.home)), ["mnt"])

    @needs_posix
    def test_an_empty_home_is_no_folder_of_the_root(self) -> None:
        """Without a HOME nothing is looked for at /mnt, nor in the current folder."""
        self.assertNotIn("$HOME/", twoshell_guard.PROBE)
        for executor in self.shells():
            workspace = executor.make_workspace()

            class Inside:
                """The same shell, started in the home folder."""

                def run(self, argv, seconds, executor=executor):
                    go = f'cd "{executor.home}" && exec "$@"'
                    return executor.run(["sh", "-c", go, "sh", *argv], seconds)

            said = fingerprint(Inside())["workspace"]
            self.assertEqual(said, words_of(workspace))
            for home in ({}, {"HOME": ""}):
                executor.environment = {"PATH": str(executor.programs), **home}
                self.assertIsNone(fingerprint(Inside())["workspace"])

    @needs_posix
    def test_without_python_it_says_none(self) -> None:
        """An executor without a python3 is known all the same."""
        executor = self.shells()[0]
        (executor.programs / "python3").unlink()
        said = fingerprint(executor)
        self.assertEqual(said["python"], "none")
        self.assertEqual(said["host"], os.uname().nodename)

    @needs_posix
    def test_settings_of_python_do_not_disturb_it(self) -> None:
        """What a user makes Python do at its start is not done for a version."""
        executor = self.shells()[0]
        write_program(executor.programs, "python3", REAL_PYTHON)
        settings = self.folder / "sitecustomize.py"
        settings.write_text("raise SystemExit(print('mine'))", encoding="utf-8")
        executor.environment["PYTHONPATH"] = str(self.folder)
        said = executor.run(["python3", "-c", ""], 20)
        self.assertEqual(said.stdout, b"mine\n")
        self.assertRegex(fingerprint(executor)["python"], r"^3\.\d+\.\d+$")

    @needs_posix
    def test_a_python_that_spoils_it_costs_no_more_than_its_version(self) -> None:
        """Where the probe ends at its last question, the rest is known."""
        for executor in self.shells():
            workspace = executor.make_workspace()
            # All that the probe started, as at its deadline.
            write_program(executor.programs, "python3", "kill -9 0")
            said = fingerprint(executor)
            self.assertEqual(said["python"], "unknown")
            self.assertEqual(said["host"], os.uname().nodename)
            self.assertEqual(said["workspace"], words_of(workspace))

    def test_a_login_message_does_not_disturb_it(self) -> None:
        """Words that a shell prints before the answer are no part of it."""
        executor = ScriptedExecutor(b"x", host="cloud-7", workspace="/sessions/x/mnt/W")
        plain = fingerprint(executor)
        scripted = executor.answer
        for message in (b"Last login: today\n", b"Welcome!\0\n", b"Gr\xfc\xdfe\n"):
            executor.answer = message + scripted
            self.assertEqual(fingerprint(executor), plain)
            self.assertEqual(answer(executor, fp=plain)["content"], "x")
        self.assertEqual(plain["host"], "cloud-7")
        self.assertEqual(plain["workspace"], "/sessions/x/mnt/W")

    def test_bytes_that_are_no_text_spoil_no_other_value(self) -> None:
        """A workspace whose path is no UTF-8 is found, and hidden on stderr too."""
        executor = ScriptedExecutor(b"out", b"no /home/caf\xe9/mnt/W/x")
        executor.answer = executor.answer.replace(b"\0\0", b"\0/home/caf\xe9/mnt/W\0")
        said = fingerprint(executor)
        self.assertEqual(said["host"], "scripted")
        self.assertEqual(said["workspace"], "/home/caf\\xe9/mnt/W")
        content = answer(executor, "run_on_desktop", fp=said)["content"]
        self.assertEqual(content, "out\nstderr: no $WORKSPACE/x")

    def test_half_a_value_is_none(self) -> None:
        """Where the answer breaks off, what is complete counts, and no more."""
        executor = ScriptedExecutor(host="cloud-7", workspace="/x/Workspace")
        whole = executor.answer
        self.assertEqual(fingerprint(executor)["python"], "none")
        for end in range(len(whole)):
            executor.answer = whole[:end]
            said = fingerprint(executor)
            self.assertIn(said["host"], ("cloud-7", "unknown"))
            self.assertIn(said["workspace"], ("/x/Workspace", None))
        self.assertEqual((said["host"], said["python"]), ("cloud-7", "unknown"))

    def test_a_probe_has_ten_seconds_and_a_command_its_own(self) -> None:
        """A host is asked for in the command's seconds, and in at most ten."""
        for seconds in (0.2, 3, 300):
            executor = ScriptedExecutor(b"x")
            fp = fingerprint(executor)
            answer(executor, fp=fp, timeout_seconds=seconds)
            asked = [asked[2] for asked in executor.asked]
            self.assertEqual(asked, [10, min(10, seconds), seconds])

    @needs_posix
    def test_a_host_is_asked_for_and_no_more(self) -> None:
        """Before a command nothing is asked for that could take long."""
        executor = self.shells()[0]
        write_program(executor.programs, "python3", 'touch "$HOME/started"')
        said = executor.run(["sh", "-c", WHO, "sh", ""], 20)
        self.assertEqual(said.stdout.decode(), f"\0fp\0{os.uname().nodename}\0")
        fp = {**FP, "host": os.uname().nodename}
        result = dispatch("toolu_1", "run_in_sandbox", "echo x", fp, executor=executor)
        self.assertEqual(result["content"], "x")
        self.assertFalse((executor.home / "started").exists())
        fingerprint(executor)
        self.assertTrue((executor.home / "started").exists())

    def test_nothing_that_an_executor_does_raises(self) -> None:
        """A dead, odd or lying executor has an unknown host and no workspace."""

        class Raises:
            def __init__(self, error: Exception) -> None:
                self.error = error

            def run(self, argv, timeout_seconds):
                raise self.error

        class Returns:
            def __init__(self, value: object) -> None:
                self.value = value

            def run(self, argv, timeout_seconds):
                return self.value

        garbage = [
            b"",
            b"\0" * 3,
            b"\xff" * 9,
            b"words\n",
            b"\0\xff\0\0\0\0",
            b"\0" * 9,
        ]
        executors = [
            object(),
            Raises(FileNotFoundError("sh")),
            Raises(RuntimeError("gone")),
            Raises(subprocess.TimeoutExpired("sh", 10)),
            Returns(None),
            Returns(Execution(0, None, None)),
            Returns(Execution(0, "\0fp\0text\0", "")),
            *(Returns(Execution(0, output, b"")) for output in garbage),
            Returns(Execution(-9, b"", b"", timed_out=True)),
        ]
        for executor in executors:
            self.assertEqual(fingerprint(executor), UNKNOWN)
        self.assertEqual(fingerprint(ScriptedExecutor())["host"], "scripted")

    def test_what_is_no_line_of_text_is_unknown(self) -> None:
        """A value that is empty, blank or has hidden characters says unknown."""
        for host in ("", " ", "a\nb", "a\x1b[31m", "a\u202eb", "a\u200b"):
            self.assertEqual(
                fingerprint(ScriptedExecutor(host=host))["host"], "unknown"
            )
        said = fingerprint(ScriptedExecutor(workspace="mnt/Workspace"))
        self.assertIsNone(said["workspace"])


class GuardRefusalChecks(FolderCase):
    """What is refused before anything runs."""

    def test_without_a_workspace_a_desktop_tool_does_not_run(self) -> None:
        """A tool that needs the workspace is refused where there is none, by name."""
        for language in LANGUAGES:
            for fp in (FP, {**FP, "workspace": ""}, {"host": "scripted"}):
                executor = ScriptedExecutor(b"ran")
                result = answer(executor, "run_on_desktop", fp=fp, language=language)
                self.assert_failed(
                    result, "run_on_desktop", "scripted", WIRING[language]
                )
                self.assertEqual(executor.asked, [])
            fp = {**FP, "workspace": "/home/lin/mnt/Workspace"}
            for name, known in (("run_on_desktop", fp), ("run_in_sandbox", FP)):
                result = answer(ScriptedExecutor(b"ran"), name, fp=known)
                self.assertEqual(result["content"], "ran")

    def test_a_swapped_executor_is_refused(self) -> None:
        """A fingerprint of another host is stale: nothing runs, both are named."""
        for language in LANGUAGES:
            executor = ScriptedExecutor(b"ran", host="newcomer")
            result = answer(executor, language=language)
            self.assert_failed(result, "scripted", "newcomer", WIRING[language])
            self.assertEqual(len(executor.asked), 1)
        other_case = ScriptedExecutor(b"ran", host="Scripted")
        self.assert_failed(answer(other_case), "scripted", "Scripted")
        fresh = fingerprint(executor)
        self.assertEqual(answer(executor, fp=fresh)["content"], "ran")

    def test_an_executor_that_does_not_say_who_it_is_is_refused(self) -> None:
        """Who does not answer is not called swapped, and two unknown are not one."""
        executor = ScriptedExecutor(b"ran", host="")
        for fp in (fingerprint(executor), FP):
            for language in LANGUAGES:
                result = answer(executor, fp=fp, language=language)
                said = MESSAGES[language]["no_answer"]
                said = said.format(tool="run_in_sandbox", host=fp["host"])
                self.assertEqual(result["content"], said)
                self.assert_failed(result, WIRING[language])
        self.assertEqual({asked[1] for asked in executor.asked}, {WS_NAME, ""})
        known = ScriptedExecutor(b"ran")
        self.assert_failed(answer(known, fp=UNKNOWN), "unknown did not say who it is")
        self.assertEqual(answer(known)["content"], "ran")

    @needs_posix
    def test_without_an_executor_it_is_this_computer(self) -> None:
        """None takes the fingerprint of this computer, and no other one's."""
        ran = self.folder / "ran"
        command = ("toolu_1", "run_in_sandbox", f'touch "{words_of(ran)}"; exit 3')
        self.assert_failed(dispatch(*command, FP), "scripted was swapped for")
        self.assertFalse(ran.exists())
        here = {**FP, "host": os.uname().nodename}
        self.assert_failed(dispatch(*command, here), "exit=3")
        self.assertTrue(ran.exists())

    def docstring(self) -> str:
        return " ".join(twoshell_guard.__doc__.split())

    @needs_posix
    def test_a_wiring_mistake_is_not_seen(self) -> None:
        """A sandbox command that is wired to the desktop runs there, as documented."""
        for executor in self.shells():
            workspace = executor.make_workspace()
            fp = fingerprint(executor)
            command = 'cd "$HOME/mnt/Workspace" && touch scratch && ls'
            result = dispatch(
                "toolu_1", "run_in_sandbox", command, fp, executor=executor
            )
            self.assertEqual(result["content"], "scratch")
            self.assertTrue((workspace / "scratch").exists())
        promise = "meant for `run_in_sandbox` that is wired to the desktop's executor"
        self.assertIn(promise, self.docstring())

    def test_an_unknown_tool_is_a_result(self) -> None:
        """A tool that is not in the contract is an error that names those which are."""
        for language in LANGUAGES:
            for name in (
                "no_such_tool",
                "",
                "RUN_ON_DESKTOP",
                "run\ud800",
                5,
                None,
                [],
            ):
                executor = ScriptedExecutor(b"ran")
                result = answer(executor, name, language=language)
                self.assert_failed(result, "run_in_sandbox", "run_on_desktop")
                self.assertEqual(executor.asked, [])
                json.dumps(result, ensure_ascii=False).encode()
        result = answer(ScriptedExecutor(b"ran"), "no_such_tool")
        self.assert_failed(result, "no_such_tool")

    def test_a_hostile_name_is_shown_harmlessly_and_in_part(self) -> None:
        """The name of a tool, which a model chose, is escaped and bounded."""
        name = "\u202e{host}{0}\x1b[2J" + "x" * 100_000
        content = answer(ScriptedExecutor(b"ran"), name)["content"]
        self.assertTrue(content.startswith("\\u202e{host}{0}\\x1b[2Jxxx"))
        self.assertLessEqual(len(content), SHOWN_CHARACTERS + 20)

    def test_a_command_that_is_no_text_is_a_result(self) -> None:
        """What no shell can be given is an error before anything runs."""
        for language in LANGUAGES:
            for command in (
                None,
                5,
                ["ls"],
                {"command": "ls"},
                b"ls",
                "a\0b",
                "\udc80",
                "x" * (COMMAND_BYTES + 1),
                "字" * (COMMAND_BYTES // 3 + 1),
            ):
                executor = ScriptedExecutor(b"ran")
                result = dispatch(
                    "toolu_1",
                    "run_in_sandbox",
                    command,
                    FP,
                    language=language,
                    executor=executor,
                )
                self.assert_failed(result, "`command`", "str", str(COMMAND_BYTES))
                self.assertEqual(executor.asked, [])

    def test_what_is_no_fingerprint_is_a_result(self) -> None:
        """A fingerprint that is none is an error before anything runs."""

        class Odd(dict):
            def get(self, key, default=None):
                raise RuntimeError

        garbage = [
            None,
            5,
            "host",
            [],
            {},
            {"host": None},
            {"host": "h", "workspace": 5},
            Odd(FP),
        ]
        for fp in garbage:
            for name in CONTRACT:
                executor = ScriptedExecutor(b"ran")
                self.assert_failed(answer(executor, name, fp=fp), "`fp`")
                self.assertEqual(executor.asked, [])

    def test_an_executor_without_a_result_is_a_result(self) -> None:
        """What an executor raises is an error that names the host and no path."""

        class Broken(ScriptedExecutor):
            def run(self, argv, timeout_seconds):
                if argv[2] == WHO:
                    return super().run(argv, timeout_seconds)
                raise self.error

        for error in (FileNotFoundError(2, "/secret/sh"), RuntimeError("/secret")):
            executor = Broken()
            executor.error = error
            for language in LANGUAGES:
                result = answer(executor, language=language)
                self.assert_failed(result, type(error).__name__, "scripted")
                self.assertNotIn("secret", result["content"])

    def test_what_is_no_execution_is_a_result(self) -> None:
        """After the command has run nothing raises, whatever shape its result has."""
        wrong = [
            None,
            (0, b"x", b""),
            subprocess.CompletedProcess("sh", 0, b"x", b""),
            Execution(0, "x", ""),
            Execution(0, None, b""),
            Execution([0], b"x", b""),
            Execution("\ud800", b"x", b""),
        ]
        executor = ScriptedExecutor()
        for result in wrong:
            executor.execution = result
            for codes in ((0,), {0}):
                failed = answer(executor, accept_exit=codes)
                self.assert_failed(failed, "scripted", "Error", "may have run")
        executor.execution = Execution(None, b"x", b"")
        self.assert_failed(answer(executor), "exit=None")

    @needs_posix
    def test_a_missing_shell_is_a_result(self) -> None:
        """A computer on which there is no shell at all gives an error result."""
        executor = self.shells()[0]
        command = ("toolu_1", "run_in_sandbox", "echo ran", FP)
        self.assertEqual(
            dispatch(*command[:3], fingerprint(executor), executor=executor)["content"],
            "ran",
        )
        for name in ("sh", *SHELLS):
            (executor.programs / name).unlink(missing_ok=True)
        unknown = fingerprint(executor)
        self.assertEqual(unknown["host"], "unknown")
        self.assert_failed(dispatch(*command, executor=executor))
        with patch.dict(os.environ, {"PATH": str(executor.programs)}):
            self.assert_failed(dispatch(*command))


class GuardDispatchChecks(FolderCase):
    """How a command ends, and what is made of it."""

    def test_a_healthy_result_is_the_output_and_no_more(self) -> None:
        """Text on stdout goes back without its last newline, and is no error."""
        expected = {
            "type": "tool_result",
            "tool_use_id": "toolu_1",
            "content": " a\n b",
        }
        self.assertEqual(printed(b" a\n b\n"), expected)
        self.assertEqual(
            printed("你好\t世界　。".encode())["content"], "你好\t世界　。"
        )

    def test_the_result_has_the_id_of_its_call(self) -> None:
        """Each result, good or bad, carries the id that it was asked with."""
        for name, fp in (("run_in_sandbox", FP), ("nobody", FP), ("run_in_sandbox", 0)):
            for identifier in ("toolu_A", "你好"):
                executor = ScriptedExecutor(b"x")
                result = dispatch(identifier, name, "x", fp, executor=executor)
                self.assertEqual(result["tool_use_id"], identifier)
                self.assertEqual(result["type"], "tool_result")
        for odd in (None, 5, ""):
            executor = ScriptedExecutor(b"x")
            result = dispatch(odd, "run_in_sandbox", "x", FP, executor=executor)
            self.assertEqual(result["tool_use_id"], odd)

    def test_an_exit_code_is_an_error_with_its_number(self) -> None:
        """A code other than 0 is an error with exit=N and all that was printed."""
        for language in LANGUAGES:
            for code in (1, 2, 127, 255, -9):
                result = printed(b"so far\n", b"why", code, language=language)
                self.assert_failed(result, f"exit={code}", "so far", "stderr: why")
        self.assertNotIn("is_error", printed(b"so far\n", b"why", 0))

    def test_an_accepted_exit_code_is_no_error(self) -> None:
        """A grep that may find nothing passes; its own error, code 2, does not."""
        grep = {"accept_exit": (0, 1), "expect_empty": True}
        for code, is_error in ((0, None), (1, None), (2, True)):
            result = printed(b"", code=code, **grep)
            self.assertEqual(result.get("is_error"), is_error)
        self.assert_failed(printed(b"", code=1, accept_exit=(0, 1)), "exit=1 but")
        self.assert_failed(printed(b"x", code=0, accept_exit=(1,)), "exit=0")

    def test_an_empty_output_is_an_error(self) -> None:
        """Exit 0 and nothing to see is an error, whatever invisible thing came."""
        unseen = ["", " ", "\n", " \t\r\n\x0b\x0c", "\xa0\u3000\u2003", "\u2028\u2029"]
        unseen += ["\u200b", "\ufeff", "\u200d\u2060", "\u00ad", "\u202e\u2066", "\x07"]
        unseen += ["\u2800", "\u3164\uffa0", "\u115f", "\u034f", "\ufe0f", "\U000e0100"]
        unseen += [
            "\U000e0041",
            "\x1b[0m\x1b[K",
            "\x1b[1;31m\n\x1b[m",
            "\x1b[2J\x1b[?25l",
        ]
        # tput sgr0, a window's title, keys, a saved place, a restart, one byte for two.
        unseen += ["\x1b(B\x1b[m", "\x1b]0;t\x07", "\x1b]2;标题\x1b\\", "\x1b=\x1b>"]
        unseen += ["\x1b7\x1b8", "\x1bc", "\x9b31m", "\x9b0m\n\x1bM"]
        unseen += [
            "\u17b4\u17b5",
            "\U0001d159",
            "\U00016fe4",
            "\u2065",
            "\U000e0002",
            "\U000e0080",
        ]
        for language in LANGUAGES:
            start = MESSAGES[language]["empty"].format(code=0)
            for text in unseen:
                result = printed(text.encode(), language=language)
                self.assert_failed(result, start, "exit=0")
        self.assert_failed(printed(b""), "exit=0 but the output is empty")
        seen = ["0", "\u200b.", "。", "\x1b[31mred\x1b[0m", "-", "\x1b]0;t\x07x"]
        seen += ["\x1b(Bx", "\x1b]0;t\nx", "\u2422", "\ue000", "\u0301"]
        for text in seen:
            self.assertNotIn("is_error", printed(text.encode()), ascii(text))

    def test_an_expected_empty_output_is_a_short_text(self) -> None:
        """With expect_empty nothing is the healthy result, and is never sent empty."""
        for language in LANGUAGES:
            for output in (b"", b" \n", "\u200b".encode()):
                result = printed(output, expect_empty=True, language=language)
                self.assertNotIn("is_error", result)
                self.assertEqual(result["content"], MESSAGES[language]["as_expected"])
        self.assertEqual(MESSAGES["en"]["as_expected"], "(no output, as expected)")
        self.assertEqual(printed(b"some", expect_empty=True)["content"], "some")
        self.assert_failed(printed(b"", code=1, expect_empty=True), "exit=1")

    def test_words_on_stderr_are_quoted_and_do_not_count(self) -> None:
        """Only stdout decides whether the output is empty; stderr is quoted."""
        self.assert_failed(printed(b"", b"warned"), "is empty", "stderr: warned")
        fine = printed(b"out", b"warned\n")
        self.assertEqual(fine["content"], "out\nstderr: warned")
        self.assertNotIn("is_error", fine)
        self.assertEqual(printed(b"out", b" \n")["content"], "out")

    def test_stderr_is_at_most_200_characters(self) -> None:
        """Of stderr 200 characters are quoted, and not one more."""
        for letter in ("x", "字"):
            content = printed(b"", (letter * 300).encode(), 1)["content"]
            quoted = content.partition("stderr: ")[2]
            self.assertEqual(quoted, letter * 200)
        self.assertEqual(STDERR_CHARACTERS, 200)

    def test_the_end_of_stderr_is_quoted(self) -> None:
        """Of a long traceback the reason is quoted, which stands at its end."""
        frames = "".join(f'  File "a.py", line {n}, in call\n' for n in range(30))
        errors = f"Traceback (most recent call last):\n{frames}KeyError: 'WS'\n"
        self.assertTrue(
            printed(b"", errors.encode(), 1)["content"].endswith("\nKeyError: 'WS'")
        )

    def test_bytes_that_are_no_text_on_stderr_are_shown(self) -> None:
        """NUL and what is not UTF-8 on stderr is quoted as escapes, and no error."""
        for errors, shown in ((b"caf\xe9", "caf\\xe9"), (b"a\0b", "a\\x00b")):
            result = printed(b"out", errors)
            self.assertEqual(result["content"], f"out\nstderr: {shown}")
            self.assertNotIn("is_error", result)

    def test_the_workspaces_path_is_not_quoted(self) -> None:
        """stderr says $WORKSPACE, also where the cut would go through the path."""
        path = "/sessions/secret-id/mnt/Workspace"
        fp = {**FP, "workspace": path}
        for after in range(140, 205, 4):
            errors = f"{path}/a and {path}/b" + "x" * after
            content = printed(b"o", errors.encode(), 1, fp=fp)["content"]
            self.assertNotIn("/sessions", content)
            self.assertNotIn("secret", content)
        content = printed(b"o", f"no {path}/a".encode(), fp=fp)["content"]
        self.assertEqual(content, "o\nstderr: no $WORKSPACE/a")
        content = printed(b"o", b"no " + path.encode())["content"]
        self.assertEqual(content, f"o\nstderr: no {path}")

    def test_a_path_is_replaced_however_it_is_written(self) -> None:
        """Slashes may be doubled there or here; a longer name is another folder."""
        cases = {
            "/x/h/mnt/Workspace": "$WORKSPACE",
            "/x/h//mnt/Workspace/a": "$WORKSPACE/a",
            "//x/h/mnt///Workspace: no": "$WORKSPACE: no",
            "no /x/h/mnt/Workspace.": "no $WORKSPACE.",
            "'/x/h/mnt/Workspace'不存在": "'$WORKSPACE'不存在",
            "/x/h/mnt/Workspace不存在": "$WORKSPACE不存在",
            "/x/h/mnt/Workspace2": "/x/h/mnt/Workspace2",
            "/x/h/mnt/Workspace-old/a": "/x/h/mnt/Workspace-old/a",
            "/x/h/mnt/Workspace.bak": "/x/h/mnt/Workspace.bak",
            "/xxh/mnt/Workspace": "/xxh/mnt/Workspace",
        }
        for workspace in ("/x/h/mnt/Workspace", "/x/h//mnt/Workspace"):
            fp = {**FP, "workspace": workspace}
            for errors, shown in cases.items():
                content = printed(b"o", errors.encode(), fp=fp)["content"]
                self.assertEqual(content, f"o\nstderr: {shown}")
        for slashes in ("/x/h/mnt/Workspace/", "/x/h/mnt/Workspace"):
            fp = {**FP, "workspace": slashes}
            content = printed(b"o", b"/x/h/mnt/Workspace/a", fp=fp)["content"]
            self.assertEqual(content, "o\nstderr: $WORKSPACE/a")
        fp = {**FP, "workspace": "/x/a.c/mnt/Workspace"}
        content = printed(b"o", b"/x/abc/mnt/Workspace", fp=fp)["content"]
        self.assertIn("/x/abc", content)

    def test_a_timeout_is_an_error_that_says_so(self) -> None:
        """A command that was stopped at its deadline is an error with what it said."""
        for language in LANGUAGES:
            executor = ScriptedExecutor(b"so far", b"why", -9, timed_out=True)
            result = answer(executor, language=language, timeout_seconds=7)
            stopped = MESSAGES[language]["stopped"].format(limit="timeout_seconds=7")
            self.assert_failed(result, stopped, "so far", "stderr: why")

    def test_a_flood_is_an_error_that_says_so(self) -> None:
        """A command that was stopped for its output is an error, with its beginning."""
        for language in LANGUAGES:
            executor = ScriptedExecutor(b"y\n" * 99, b"", 0, too_much=True)
            result = answer(executor, language=language)
            limit = f"CAPTURE_BYTES={CAPTURE_BYTES}"
            stopped = MESSAGES[language]["stopped"].format(limit=limit)
            self.assert_failed(result, stopped, "y\ny\ny")

    def test_an_executor_need_not_know_of_floods(self) -> None:
        """An executor whose result has only the four promised attributes will do."""

        class Four:
            returncode, stdout, stderr, timed_out = 0, b"fine", b"", False

        executor = ScriptedExecutor()
        executor.execution = Four()
        self.assertEqual(answer(executor)["content"], "fine")


class GuardOutputChecks(FolderCase):
    """What of an output goes back, and how it is written."""

    def test_bytes_that_are_no_text_are_an_error(self) -> None:
        """NUL and what is not UTF-8 make an error, and are shown escaped."""
        cases = {
            b"a\0b": "a\\x00b",
            b"\0": "\\x00",
            b"\xff\xfe": "\\xff\\xfe",
            b"caf\xe9": "caf\\xe9",
            b"\xe4\xbd": "\\xe4\\xbd",
            b"\xed\xa0\x80": "\\xed\\xa0\\x80",
        }
        for language in LANGUAGES:
            start = MESSAGES[language]["not_text"].format(code=0)
            for output, shown in cases.items():
                for expect_empty in (False, True):
                    result = printed(
                        output, language=language, expect_empty=expect_empty
                    )
                    self.assert_failed(result, start, shown)
        for text in ("café", "你", "a\\x00b"):
            self.assertEqual(printed(text.encode())["content"], text)

    def test_a_cut_character_of_a_stopped_command_says_stopped(self) -> None:
        """Where the command was stopped, that is what the error says."""
        executor = ScriptedExecutor(b"caf\xc3", timed_out=True)
        self.assert_failed(answer(executor), "timeout_seconds=30.0", "caf\\xc3")

    def test_control_and_hidden_characters_are_shown_escaped(self) -> None:
        """What a screen obeys or hides is written as an escape; no error by itself."""
        cases = {
            "a\x1b[2Jb": "a\\x1b[2Jb",
            "a\x07\x08b": "a\\x07\\x08b",
            "a\r\nb": "a\\r\nb",
            "a\x7f\x85\x9bb": "a\\x7f\\x85\\x9bb",
            "a\u202eb\u2066": "a\\u202eb\\u2066",
            "a\u200bb\ufeff": "a\\u200bb\\ufeff",
            "a\u2028b": "a\\u2028b",
            "a\U000e0041b": "a\\U000e0041b",
            "a\u3164b\ufe0f": "a\\u3164b\\ufe0f",
        }
        for text, shown in cases.items():
            result = printed(text.encode(), ("e" + text).encode())
            self.assertEqual(result["content"], f"{shown}\nstderr: e{shown}")
            self.assertNotIn("is_error", result)
        for text in ("a\tb\nc", "全角\u3000空白", "naïve", "😀", "日本語", "e\u0301"):
            self.assertEqual(printed(text.encode())["content"], text)

    def test_a_long_output_keeps_head_and_tail(self) -> None:
        """Beyond 16,384 characters the middle is left out, and its length is said."""
        self.assertEqual(SHOWN_CHARACTERS, 16_384)
        long = "头" + "a" * 10_000 + "b" * 10_000 + "尾"
        for language in LANGUAGES:
            notice = MESSAGES[language]["left_out"].format(count=20_002 - 16_384)
            result = printed(long.encode(), language=language)
            self.assertNotIn("is_error", result)
            head, said, tail = result["content"].split("\n")
            self.assertEqual(said, notice)
            self.assertEqual((head, tail), (long[:8_192], long[-8_192:]))

    def test_an_output_of_just_the_limit_is_whole(self) -> None:
        """16,384 characters are not cut; one more is."""
        self.assertEqual(printed(b"x" * 16_384)["content"], "x" * 16_384)
        self.assertIn("1 characters left out", printed(b"x" * 16_385)["content"])

    def test_escapes_count_as_they_are_shown(self) -> None:
        """An output that grows by its escapes is bounded as it is shown."""
        content = printed(b"x" + b"\x01" * 16_384)["content"]
        self.assertLess(len(content), 16_384 + 100)

    def test_what_is_hidden_can_be_a_healthy_part(self) -> None:
        """Joiners and returns are written as escapes too, as the docstring says."""
        for text in ("👨\u200d👩", "می\u200cخواهم", "a\r\nb\r"):
            result = printed(text.encode())
            self.assertEqual(
                result["content"],
                text.replace("\u200d", "\\u200d")
                .replace("\u200c", "\\u200c")
                .replace("\r", "\\r"),
            )
            self.assertNotIn("is_error", result)
        said = " ".join(dispatch.__doc__.split())
        self.assertIn("the joiners of emoji and Persian and the return before", said)

    def test_many_beginnings_take_no_long_time(self) -> None:
        """A flood of unfinished terminal commands, or paths, is searched in one go."""
        fp = {**FP, "workspace": "/x/mnt/Workspace"}
        for start in ("/", "/x/", "//x", "/x/mnt"):
            started = time.monotonic()
            self.assert_failed(printed(b"", (start * 120_000).encode(), 1, fp=fp))
            self.assertLess(time.monotonic() - started, 3)
        for start in ("\x1b]", "\x1b[", "\x9b", "\x1b] ", "\x1b"):
            started = time.monotonic()
            output = (start * 20_000).encode()
            self.assertIn("characters left out", printed(output)["content"])
            self.assertLess(time.monotonic() - started, 3)


class GuardShellChecks(FolderCase):
    """The four results, and the rest that takes a real shell, in bash and in dash."""

    def call(
        self, executor: ShellExecutor, command: str, name="run_in_sandbox", **more
    ):
        fp = fingerprint(executor)
        return dispatch("toolu_1", name, command, fp, executor=executor, **more)

    @needs_posix
    def test_the_four_results_are_the_same_in_each_shell(self) -> None:
        """Refused, failed, empty and healthy look alike in bash and dash."""
        find = "ls -d /sessions/*/mnt/Nobody 2>/dev/null | head -1"
        for executor in self.shells():
            refused = self.call(executor, "echo ran", "run_on_desktop")
            self.assert_failed(refused, "run_on_desktop", "Check the wiring")
            self.assert_failed(self.call(executor, "exit 3"), "exit=3")
            empty = "exit=0 but the output is empty"
            self.assert_failed(self.call(executor, find), empty)
            healthy = self.call(executor, "echo ran")
            self.assertEqual(healthy["content"], "ran")
            self.assertNotIn("is_error", healthy)
            nothing = self.call(executor, find, expect_empty=True)
            self.assertEqual(nothing["content"], "(no output, as expected)")

    @needs_posix
    def test_the_workspace_is_seen_where_the_command_looks(self) -> None:
        """A desktop tool reads a file by $HOME, and its errors hide the path."""
        for executor in self.shells():
            workspace = executor.make_workspace()
            (workspace / "notes.txt").write_text("打印机\n", encoding="utf-8")
            read = 'cat "$HOME/mnt/Workspace/notes.txt"'
            result = self.call(executor, read, "run_on_desktop")
            self.assertEqual(result["content"], "打印机")
            missing = self.call(
                executor, read.replace("notes", "none"), "run_on_desktop"
            )
            self.assert_failed(missing, "exit=1", "$WORKSPACE/none.txt")
            self.assertNotIn(words_of(self.folder), missing["content"])

    @needs_posix
    def test_bash_runs_the_command_where_there_is_one(self) -> None:
        """The command runs in bash if the executor has one, and in its sh if not."""
        for executor in self.shells():
            if "dash" in SHELLS:
                sh = executor.programs / "sh"
                sh.unlink()
                sh.symlink_to(shutil.which("dash"))
            said = self.call(executor, 'echo "${BASH_VERSION:-no bash}"')["content"]
            self.assertEqual(said == "no bash", executor.name != "bash")

    @needs_posix
    def test_the_command_is_one_script(self) -> None:
        """Quotes, lines and dollar signs of a command reach the shell as written."""
        command = "a='it\"s $HOME'\nprintf '%s|' \"$a\" \"$#\" '$1' '你'"
        for executor in self.shells():
            said = self.call(executor, command)["content"]
            self.assertEqual(said, 'it"s $HOME|0|$1|你|')

    @needs_posix
    def test_an_unset_variable_stops_the_command(self) -> None:
        """The one-line fix is an error result that carries its message."""
        command = ': "${WS:?no workspace here}"; echo next'
        for executor, code in zip(self.shells(), (127, 2), strict=False):
            if executor.name == "dash":
                code = 2
            result = self.call(executor, command)
            self.assert_failed(result, f"exit={code}", "no workspace here")
            self.assertNotIn("next", result["content"])
            self.assertEqual(
                self.call(executor, f"WS=/x; {command}")["content"], "next"
            )

    @needs_posix
    def test_a_command_is_no_option_of_a_shell(self) -> None:
        """What begins with a dash is a command like another one, in each shell."""
        for executor in self.shells():
            for command in ("-x", "--help", "--", "-c 'echo ran'"):
                result = self.call(executor, command)
                self.assert_failed(result, "exit=127", "not found")
                self.assertNotIn("ran\n", result["content"])

    @needs_posix
    def test_each_command_starts_anew(self) -> None:
        """Neither a folder nor a variable of one command is there in the next."""
        executor = self.shells()[0]
        show = 'echo "$PWD ${LEFT-none}"'
        before = self.call(executor, show)["content"]
        moved = self.call(executor, f"cd /; export LEFT=behind; {show}")["content"]
        self.assertEqual(moved, "/ behind")
        self.assertEqual(self.call(executor, show)["content"], before)
        self.assertTrue(before.endswith(" none"))

    @needs_posix
    def test_a_command_of_just_the_limit_runs(self) -> None:
        """A command as long as the guard allows is not too long for the system."""
        for executor in self.shells():
            command = "echo 好 # ".ljust(COMMAND_BYTES - 2, "x")
            self.assertEqual(len(command.encode()), COMMAND_BYTES)
            self.assertEqual(self.call(executor, command)["content"], "好")

    @needs_posix
    def test_a_deadline_and_a_flood_end_a_real_command(self) -> None:
        """Each is an error result in time, in a real shell."""
        executor = self.shells()[0]
        late = self.call(executor, "echo begun; sleep 600", timeout_seconds=0.5)
        self.assert_failed(late, "timeout_seconds=0.5", "begun")
        self.assert_failed(self.call(executor, "yes"), "CAPTURE_BYTES=4194304")


@needs_posix
class GuardRunChecks(FolderCase):
    """`run_local`: what it starts, reads and ends."""

    def sh(self, script: str, seconds: float = 20, **options) -> Execution:
        return run_local(["sh", "-c", script, "sh"], seconds, **options)

    def assert_in_time(self, seconds: float):
        started = time.monotonic()

        @contextlib.contextmanager
        def measured():
            yield
            self.assertLess(time.monotonic() - started, seconds)

        return measured()

    def test_streams_and_code_are_told_apart(self) -> None:
        """stdout, stderr and the exit code come back as they were."""
        done = self.sh("echo out; echo err >&2; exit 7")
        self.assertEqual(done, Execution(7, b"out\n", b"err\n"))
        self.assertEqual(self.sh("kill -9 $$").returncode, -9)

    def test_a_program_that_is_missing_raises(self) -> None:
        """What cannot be started raises OSError or ValueError, and starts nothing."""
        with self.assertRaises(FileNotFoundError):
            run_local([str(self.folder / "nothing")], 5)
        with self.assertRaises(ValueError):
            run_local(["sh", "-c", "a\0b"], 5)

    def test_where_exit_codes_are_lost_nothing_is_started(self) -> None:
        """A Host that ignores SIGCHLD would read every code as 0, so it is refused."""
        previous = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        try:
            with self.assertRaisesRegex(OSError, "SIGCHLD"):
                self.sh("exit 3")
        finally:
            signal.signal(signal.SIGCHLD, previous)
        self.assertEqual(self.sh("exit 3").returncode, 3)

    def test_the_environment_is_given_or_inherited(self) -> None:
        """env is all that a program gets; without it, it gets the Host's."""
        show = 'echo "${GUARD_CHECK-unset}"'
        given = {"PATH": os.environ["PATH"], "GUARD_CHECK": "given"}
        with patch.dict(os.environ, {"GUARD_CHECK": "inherited"}):
            self.assertEqual(self.sh(show, env=given).stdout, b"given\n")
            self.assertEqual(self.sh(show).stdout, b"inherited\n")
            del given["GUARD_CHECK"]
            self.assertEqual(self.sh(show, env=given).stdout, b"unset\n")

    @needs_proc
    def test_it_leads_a_session_of_its_own(self) -> None:
        """The program leads a session, so it cannot reach the Host's terminal."""
        done = self.sh("echo $$; exec cat /proc/self/stat")
        pid, stat = done.stdout.decode().splitlines()
        group, session = stat.rpartition(")")[2].split()[2:4]
        self.assertEqual({group, session}, {pid})

    def test_both_pipes_are_read_at_once(self) -> None:
        """A program that fills both pipes, one after the other, is not blocked."""
        fill = "seq 60000 >&2; seq 60000; seq 60000 >&2; echo end"
        done = self.sh(fill)
        self.assertTrue(done.stdout.endswith(b"60000\nend\n"))
        self.assertEqual(done.stderr.count(b"\n"), 120_000)
        self.assertEqual((done.timed_out, done.too_much), (False, False))

    def test_a_flood_is_ended_and_bounded(self) -> None:
        """What writes beyond the limit, to either stream, is ended there."""
        for redirect, stream in (("", 1), (" >&2", 2)):
            with self.assert_in_time(15):
                done = self.sh(f"yes{redirect}")
            self.assertTrue(done.too_much)
            self.assertFalse(done.timed_out)
            self.assertGreater(len(done[stream]), CAPTURE_BYTES)
            self.assertLess(len(done[stream]), CAPTURE_BYTES + 1_000_000)
        self.assertFalse(self.sh("seq 300000").too_much)

    @needs_proc
    def test_the_deadline_ends_the_whole_group(self) -> None:
        """At the deadline the program ends with all it started, TERM ignored or not."""
        mark = new_mark(self, "300.")
        script = f"trap '' TERM; sleep {mark} & echo begun; sleep {mark}"
        with self.assert_in_time(10):
            done = self.sh(script, 0.3)
        self.assertTrue(done.timed_out)
        self.assertEqual(done.stdout, b"begun\n")
        self.assertTrue(wait_until(lambda: not processes_with(mark), 5))

    @needs_proc
    def test_a_background_process_ends_with_the_command(self) -> None:
        """What runs on in the background holds up nothing, and does not live on."""
        with self.assert_in_time(10):
            done = self.sh(f"sleep {new_mark(self, '300.')} & echo $!")
        self.assertEqual((done.returncode, done.timed_out), (0, False))
        child = int(done.stdout)
        self.assertTrue(wait_until(lambda: not is_running(child), 5))

    @needs_proc
    def test_what_left_the_group_does_not_hold_the_call(self) -> None:
        """A process in another session keeps the pipes, and the call returns."""
        left, mark = self.folder / "left", new_mark(self, "20.")
        leave = [
            "import os, pathlib, sys",
            "os.setsid()",
            "pathlib.Path(sys.argv[1]).touch()",
            "os.execlp('sleep', 'sleep', sys.argv[2])",
        ]
        script = '"$1" -S -c "$2" "$3" "$4" & until [ -e "$3" ]; do sleep 0.01; done'
        argv = ["sh", "-c", script, "sh", sys.executable, "; ".join(leave), left, mark]
        # Ten times the half second that the docstring tells.
        with self.assert_in_time(5):
            done = run_local(list(map(str, argv)), 40)
        self.assertEqual(done, Execution(0, b"", b""))
        self.assertTrue(wait_until(lambda: processes_with(mark)))

    @needs_proc
    @unittest.skipUnless("bash" in SHELLS, "needs bash, which needs no terminal for it")
    def test_a_group_of_its_own_outlives_the_command(self) -> None:
        """What job control gave a group is not ended, as the docstrings say."""
        for start, outlives in (("", False), ("set -m; ", True)):
            command = f"{start}sleep {new_mark(self, '300.')} >&2 2>/dev/null & echo $!"
            child = int(run_local(["bash", "-c", command], 20).stdout)
            ended = wait_until(lambda pid=child: not is_running(pid), 0.3)
            self.assertEqual(ended, not outlives)
        self.assertIn("`setsid`, `set -m`, `timeout`", run_local.__doc__)
        self.assertIn("not what left its group (see `run_local`)", dispatch.__doc__)

    def interrupted_at_its_start(self, mark: str) -> Execution:
        """Run a command, with Ctrl-C when it runs and `Popen` does not know it yet."""

        def interrupt(frame, event, function):
            if event == "c_return" and function.__name__ == "fork_exec":
                os.kill(os.getpid(), signal.SIGINT)

        sys.setprofile(interrupt)
        try:
            return self.sh(f"exec sleep {mark}", 0.3)
        finally:
            sys.setprofile(None)

    @needs_proc
    def test_ctrl_c_at_a_start_is_met_in_another_thread(self) -> None:
        """In the main thread it leaves the command, as is told, in others it cannot."""
        previous = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, previous)
        left, mark, ended = new_mark(self, "20."), new_mark(self, "300."), []
        with warnings.catch_warnings(), self.assertRaises(KeyboardInterrupt):
            # The process that nobody knows is one of ours all the same.
            warnings.simplefilter("ignore", ResourceWarning)
            self.interrupted_at_its_start(left)
        self.assertTrue(wait_until(lambda: processes_with(left)))
        (pid,) = processes_with(left)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        thread = threading.Thread(
            target=lambda: ended.append(self.interrupted_at_its_start(mark))
        )
        with self.assertRaises(KeyboardInterrupt):
            thread.start()
            # No join: what interrupts it makes it take the thread for ended.
            wait_until(lambda: ended)
        self.assertTrue(wait_until(lambda: ended))
        thread.join()
        self.assertTrue(ended[0].timed_out)
        self.assertTrue(wait_until(lambda: not processes_with(mark), 5))
        said = " ".join(run_local.__doc__.split())
        self.assertIn("what Ctrl-C meets at its start or end in the main thread", said)

    @needs_proc
    def test_nothing_is_left_of_many_runs(self) -> None:
        """No descriptor, thread or zombie stays of runs that end in any way."""
        before, mark = counts(), new_mark(self, "300.")
        for _ in range(3):
            self.sh("echo fine")
            self.sh("exit 3")
            self.sh(f"sleep {mark} & exit 0")
            self.sh(f"sleep {mark}", 0.02)
            self.sh(f"exec >&- 2>&-; sleep {mark}", 0.02)
            with contextlib.suppress(FileNotFoundError):
                run_local(["/nothing"], 1)
            with contextlib.suppress(ValueError):
                run_local(["a\0"], 1)
        self.assertTrue(wait_until(lambda: counts() == before), (before, counts()))

    @needs_proc
    def test_an_interrupt_ends_the_group(self) -> None:
        """What a signal handler raises ends the command, and is passed on."""

        class Interrupt(Exception):
            pass

        def interrupt(number, frame):
            raise Interrupt

        before, mark = counts(), new_mark(self, "300.")
        previous = signal.signal(signal.SIGALRM, interrupt)
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.3)
            with self.assertRaises(Interrupt):
                self.sh(f"sleep {mark} & sleep {mark}")
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, previous)
        self.assertTrue(wait_until(lambda: not processes_with(mark), 5))
        self.assertTrue(wait_until(lambda: counts() == before), (before, counts()))

    def in_a_host(self, argv: list[str], typed: str = "", **variables: str) -> str:
        """What `run_local` reads of a program, in a Host of its own, as ASCII."""
        code = f"import twoshell_guard as g; print(ascii(g.run_local({argv!r}, 20)[1]))"
        program = self.folder / "host.py"
        program.write_text(code, encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-S", str(program)],
            input=typed,
            env={**os.environ, **variables, "PYTHONPATH": str(GUARD.parent)},
            capture_output=True,
            encoding="utf-8",
            timeout=60,
        )
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return ast.literal_eval(done.stdout).decode()

    def test_stdin_is_empty(self) -> None:
        """A command that reads gets the end at once, and not the Host's input."""
        read = "cat; echo end"
        self.assertEqual(self.in_a_host(["sh", "-c", read], "typed\n"), "end\n")

    def test_a_command_is_utf8_in_any_locale(self) -> None:
        """Where Python itself writes ASCII, a Chinese command is not changed."""
        ascii_only = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
        said = self.in_a_host(["sh", "-c", "echo 你好"], **ascii_only)
        self.assertEqual(said, "你好\n")
