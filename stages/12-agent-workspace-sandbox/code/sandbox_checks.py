"""Checks of `sandbox`, `container_run` and `sandbox_demo`, without an engine.

The life cycle runs against `scripted_engine.py`, a program that stands where
docker's would. What a real engine enforces is for the interop tests.
"""

from __future__ import annotations

import csv
import hashlib
import json
import os
import re
import shlex
import signal
import stat
import sys
import tempfile
import unittest
from pathlib import Path
from unittest.mock import patch

from check_support import CODE, run_script
from container_run import (
    VARIABLES,
    Container,
    EngineCLI,
    Killed,
    LeftBehind,
    NotRun,
    TimedOut,
    last_words,
    require_own_end,
)
from review_receipt import ReportCheckError
from runner import CommandResult
from sandbox import (
    IMAGE,
    LIMITS,
    Profile,
    SandboxRefused,
    check_in_sandbox,
    mount,
    new_name,
    readable_copy,
)
from workspace import AgentWorkspace, WorkspaceError

__all__ = [
    "ContainerEndChecks",
    "ContainerRunChecks",
    "SandboxDemoChecks",
    "SandboxProfileChecks",
]

GOOD = b"## Background\n\nA\n\n## Risks\n\nB\n\n## Recommendation\n\nC\n"
DIGEST = hashlib.sha256(GOOD).hexdigest()
PASSED = {"passed": True, "missing_sections": [], "sha256": DIGEST}
HERE = Path(tempfile.gettempdir()).absolute()


def profile(**changes: object) -> Profile:
    """A profile of files that need not exist."""
    fields = {
        "engine": "docker",
        "image": IMAGE,
        "name": "host-first-1",
        "checker": HERE / "report_check.py",
        "report": HERE / "report.md",
    }
    return Profile(**(fields | changes))


def parsed_mount(option: str) -> dict[str, str]:
    """Read `--mount` as the engine does: one line of comma-separated values."""
    value = option.removeprefix("--mount=")
    return dict(field.partition("=")[::2] for field in next(csv.reader([value])))


class SandboxProfileChecks(unittest.TestCase):
    """The profile says everything, and nothing that somebody else chose."""

    def test_every_restriction_is_given(self):
        """The options are exactly those that the course promises, in any order."""
        options = profile().create_arguments()[1:-7]
        mounts = [option for option in options if option.startswith("--mount=")]
        self.assertEqual(len(mounts), 2)
        self.assertEqual(
            sorted(set(options) - set(mounts)),
            sorted(
                [
                    "--name=host-first-1",
                    "--label=host-first=sandbox",
                    "--pull=never",
                    "--network=none",
                    "--read-only",
                    "--user=65534:65534",
                    "--cap-drop=ALL",
                    "--security-opt=no-new-privileges",
                    "--init",
                    "--ipc=none",
                    "--log-driver=none",
                    "--memory=128m",
                    "--memory-swap=128m",
                    "--cpus=0.5",
                    "--pids-limit=32",
                    "--ulimit=nofile=64",
                    "--ulimit=core=0",
                    "--tmpfs=/tmp:rw,noexec,nosuid,nodev,size=16m",
                ]
            ),
        )

    def test_podman_differs_only_where_it_must(self):
        """podman gets the same options and two of its own."""
        docker = {flag.option for flag in profile().flags()}
        podman = {flag.option for flag in profile(engine="podman").flags()}
        self.assertEqual(docker - podman, set())
        self.assertEqual(
            podman - docker, {"--read-only-tmpfs=false", "--ulimit=nproc=1024"}
        )

    def test_every_option_has_a_reason(self):
        """No flag is there without a word on what it is for."""
        for flag in profile(engine="podman").flags():
            with self.subTest(flag.option):
                self.assertGreater(len(flag.reason.split()), 2)

    def test_the_program_is_isolated_python_on_the_mounted_files(self):
        """After the image comes the audited checker and its report, nothing else."""
        self.assertEqual(
            profile(image="local/python:x").create_arguments()[-7:],
            [
                "local/python:x",
                *("python", "-I", "-S", "-B", "/checker.py", "/report.md"),
            ],
        )

    def test_both_files_are_mounted_read_only(self):
        """Checker and report are bound from the given files and cannot be written."""
        mounts = [
            parsed_mount(flag.option)
            for flag in profile().flags()
            if flag.option.startswith("--mount=")
        ]
        common = {"type": "bind", "readonly": ""}
        self.assertEqual(
            mounts,
            [
                common | {"src": str(HERE / "report_check.py"), "dst": "/checker.py"},
                common | {"src": str(HERE / "report.md"), "dst": "/report.md"},
            ],
        )

    def test_mounts_take_awkward_paths(self):
        """A comma, a quote, a space or Chinese in a path changes nothing but itself."""
        for name in ("a,b", 'say "x"', '",readonly=false,src="', "报告 1", "a=b:c"):
            with self.subTest(name):
                path = HERE / name / "report.md"
                self.assertEqual(
                    parsed_mount(mount(path, "/report.md")),
                    {
                        "type": "bind",
                        "src": str(path),
                        "dst": "/report.md",
                        "readonly": "",
                    },
                )

    def test_mounts_refuse_what_the_format_cannot_hold(self):
        """Relative paths and control characters are refused, not repaired."""
        for path in (Path("report.md"), HERE / "a\nb", HERE / "a\x1bb", HERE / "a\rb"):
            with self.subTest(str(path)), self.assertRaises(SandboxRefused):
                mount(path, "/report.md")

    def test_only_two_engines_are_known(self):
        """Another engine's name, or a path to one, is refused."""
        for engine in ("docker", "podman"):
            self.assertEqual(profile(engine=engine).engine, engine)
        for engine in ("", "Docker", "nerdctl", "/usr/bin/docker", "docker --debug"):
            with self.subTest(engine), self.assertRaises(SandboxRefused):
                profile(engine=engine)

    def test_an_image_is_never_read_as_an_option(self):
        """Names of images pass, options and other text do not."""
        digest = "sha256:" + "0" * 64
        for image in ("python:3.12-slim", f"local/py@{digest}", "h.test:5000/a_b:1"):
            self.assertEqual(profile(image=image).create_arguments()[-7], image)
        for image in ("", "--privileged", "-v", "a b", "a\n", "a;b", "图", "x" * 256):
            with self.subTest(image), self.assertRaises(SandboxRefused):
                profile(image=image)

    def test_a_name_is_a_name(self):
        """What would be a pattern or an option is no name of a container."""
        self.assertEqual(profile(name="a-1").name, "a-1")
        for name in ("", "-a", ".*", "a|b", "a b", "a\n", "A", "a" * 64):
            with self.subTest(name), self.assertRaises(SandboxRefused):
                profile(name=name)

    def test_names_are_not_reused(self):
        """A new name is good for a container, and another one each time."""
        names = {new_name() for _ in range(100)}
        self.assertEqual(len(names), 100)
        for name in names:
            self.assertEqual(profile(name=name).name, name)


def ended(returncode: int | None, stderr: str = "", **changes: object) -> CommandResult:
    """What the attached command may report."""
    fields = dict.fromkeys(
        ("stdout_truncated", "stderr_truncated", "truncated", "timed_out"), False
    )
    complete = {"output_complete": True, "cleanup_complete": True}
    return CommandResult(
        **{
            "returncode": returncode,
            "stdout": "",
            "stderr": stderr,
            "duration_seconds": 0.1,
            **fields,
            **complete,
            **changes,
        }
    )


def state(code: int, **changes: object) -> dict[str, object]:
    """What the engine may record."""
    return {"Status": "exited", "OOMKilled": False, "ExitCode": code, **changes}


class ContainerEndChecks(unittest.TestCase):
    """How a program ended, from two witnesses."""

    def test_an_end_of_its_own_is_accepted(self):
        """Any exit code of the program passes; what it means is for others."""
        for code in (0, 1, 2, 3, 100):
            with self.subTest(code):
                self.assertIsNone(require_own_end(ended(code), state(code)))

    def test_the_memory_limit_is_read_not_guessed(self):
        """The engine's record decides, also when the program itself ended with 0."""
        for code in (137, 0, 2):
            with self.subTest(code), self.assertRaisesRegex(Killed, "memory limit"):
                require_own_end(ended(code), state(code, OOMKilled=True))

    def test_137_alone_proves_no_limit(self):
        """A SIGKILL without that record is a kill by an unknown hand."""
        with self.assertRaisesRegex(Killed, "signal 9 .* no limit is known"):
            require_own_end(ended(137), state(137))
        with self.assertRaisesRegex(Killed, "signal 15"):
            require_own_end(ended(143), state(143))

    def test_the_engines_own_codes_are_not_run(self):
        """125, 126 and 127 are the engine's words, never the checker's."""
        for code in (125, 126, 127):
            with self.subTest(code), self.assertRaises(NotRun):
                require_own_end(ended(code), state(code))

    def test_a_container_that_never_started_is_not_run(self):
        """The command's 1 for a failed start is not an exit code of the program."""
        for code in (0, 1, 2):
            with self.subTest(code), self.assertRaisesRegex(NotRun, "not started: why"):
                require_own_end(ended(code, "why\n"), state(code, Status="created"))

    def test_two_witnesses_must_agree(self):
        """A command that was lost says nothing about the program that it watched."""
        for command, record in (
            (ended(0), state(2)),
            (ended(2), state(0)),
            (ended(-9), state(0, Status="running")),
            (ended(0), state(0, Status="running")),
            (ended(None), state(0)),
            (ended(0), {}),
        ):
            with self.subTest(str((command.returncode, record))):
                self.assertRaises(NotRun, require_own_end, command, record)

    def test_reasons_carry_no_host_path(self):
        """The engine's last line is kept short, printable and without paths."""
        for line, words in (
            ("no file /home/林/a b/x", "no file <path>"),
            (r"no file C:\Users\lin ng\x", "no file <path>"),
            ('at unix:///run/x.sock: "why"', 'at unix:<path>: "why"'),
            ("/usr/bin/runc: denied\x1b[0m", "<path>: denied?[0m"),
            ("No such image: local/x:1", "No such image: local/x:1"),
        ):
            with self.subTest(line):
                self.assertEqual(last_words(ended(1, f"first\n{line}\n\n")), words)
        self.assertEqual(last_words(ended(1)), "no reason given")
        self.assertEqual(len(last_words(ended(1, "x" * 1000))), 200)
        self.assertIn("in time", last_words(ended(-9, "x", timed_out=True)))


# Each command of the scripted engine is a few lines of shell, run in its folder.
# Unless a check replaces them, they behave like an engine that works: it remembers
# the container that it created, and starts the mounted checker as a plain process.
ANSWERS = {
    "info": """case $engine in
        docker) echo '{"memory":true,"swap":true,"cpu":true,"pids":true}' ;;
        podman) echo '["cpu","memory","pids"]' ;;
        esac""",
    "create": r"""printf '%s\n' "$@" >created; echo 0123456789ab""",
    "inspect": """case $* in
        *HostConfig*) cat limits.json ;;
        *) echo '{"Status":"exited","OOMKilled":false,"ExitCode":'$(cat code)'}' ;;
        esac""",
    "start": r"""source() {
            sed -n "s|^--mount=type=bind,src=\(.*\),dst=$1,readonly$|\1|p" created
        }
        "$python" -I -S -B "$(source /checker.py)" "$(source /report.md)"
        echo $? >code; exit $(cat code)""",
    "rm": """[ ! -e created ] || { rm created; echo "$4"; }""",
    "ps": """[ ! -e created ] || echo 0123456789ab""",
}
KILLED = "kill -9 $$"
OUT_OF_MEMORY = """case $* in
    *HostConfig*) cat limits.json ;;
    *) echo '{"Status":"exited","OOMKilled":true,"ExitCode":0}' ;;
    esac"""


def says(text: object, code: int = 0) -> str:
    """Make the program inside end with `code` after this text, or this JSON."""
    line = text if isinstance(text, str) else json.dumps(text)
    return f"printf '%s\\n' {shlex.quote(line)}; echo {code} >code; exit {code}"


class ScriptedEngines:
    """A folder that is PATH, with a docker and a podman in it that do as told."""

    def set_up_engines(self) -> None:
        """Make the folder; it is removed after the test."""
        if os.name != "posix":
            self.skipTest("Windows starts no script as a program: needs Linux, macOS")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        for engine in ("docker", "podman"):
            program = self.folder / engine
            program.write_text(
                f"#!/bin/sh\nengine={engine} python={shlex.quote(sys.executable)}\n"
                f"cd {shlex.quote(folder.name)}\n"
                "printf '%s\\n' \"$@\" . >>calls\nexport -p >>variables\n. ./$1.sh\n",
                encoding="utf-8",
            )
            program.chmod(0o755)
        self.answer(**ANSWERS)
        self.record(LIMITS)
        path = patch.dict(os.environ, {"PATH": self.search_path()})
        path.start()
        self.addCleanup(path.stop)

    def search_path(self) -> str:
        """Our folder first; the shell needs a few tools behind it."""
        return os.pathsep.join([str(self.folder), "/usr/bin", "/bin"])

    def answer(self, **commands: str) -> None:
        """Replace what these commands do."""
        for command, script in commands.items():
            path = self.folder / f"{command}.sh"
            path.write_text(script + "\n", encoding="utf-8")

    def record(self, limits: dict[str, int]) -> None:
        """Say what the engine records of a new container."""
        text = json.dumps(limits)
        (self.folder / "limits.json").write_text(text, encoding="utf-8")

    def calls(self) -> list[list[str]]:
        """The arguments of each call so far."""
        log = self.folder / "calls"
        text = log.read_text(encoding="utf-8") if log.exists() else ""
        return [call.split("\n") for call in text.split("\n.\n")[:-1]]

    def commands(self) -> list[str]:
        """The first argument of each call so far."""
        return [arguments[0] for arguments in self.calls()]

    def holds_a_container(self) -> bool:
        """Whether the engine still remembers one."""
        return (self.folder / "created").exists()


class ContainerRunChecks(ScriptedEngines, unittest.TestCase):
    """From creation to proved removal, against an engine that does as told."""

    def setUp(self):
        self.set_up_engines()

    def run_container(self, *, timeout_seconds: float = 30, grace: float = 0.01):
        """One container, without the sandbox around it and with little patience."""
        with AgentWorkspace.temporary() as workspace:
            report = readable_copy(workspace, "inputs/report.md", GOOD)
            checker = (CODE / "report_check.py").read_bytes()
            checker = readable_copy(workspace, "inputs/report_check.py", checker)
            one = profile(checker=checker, report=report)
            cli = EngineCLI("docker", workspace)
            with Container(cli, one.name, grace_seconds=grace) as container:
                return container.run(
                    one.create_arguments(), LIMITS, timeout_seconds=timeout_seconds
                )

    def test_a_good_report_passes(self):
        """A run asks, creates, looks, starts, looks, removes and proves."""
        review = check_in_sandbox(GOOD)
        self.assertTrue(review.passed)
        self.assertEqual(review.sha256, DIGEST)
        self.assertEqual(review.not_proved, ())
        info, create, before, start, after, removal, proof = self.calls()
        name = next(o for o in create if o.startswith("--name="))[len("--name=") :]
        self.assertEqual(info[0], "info")
        self.assertEqual(create[0], "create")
        self.assertEqual((before[0], before[-1]), ("inspect", name))
        self.assertEqual(start, ["start", "--attach", name])
        self.assertEqual((after[0], after[-1]), ("inspect", name))
        self.assertEqual(removal, ["rm", "--force", "--volumes", name])
        self.assertEqual(proof, ["ps", "--all", "--quiet", f"--filter=name=^{name}$"])

    def test_a_bad_report_is_a_verdict(self):
        """The checker's no is a review and no error."""
        review = check_in_sandbox(GOOD.replace(b"## Risks", b"### Risks"))
        self.assertFalse(review.passed)
        self.assertEqual(review.missing_sections, ("Risks",))
        self.assertFalse(self.holds_a_container())

    def test_what_is_no_report_has_no_verdict(self):
        """The checker's "could not be checked" is neither yes nor no."""
        with self.assertRaises(ReportCheckError):
            check_in_sandbox(b"\xff")
        self.assertFalse(self.holds_a_container())
        with self.assertRaises(WorkspaceError):
            check_in_sandbox(b"x" * 65_537)

    def test_the_container_sees_private_copies(self):
        """Both mounts are files of a closed folder that is gone afterwards."""
        self.answer(start=says(PASSED))
        check_in_sandbox(GOOD)
        create = next(call for call in self.calls() if call[0] == "create")
        mounts = [option for option in create if option.startswith("--mount=")]
        self.assertEqual(len(mounts), 2)
        for option in mounts:
            source = Path(parsed_mount(option)["src"])
            self.assertNotEqual(source.parent, CODE)
            self.assertFalse(source.exists())
        with AgentWorkspace.temporary() as workspace:
            copy = readable_copy(workspace, "inputs/report.md", GOOD)
            self.assertEqual(copy.read_bytes(), GOOD)
            self.assertEqual(stat.S_IMODE(copy.stat().st_mode), 0o644)
            self.assertEqual(stat.S_IMODE(workspace.root.stat().st_mode), 0o700)

    def test_the_command_gets_a_named_list_of_variables(self):
        """DOCKER_HOST arrives, a secret and everything else of ours does not."""
        self.answer(start=says(PASSED))
        planted = {"DOCKER_HOST": "unix:///x", "SECRET": "s", "HTTP_PROXY": "p"}
        with patch.dict(os.environ, planted):
            check_in_sandbox(GOOD)
        exported = (self.folder / "variables").read_text(encoding="utf-8")
        names = set(re.findall(r"^export (\w+)", exported, re.MULTILINE))
        # The runner adds the first two, the shell the others.
        by_others = {"LANG", "PYTHONUTF8", "OLDPWD", "PWD", "SHLVL", "_"}
        self.assertIn("DOCKER_HOST", names)
        self.assertLessEqual(names - by_others, set(VARIABLES))

    def test_without_an_engine_nothing_runs(self):
        """A missing engine is an error, not a reason to use the local Python."""
        with (
            patch.dict(os.environ, {"PATH": ""}),
            self.assertRaisesRegex(NotRun, "docker is not installed"),
        ):
            check_in_sandbox(GOOD)

    def test_the_gate_stands_before_creation(self):
        """An engine that would drop a limit is asked, and asked for nothing more."""
        limits = '{"memory":true,"swap":false,"cpu":true,"pids":false}'
        self.answer(info=f"echo '{limits}'")
        with self.assertRaisesRegex(NotRun, "drop a limit here: swap, pids$"):
            check_in_sandbox(GOOD)
        self.assertEqual(self.commands(), ["info"])

    def test_each_limit_is_required(self):
        """Every limit that docker cannot set, or does not tell about, is missing."""
        full = {"memory": True, "swap": True, "cpu": True, "pids": True}
        with AgentWorkspace.temporary() as workspace:
            cli = EngineCLI("docker", workspace)
            self.assertEqual(cli.require_limits(), ())
            for limit in full:
                for value in (False, None):
                    answer = json.dumps({**full, limit: value})
                    self.answer(info=f"echo '{answer}'")
                    with self.subTest(answer), self.assertRaisesRegex(NotRun, limit):
                        cli.require_limits()

    def test_an_engine_that_does_not_answer_is_refused(self):
        """An error or other words are no permission to go on."""
        refused = f"{ANSWERS['info']}; exit 1"
        scripts = (refused, "echo denied >&2; exit 1", "echo yes", "echo true", KILLED)
        with AgentWorkspace.temporary() as workspace:
            cli = EngineCLI("docker", workspace)
            for script in scripts:
                self.answer(info=script)
                with self.subTest(script):
                    self.assertRaises(NotRun, cli.require_limits)

    def test_podman_is_asked_for_its_controllers(self):
        """What podman tells is required, and what it cannot tell is named."""
        with AgentWorkspace.temporary() as workspace:
            cli = EngineCLI("podman", workspace)
            self.assertEqual(cli.require_limits(), ("swap",))
            for answer in ('["memory","pids"]', "null", "[]"):
                self.answer(info=f"echo '{answer}'")
                with self.subTest(answer):
                    self.assertRaisesRegex(NotRun, "cpu", cli.require_limits)

    def test_podmans_gap_is_part_of_the_review(self):
        """A verdict from podman says that no limit of swap was proved."""
        self.answer(start=says(PASSED))
        review = check_in_sandbox(GOOD, engine="podman")
        self.assertEqual((review.passed, review.not_proved), (True, ("swap",)))

    def test_a_dropped_limit_stops_the_start(self):
        """A limit missing from the record of the new container is an error in time."""
        for limit in LIMITS:
            self.record({**LIMITS, limit: 0})
            with self.subTest(limit), self.assertRaisesRegex(NotRun, f": {limit}$"):
                self.run_container()
        self.assertNotIn("start", self.commands())
        self.assertFalse(self.holds_a_container())

    def test_a_missing_image_is_said(self):
        """A refused creation gives the engine's reason, and nothing is started."""
        self.answer(create="echo No such image: python:3.12-slim >&2; exit 1")
        with self.assertRaisesRegex(NotRun, "No such image: .* never pulled"):
            check_in_sandbox(GOOD)
        self.assertEqual(self.commands(), ["info", "create", "rm", "ps"])

    def test_125_is_not_a_verdict(self):
        """The engine's own failure stays one, even beside a perfect answer."""
        self.answer(start=says(PASSED, code=125))
        self.assertRaises(NotRun, check_in_sandbox, GOOD)
        self.assertFalse(self.holds_a_container())

    def test_a_killed_program_has_no_verdict(self):
        """An exit with 0 and good JSON is not believed when the limit was hit."""
        self.answer(start=says(PASSED), inspect=OUT_OF_MEMORY)
        self.assertRaisesRegex(Killed, "memory limit", check_in_sandbox, GOOD)
        self.assertFalse(self.holds_a_container())

    def test_a_deadline_removes_the_container(self):
        """At the deadline the command ends first and the container after it."""
        self.answer(start="exec sleep 10")
        with self.assertRaisesRegex(TimedOut, r"after 0\.2 seconds"):
            self.run_container(timeout_seconds=0.2)
        self.assertEqual(self.commands()[-3:], ["start", "rm", "ps"])
        self.assertFalse(self.holds_a_container())

    def test_a_lost_command_is_no_verdict(self):
        """A killed attached command says nothing; its container is removed."""
        self.answer(start=f"echo 0 >code; {KILLED}")
        self.assertRaisesRegex(NotRun, "was lost", self.run_container)
        self.assertFalse(self.holds_a_container())

    def test_a_late_creation_is_found(self):
        """A container that appears after its command was killed is still removed."""
        # Nothing is listed the first time, and then the creation has arrived.
        listing = "[ ! -e created ] || echo 0123; [ -e seen ] || { >seen; >created; }"
        self.answer(create=KILLED, ps=listing)
        with self.assertRaisesRegex(NotRun, "created no container"):
            self.run_container(grace=30)
        self.assertEqual(self.commands(), ["create", "rm", "ps", "rm", "ps"])
        self.assertFalse(self.holds_a_container())

    def test_a_creation_in_flight_is_said(self):
        """An empty listing proves nothing while the creation may still arrive."""
        for script in (KILLED, "exit 1"):
            self.answer(create=script)
            with (
                self.subTest(script),
                self.assertRaisesRegex(LeftBehind, "docker rm --force host-first-1$"),
            ):
                self.run_container()

    def test_a_creation_has_a_deadline_too(self):
        """An engine that hangs in creation is given up, and the name is said."""
        self.answer(create="echo wait >&2; exec sleep 60")
        hurry = patch("container_run.CREATE_SECONDS", 0.2)
        with hurry, self.assertRaisesRegex(LeftBehind, "not end in time.*first-1$"):
            self.run_container()

    def test_an_interrupted_creation_is_in_flight(self):
        """A Host that is ended during creation names what may still appear."""
        self.answer(create="exec sleep 60")
        previous = signal.signal(signal.SIGALRM, lambda *_: sys.exit("ended"))
        self.addCleanup(signal.signal, signal.SIGALRM, previous)
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with self.assertRaisesRegex(LeftBehind, "host-first-1$") as caught:
            self.run_container()
        self.assertIsInstance(caught.exception.__cause__, SystemExit)

    def test_removal_is_proved_not_assumed(self):
        """A container that stays after a successful `rm` is named, whatever it said."""
        self.answer(start=says(PASSED), rm='echo "$4"')
        with self.assertRaises(LeftBehind) as caught:
            self.run_container()
        self.assertEqual(caught.exception.name, "host-first-1")

    def test_removal_is_tried_again(self):
        """An `rm` that fails once is not the end."""
        again = ANSWERS["rm"]
        self.answer(rm=f"[ -e once ] || {{ >once; exit 1; }}; {again}")
        self.assertEqual(self.run_container(grace=30).returncode, 0)
        self.assertEqual(self.commands()[-4:], ["rm", "ps", "rm", "ps"])

    def test_no_listing_is_no_proof(self):
        """An engine that cannot list has not shown that the container is gone."""
        self.answer(ps="exit 1")
        self.assertRaises(LeftBehind, self.run_container)

    def test_what_went_wrong_first_is_said_too(self):
        """A failed removal does not hide why there was no verdict."""
        self.answer(inspect=OUT_OF_MEMORY, rm="exit 0")
        with self.assertRaisesRegex(LeftBehind, "memory limit .* docker rm") as caught:
            self.run_container()
        self.assertIsInstance(caught.exception.__cause__, Killed)

    def test_an_answer_is_believed_only_as_a_whole(self):
        """Too long, about other bytes, or against its exit code: no verdict."""
        failed = {**PASSED, "passed": False, "missing_sections": ["Risks"]}
        for script in (
            says(f"{json.dumps(PASSED)}{' ' * 70_000}"),
            says({**PASSED, "sha256": "0" * 64}),
            says(failed, code=0),
            says(PASSED, code=2),
        ):
            self.answer(start=script)
            with self.subTest(script[-40:]):
                self.assertRaises(ReportCheckError, check_in_sandbox, GOOD)
        self.answer(start=says(failed, code=2))
        self.assertFalse(check_in_sandbox(GOOD).passed)


class SandboxDemoChecks(ScriptedEngines, unittest.TestCase):
    """The demo, as a reader runs it."""

    def setUp(self):
        self.set_up_engines()

    def test_by_default_it_only_prints(self):
        """The profile is printed at 80 columns, every flag with its reason."""
        for engine in ("docker", "podman"):
            arguments = ("--engine", engine, "--report", "any.md")
            done = run_script("sandbox_demo.py", *arguments)
            self.assertEqual(done.returncode, 0, done.stderr)
            lines = done.stdout.splitlines()
            self.assertEqual(lines[:2], ["PROFILE ONLY", f"{engine} create"])
            self.assertLessEqual(max(map(len, lines)), 80)
            words = " ".join(done.stdout.split())
            for flag in profile(engine=engine, name="host-first-0").flags()[:-2]:
                self.assertIn(f"{flag.option} {flag.reason}", words)
        self.assertEqual(self.calls(), [])

    def test_it_ends_with_the_kind_of_outcome(self):
        """0 passed, 2 said no, 3 could not be checked, 4 no verdict, each with why."""
        bad = self.folder / "报告, 2.md"
        bad.write_bytes(b"## Risks\n\nmany\n")
        missing = self.folder / "none.md"
        for code, arguments in (
            (0, ()),
            (2, ("--report", str(bad))),
            (3, ("--report", str(missing))),
            (4, ("--image=--privileged",)),
            (4, ("--no-such-option",)),
        ):
            with self.subTest(code=code, arguments=arguments):
                done = run_script("sandbox_demo.py", "--run", *arguments)
                self.assertEqual(done.returncode, code, done.stderr)
                reasons = done.stderr.splitlines()
                self.assertEqual(len(reasons), 0 if code in (0, 2) else 1)
                self.assertNotIn(str(self.folder), done.stderr)
