"""Checks of the sandbox and its demo, without an engine.

The life cycle runs against `scripted_engine.py`, a program that stands where
docker's would. What a real engine enforces is for the interop tests.
"""

from __future__ import annotations

import csv
import functools
import hashlib
import json
import os
import re
import shlex
import signal
import stat
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

from check_support import (
    CODE,
    Beside,
    run_script,
    script_command,
    script_environment,
)
from container_profile import LIMITS, Profile, SandboxRefused, mount, new_name
from container_run import Container, Killed, LeftBehind, TimedOut, require_own_end
from engine_cli import EngineCLI, NotRun
from engine_words import is_refusal, last_words
from review_receipt import ReportCheckError
from runner import CommandRefused, CommandResult
from sandbox import (
    IMAGE,
    check_in_sandbox,
    read_report,
    readable_copy,
    require_checker,
)
from workspace import AgentWorkspace

__all__ = [
    "ContainerEndChecks",
    "ContainerRunChecks",
    "EngineWordsChecks",
    "ReadReportChecks",
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
        """No flag is there without a word on what it is for, short enough to print."""
        for flag in profile(engine="podman").flags():
            with self.subTest(flag.option):
                self.assertGreater(len(flag.reason.split()), 2)
                self.assertLessEqual(len(flag.reason), 43)

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
        names = ("a\nb", "a\x1bb", "a\rb", "a\u200bb", "a\xa0b")
        for path in (Path("report.md"), *(HERE / name for name in names)):
            refused = self.assertRaisesRegex(SandboxRefused, "set TMPDIR")
            with self.subTest(ascii(path)), refused:
                mount(path, "/report.md")

    def test_only_two_engines_are_known(self):
        """Another engine's name, or a path to one, is refused."""
        for engine in ("docker", "podman"):
            self.assertEqual(profile(engine=engine).engine, engine)
        for engine in ("", "Docker", "nerdctl", "/usr/bin/docker", "docker --debug"):
            with self.subTest(engine), self.assertRaises(SandboxRefused):
                profile(engine=engine)

    def test_an_image_is_never_read_as_an_option(self):
        """Names and ids of images pass, options and other text do not."""
        digest = "sha256:" + "0" * 64
        for image in (
            "python",
            "python:3.12-slim",
            "h.test:5000/a/b_c--d:1.0_x",
            f"local/py:1@{digest}",
            digest,
            "0123456789ab",
        ):
            self.assertEqual(profile(image=image).create_arguments()[-7], image)
        for image in (
            *("", "--privileged", "-v", "a b", "a\n", "a;b", "图", "x" * 256, None),
            *("a:1:2", "a//b", "a:", "a@", "a@sha256:0", ":1", "/a", "a/../b"),
        ):
            with self.subTest(image), self.assertRaises(SandboxRefused):
                profile(image=image)

    def test_an_image_is_never_read_as_a_file(self):
        """What podman would load from a file or another engine is no image's name."""
        for image in (
            *("oci-archive:/tmp/x.tar", "oci-archive:x/y.tar", "docker-archive:/x.tar"),
            *("oci:/tmp/x", "oci:/tmp/x:1", "dir:/tmp/x", "sif:/x.sif", "dir:../x"),
            *("docker://python:3.12-slim", "docker-daemon:python:3.12-slim"),
            *("containers-storage:[overlay@/x]y", "ostree:a@/x", "tarball:/x.tar"),
            *("./x.tar", "/tmp/x.tar", "https://h.test/x.tar", "C:\\x.tar"),
        ):
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
        for code in (0, 1, 2, 3, 100, 128, 193, 255):
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
        for code, number in ((143, 15), (129, 1), (192, 64)):
            with self.assertRaisesRegex(Killed, f"signal {number} "):
                require_own_end(ended(code), state(code))

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

    def test_only_an_end_of_our_checker_is_read(self):
        """A code that it does not have, or no JSON: something else has run."""
        for code, output in ((0, "{}"), (2, "{}\n"), (3, '{"error": "x"}')):
            self.assertIsNone(require_checker(ended(code, stdout=output)))
        for code, output in (
            *((0, ""), (0, "yes"), (0, "[]"), (2, ""), (2, "{}{}"), (3, "[" * 9_999)),
            *((1, "{}"), (4, "{}"), (128, "{}"), (255, "{}"), (None, "{}")),
        ):
            told = rf"not run our checker: exit code {code}, exec python failed"
            with (
                self.subTest(code=code, output=output[:9]),
                self.assertRaisesRegex(NotRun, told),
            ):
                require_checker(ended(code, "exec python failed", stdout=output))


class EngineWordsChecks(unittest.TestCase):
    """What is read out of an engine's words, and what of them is passed on."""

    def test_a_refusal_is_known_by_its_words(self):
        """Words that come with a lost answer prove nothing, the engine's own do."""
        for engine, refusals, others in (
            (
                "docker",
                (
                    "Error response from daemon: No such image: a:1",
                    'Error response from daemon: Conflict. The name "/a" is in use',
                    "invalid reference format: repository name must be lowercase",
                    "unknown flag: --pull\nSee 'docker create --help'.",
                ),
                (
                    'error during connect: Post "http://x/v1.41/create": EOF',
                    "Cannot connect to the Docker daemon. Is it running?",
                    "context canceled",
                    "net/http: TLS handshake timeout",
                    "",
                ),
            ),
            (
                "podman",
                (
                    "Error: a:1: image not known",
                    'Error: creating container storage: the name "a" is in use',
                    "Error: unknown flag: --pull",
                ),
                (
                    'Error: Post "http://d/v4.3.1/libpod/containers/create": EOF',
                    "WARN[0000] something",
                    "",
                ),
            ),
        ):
            for words in refusals:
                with self.subTest(words):
                    self.assertTrue(is_refusal(engine, ended(1, words)))
                    self.assertFalse(is_refusal(engine, ended(0, words)))
                    self.assertFalse(is_refusal(engine, ended(-9, words)))
                    self.assertFalse(is_refusal(engine, ended(None, words)))
                    late = ended(1, words, timed_out=True)
                    self.assertFalse(is_refusal(engine, late))
            for words in others:
                with self.subTest(words):
                    self.assertFalse(is_refusal(engine, ended(1, words)))

    def test_reasons_carry_no_host_path(self):
        """The last line is kept short, printable and without paths."""
        for line, words in (
            ("no file /home/林/a b/x", "no file <path>"),
            ("no file /home/lin/my report.md: denied", "no file <path>: denied"),
            ('no "/home/lin/my report.md" there', 'no "<path>" there'),
            (r"no file C:\Users\lin ng\x", "no file <path>"),
            (r"no file c:\Users\lin", "no file <path>"),
            ("no file c:/Users/lin", "no file <path>"),
            (r"no file \\srv\share\lin", "no file <path>"),
            ("no file ../home/lin", "no file <path>"),
            ("no file ~/.docker/x", "no file <path>"),
            ("in ./lin, no file", "in <path>, no file"),
            ('at unix:///run/x.sock: "why"', 'at unix:<path>: "why"'),
            ("at unix:///home/lin/sock. Why?", "at unix:<path>. Why?"),
            ('Get "http://%2Fhome%2Flin%2fsock/info": EOF', 'Get "http:<path>": EOF'),
            ("dial unix %2Fhome%2flin: refused", "dial unix <path>: refused"),
            ("/usr/bin/runc: denied\x1b[0m", "<path>: denied?[0m"),
            ("No such image: local/x:1", "No such image: local/x:1"),
            ('The name "/host-1" is in use', 'The name "/host-1" is in use'),
        ):
            with self.subTest(line):
                self.assertEqual(last_words(ended(1, f"first\n{line}\n\n")), words)
        self.assertEqual(last_words(ended(1)), "no reason given")
        self.assertEqual(len(last_words(ended(1, "x" * 1000))), 200)
        self.assertIn("in time", last_words(ended(-9, "x", timed_out=True)))

    def test_reasons_carry_no_password(self):
        """A name and a password in the URL of an engine do not come out."""
        for line in (
            "Invalid bind address format: http://u:s3cret@127.0.0.1:1",
            'Get "tcp://u:s3cret@h.test:2376/v1.24/info": EOF',
            "dial ssh://s3cret@h.test",
            "parse tcp://u:two s3cret words@h.test failed",
            "parse tcp://u:with/s3cret@h.test",
            "parse tcp://u:with@s3cret@h.test",
            "parse tcp:%2F%2fu:s3cret@h.test",
        ):
            with self.subTest(line):
                self.assertNotIn("s3cret", last_words(ended(1, line)))
        image = f"No such image: h.test/py@sha256:{'0' * 64}"
        self.assertEqual(last_words(ended(1, image)), image)


def says(text: object, code: int = 0) -> str:
    """Make the program inside end with `code` after this text, or this JSON."""
    line = text if isinstance(text, str) else json.dumps(text)
    return f"printf '%s\\n' {shlex.quote(line)}; echo {code} >code; exit {code}"


# Each command of the scripted engine is a few lines of shell, run in its folder.
# Unless a check replaces them, they behave like an engine that works: it remembers
# the container that it created, and its program says that the report has passed.
ANSWERS = {
    "info": """case $engine in
        docker) echo '{"MemoryLimit":true,"SwapLimit":true,
            "CpuCfsQuota":true,"PidsLimit":true}' ;;
        podman) echo '{"cgroupControllers":["cpu","memory","pids"]}' ;;
        esac""",
    "create": r"""printf '%s\n' "$@" >created; echo 0123456789ab""",
    "inspect": """case $* in
        *HostConfig*) cat limits.json ;;
        *) echo '{"Status":"exited","OOMKilled":false,"ExitCode":'$(cat code)'}' ;;
        esac""",
    "start": says(PASSED),
    "rm": """[ ! -e created ] || { rm created; echo "$4"; }""",
    "ps": """[ ! -e created ] || echo 0123456789ab""",
}
# The checker really runs, as a plain process, on the two files that are mounted.
CHECKS = r"""source() {
        sed -n "s|^--mount=type=bind,src=\(.*\),dst=$1,readonly$|\1|p" created
    }
    "$python" -I -S -B "$(source /checker.py)" "$(source /report.md)"
    echo $? >code; exit $(cat code)"""
KILLED = "kill -9 $$"
LOST_ANSWER = """echo 'error during connect: Post "http://x/create": EOF' >&2; exit 1"""
OUT_OF_MEMORY = """case $* in
    *HostConfig*) cat limits.json ;;
    *) echo '{"Status":"exited","OOMKilled":true,"ExitCode":0}' ;;
    esac"""


class ScriptedEngines:
    """A folder that is PATH, with a docker and a podman in it that do as told."""

    def make_engines(self, folder: str) -> None:
        """Put them there, as engines that work."""
        self.folder = Path(folder)
        for engine in ("docker", "podman"):
            program = self.folder / engine
            program.write_text(
                f"#!/bin/sh\nengine={engine} python={shlex.quote(sys.executable)}\n"
                f"cd {shlex.quote(folder)}\n"
                "printf '%s\\n' \"$@\" . >>calls\nexport -p >>variables\n. ./$1.sh\n",
                encoding="utf-8",
            )
            program.chmod(0o755)
        self.answer(**ANSWERS)
        self.record(LIMITS)

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

    def variables(self) -> set[str]:
        """The names of all variables that it has seen."""
        text = (self.folder / "variables").read_text(encoding="utf-8")
        return set(re.findall(r"^export (\w+)", text, re.MULTILINE))


needs_scripts = unittest.skipUnless(
    os.name == "posix", "Windows starts no script as a program: needs Linux, macOS"
)


@needs_scripts
class ContainerRunChecks(ScriptedEngines, unittest.TestCase):
    """From creation to proved removal, against an engine that does as told."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.make_engines(folder.name)
        path = patch.dict(os.environ, {"PATH": self.search_path()})
        path.start()
        self.addCleanup(path.stop)

    def run_container(self, *, timeout_seconds: float = 30, grace: float = 0):
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
        self.answer(start=CHECKS)
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
        self.answer(start=CHECKS)
        review = check_in_sandbox(GOOD.replace(b"## Risks", b"### Risks"))
        self.assertFalse(review.passed)
        self.assertEqual(review.missing_sections, ("Risks",))
        self.assertFalse(self.holds_a_container())

    def test_what_is_no_report_has_no_verdict(self):
        """The checker's "could not be checked" is neither yes nor no."""
        self.answer(start=CHECKS)
        with self.assertRaisesRegex(ReportCheckError, "not UTF-8"):
            check_in_sandbox(b"\xff")
        self.assertFalse(self.holds_a_container())
        with self.assertRaisesRegex(ReportCheckError, "over 65536 bytes"):
            check_in_sandbox(b"x" * 65_537)

    def test_the_container_sees_private_copies(self):
        """Both mounts are files of a closed folder that is gone afterwards."""
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
        """What chooses the engine arrives, a secret and everything else does not."""
        names = {
            *("HOME", "USERPROFILE", "PATH"),
            *("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR"),
            *("DOCKER_CERT_PATH", "DOCKER_CONFIG", "DOCKER_CONTEXT", "DOCKER_HOST"),
            *("DOCKER_TLS", "DOCKER_TLS_VERIFY"),
            *("CONTAINER_CONNECTION", "CONTAINER_HOST"),
            *("CONTAINERS_CONF", "CONTAINERS_STORAGE_CONF"),
        }
        planted = dict.fromkeys(names - {"PATH"}, "x")
        others = {"SECRET": "s", "HTTP_PROXY": "p", "DOCKER_BUILDKIT": "1"}
        with patch.dict(os.environ, planted | others):
            check_in_sandbox(GOOD)
        # The runner adds the first two, the shell the others.
        by_others = {"LANG", "PYTHONUTF8", "OLDPWD", "PWD", "SHLVL", "_"}
        self.assertEqual(self.variables() - by_others, names)

    def test_a_variable_that_is_no_text_is_named(self):
        """A byte that is no UTF-8 is refused with the name of its variable."""
        with (
            patch.dict(os.environ, {"HOME": "/home/\udcff"}),
            self.assertRaisesRegex(NotRun, "variable HOME is not UTF-8$"),
        ):
            check_in_sandbox(GOOD)
        self.assertEqual(self.calls(), [])

    def test_without_an_engine_nothing_runs(self):
        """A missing engine is an error, not a reason to use the local Python."""
        with (
            patch.dict(os.environ, {"PATH": ""}),
            self.assertRaisesRegex(NotRun, "docker is not installed"),
        ):
            check_in_sandbox(GOOD)

    def test_the_gate_stands_before_creation(self):
        """An engine that would drop a limit is asked, and asked for nothing more."""
        self.answer(info="""echo '{"MemoryLimit":true,"CpuCfsQuota":true}'""")
        with self.assertRaisesRegex(NotRun, "drop a limit here: swap, pids$"):
            check_in_sandbox(GOOD)
        self.assertEqual(self.commands(), ["info"])

    def test_each_limit_is_required(self):
        """Every limit that docker cannot set, or does not tell about, is missing."""
        words = {
            "memory": "MemoryLimit",
            "swap": "SwapLimit",
            "cpu": "CpuCfsQuota",
            "pids": "PidsLimit",
        }
        full = dict.fromkeys(words.values(), True)
        with AgentWorkspace.temporary() as workspace:
            cli = EngineCLI("docker", workspace)
            self.assertEqual(cli.require_limits(), ())
            for limit, word in words.items():
                for value in (False, None):
                    answer = json.dumps({**full, word: value})
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

    def test_a_missing_daemon_is_said(self):
        """The reason is docker's own, whether its client ends with 0 or with 1."""
        reason = "Cannot connect to the Docker daemon at unix:///home/lin/sock. Why?"
        in_answer = f"echo '{json.dumps({'ServerErrors': [reason]})}'"
        on_stderr = f"echo '{reason}' >&2; exit 1"
        told = r"^docker does not answer: Cannot connect .* at unix:<path>\. Why\?$"
        with AgentWorkspace.temporary() as workspace:
            cli = EngineCLI("docker", workspace)
            for script in (in_answer, on_stderr):
                self.answer(info=script)
                with self.subTest(script):
                    self.assertRaisesRegex(NotRun, told, cli.require_limits)

    def test_podman_is_asked_for_its_controllers(self):
        """What podman tells is required, and what it cannot tell is named."""
        with AgentWorkspace.temporary() as workspace:
            cli = EngineCLI("podman", workspace)
            self.assertEqual(cli.require_limits(), ("swap",))
            for controllers in (["memory", "pids"], None, []):
                answer = json.dumps({"cgroupControllers": controllers})
                self.answer(info=f"echo '{answer}'")
                with self.subTest(answer):
                    self.assertRaisesRegex(NotRun, "cpu", cli.require_limits)

    def test_podmans_gap_is_part_of_the_review(self):
        """A verdict from podman says that no limit of swap was proved."""
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
        said = "Error response from daemon: No such image: python:3.12-slim"
        self.answer(create=f"echo {said} >&2; exit 1")
        with self.assertRaisesRegex(NotRun, "No such image: .* never pulled"):
            check_in_sandbox(GOOD)
        self.assertEqual(self.commands(), ["info", "create"])

    def test_a_refused_name_is_not_touched(self):
        """A container that had the name before is not ours to remove."""
        said = 'Error response from daemon: Conflict. The name "/x" is in use'
        (self.folder / "created").touch()
        self.answer(create=f"echo '{said}' >&2; exit 1")
        with self.assertRaisesRegex(NotRun, 'The name "/x" is in use$'):
            self.run_container()
        self.assertEqual(self.commands(), ["create"])
        self.assertTrue(self.holds_a_container())

    def test_one_context_is_one_container(self):
        """A second run asks for nothing, and the first one's container is removed."""
        with AgentWorkspace.temporary() as workspace:
            cli = EngineCLI("docker", workspace)
            with (
                self.assertRaisesRegex(NotRun, "needs its own"),
                Container(cli, "host-first-1") as container,
            ):
                for _ in range(2):
                    container.run(["create"], LIMITS, timeout_seconds=30)
        once = ["create", "inspect", "start", "inspect", "rm", "ps"]
        self.assertEqual(self.commands(), once)
        self.assertFalse(self.holds_a_container())

    def test_a_deadline_that_is_none_creates_nothing(self):
        """A wrong number of seconds is refused before the engine is asked."""
        for seconds in (0, -1, float("nan"), True, 10**9):
            with self.subTest(seconds), self.assertRaises(CommandRefused):
                self.run_container(timeout_seconds=seconds)
        self.assertEqual(self.calls(), [])

    def test_125_is_not_a_verdict(self):
        """The engine's own failure stays one, even beside a perfect answer."""
        self.answer(start=says(PASSED, code=125))
        self.assertRaises(NotRun, check_in_sandbox, GOOD)
        self.assertFalse(self.holds_a_container())

    def test_another_program_is_not_a_verdict(self):
        """An image whose Python does not start has run, and our checker has not."""
        self.answer(start=f"echo exec python failed >&2; {says('', code=1)}")
        self.assertRaisesRegex(NotRun, "python failed$", check_in_sandbox, GOOD)
        self.assertFalse(self.holds_a_container())

    def test_a_killed_program_has_no_verdict(self):
        """An exit with 0 and good JSON is not believed when the limit was hit."""
        self.answer(inspect=OUT_OF_MEMORY)
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
        for lost in (KILLED, LOST_ANSWER):
            (self.folder / "calls").unlink(missing_ok=True)
            (self.folder / "seen").unlink(missing_ok=True)
            self.answer(create=lost, ps=listing)
            with self.subTest(lost), self.assertRaises(NotRun) as caught:
                self.run_container(grace=10)
            self.assertIn("created no container", str(caught.exception))
            self.assertNotIn("pulled", str(caught.exception))
            self.assertEqual(self.commands(), ["create", "rm", "ps", "rm", "ps"])
            self.assertFalse(self.holds_a_container())

    def test_a_creation_in_flight_is_said(self):
        """An empty listing proves nothing while the creation may still arrive."""
        told = "create it is not answered; .* docker rm --force host-first-1$"
        for script in (KILLED, "exit 1", LOST_ANSWER):
            self.answer(create=script)
            with self.subTest(script), self.assertRaisesRegex(LeftBehind, told):
                self.run_container()

    def test_a_creation_has_a_deadline_too(self):
        """An engine that hangs in creation is given up, and the name is said."""
        self.answer(create="echo wait >&2; exec sleep 60")
        hurry = patch("container_run.CREATE_SECONDS", 0.1)
        with hurry, self.assertRaisesRegex(LeftBehind, "not end in time.*first-1$"):
            self.run_container()

    def test_an_interrupted_creation_is_in_flight(self):
        """A Host that is ended during creation names what may still appear."""
        self.answer(create="kill -ALRM $PPID; exec sleep 60")
        previous = signal.signal(signal.SIGALRM, lambda *_: sys.exit("ended"))
        self.addCleanup(signal.signal, signal.SIGALRM, previous)
        with self.assertRaisesRegex(LeftBehind, "^the request .*first-1$") as caught:
            self.run_container()
        self.assertIsInstance(caught.exception.__cause__, SystemExit)

    def interrupt_twice(self, number: signal.Signals, grace: float, rm: str) -> None:
        """Send a signal during the run and again during the removal."""
        name = number.name.removeprefix("SIG")
        self.answer(start=f"kill -{name} $PPID; exec sleep 60")
        self.answer(rm=f"kill -{name} $PPID; {rm}")
        self.run_container(grace=grace)

    def test_a_second_interrupt_waits_for_the_removal(self):
        """Ctrl-C again, or SIGTERM again, is heard when the container is gone."""
        kinds = {signal.SIGINT: KeyboardInterrupt, signal.SIGTERM: SystemExit}
        for number, raised in kinds.items():
            self.handle(number, raised)
            with self.subTest(number.name), self.assertRaises(raised):
                self.interrupt_twice(number, 10, ANSWERS["rm"])
            self.assertEqual(self.commands()[-3:], ["start", "rm", "ps"])
            self.assertFalse(self.holds_a_container())

    def test_a_second_interrupt_does_not_hide_what_is_left(self):
        """When the removal fails, the name is said in the place of the signal."""
        self.handle(signal.SIGINT, SystemExit)
        with self.assertRaisesRegex(LeftBehind, "^docker rm failed: .*first-1$"):
            self.interrupt_twice(signal.SIGINT, 0, "exit 1")
        self.assertEqual(self.commands()[-3:], ["start", "rm", "ps"])

    def handle(self, number: signal.Signals, raised: type[BaseException]) -> None:
        """Let the signal raise that, until the end of the check."""

        def interrupt(*_: object) -> None:
            raise raised

        self.addCleanup(signal.signal, number, signal.signal(number, interrupt))

    def test_removal_is_proved_not_assumed(self):
        """A container that stays after a successful `rm` is named, whatever it said."""
        self.answer(rm='echo "$4"')
        with self.assertRaisesRegex(LeftBehind, "^it is listed; ") as caught:
            self.run_container()
        self.assertEqual(caught.exception.name, "host-first-1")

    def test_a_failed_removal_says_why(self):
        """The engine's own reason for not removing it is part of the message."""
        self.answer(rm="echo permission denied >&2; exit 1")
        told = "^docker rm failed: permission denied; a container may be left"
        self.assertRaisesRegex(LeftBehind, told, self.run_container)

    def test_removal_is_tried_again(self):
        """An `rm` that fails once is not the end."""
        again = ANSWERS["rm"]
        self.answer(rm=f"[ -e once ] || {{ >once; exit 1; }}; {again}")
        self.assertEqual(self.run_container(grace=10).returncode, 0)
        self.assertEqual(self.commands()[-4:], ["rm", "ps", "rm", "ps"])

    def test_no_listing_is_no_proof(self):
        """An engine that cannot list has not shown that the container is gone."""
        self.answer(ps="exit 1")
        self.assertRaisesRegex(LeftBehind, "^docker ps failed: ", self.run_container)

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


class ReadReportChecks(unittest.TestCase):
    """A report that the Host's user names is read once, or refused at once."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_a_report_is_read_as_it_is(self):
        """All bytes, and of a file that is too long enough to see that it is."""
        file = self.folder / "报告, 2.md"
        for size in (0, 65_536, 65_537):
            file.write_bytes(b"\r\n"[: size % 3] + b"x" * (size - size % 3))
            self.assertEqual(read_report(file), file.read_bytes())
        file.write_bytes(b"x" * 70_000)
        self.assertEqual(len(read_report(file)), 65_537)

    def test_what_is_no_file_is_refused(self):
        """A path that leads to nothing readable is said without the path."""
        self.expect_refusals("none.md", "x" * 300, "", "none/x.md")

    @unittest.skipUnless(hasattr(os, "mkfifo"), "needs FIFOs: Linux, macOS")
    def test_nothing_is_waited_for(self):
        """A FIFO without a writer, a device and a loop of links are refused too."""

        def too_late(*_: object) -> None:
            raise AssertionError("it waits for somebody who writes")

        os.mkfifo(self.folder / "fifo.md")
        (self.folder / "loop.md").symlink_to("loop.md")
        before = signal.signal(signal.SIGALRM, too_late)
        self.addCleanup(signal.signal, signal.SIGALRM, before)
        self.addCleanup(signal.setitimer, signal.ITIMER_REAL, 0)
        signal.setitimer(signal.ITIMER_REAL, 5)
        self.expect_refusals("fifo.md", "loop.md", "/dev/null")

    def expect_refusals(self, *names: str) -> None:
        for name in names:
            refused = self.assertRaisesRegex(ReportCheckError, "^the report (is|cann)")
            with self.subTest(name[:20]), refused as caught:
                read_report(self.folder / name)
            self.assertNotIn(str(self.folder), str(caught.exception))


def run_demos() -> SimpleNamespace:
    """`sandbox_demo.py` in all its ways, with engines that do as told."""
    with tempfile.TemporaryDirectory() as folder:
        engines = ScriptedEngines()
        engines.make_engines(folder)
        temporary = Path(folder, "temporary")
        temporary.mkdir()
        run = functools.partial(
            run_script,
            "sandbox_demo.py",
            path=engines.search_path(),
            temporary=str(temporary),
        )
        printed = run("--report", "any.md")
        calls = engines.calls()
        engines.answer(start=CHECKS)
        bad, broken = Path(folder, "报告, 2.md"), Path(folder, "3.md")
        bad.write_bytes(b"## Risks\n\nmany\n")
        broken.write_bytes(b"```\n")
        outcomes = [
            (code, reason, run("--run", *arguments))
            for code, reason, arguments in (
                (0, "", ("--engine", "podman")),
                (2, "", ("--report", str(bad))),
                (3, "the report could not be checked: ", ("--report", str(broken))),
                (4, "no verdict: that is not ", ("--image=--privileged",)),
                (4, "no verdict: unrecognized ", ("--no-such-option",)),
            )
        ]
        demo = script_command("sandbox_demo.py", "--run")
        full = subprocess.run(
            ["sh", "-c", 'ulimit -f 0; exec "$@"', "sh", *demo],
            env={**script_environment(None), "PATH": engines.search_path()},
            capture_output=True,
            encoding="utf-8",
            timeout=60,
        )
        outcomes.append((4, "no verdict: ", full))
        # A closed terminal becomes a SIGTERM. Under nohup it is ignored.
        ignored = signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
        name = "TERM" if ignored else "HUP"
        engines.answer(start=f"kill -{name} $PPID; exec sleep 9")
        before = len(engines.calls())
        ended = run("--run")
        return SimpleNamespace(
            folder=folder,
            printed=printed,
            calls=calls,
            outcomes=outcomes,
            ended=ended,
            commands=engines.commands()[before:],
            left=list(temporary.iterdir()),
        )


DEMOS = Beside(run_demos)


@needs_scripts
class SandboxDemoChecks(unittest.TestCase):
    """The demo, as a reader runs it."""

    def test_by_default_it_only_prints(self):
        """The profile is printed at 80 columns, every flag with its reason."""
        printed = DEMOS.result().printed
        self.assertEqual(printed.returncode, 0, printed.stderr)
        lines = printed.stdout.splitlines()
        self.assertEqual(lines[:2], ["PROFILE ONLY", "docker create"])
        self.assertLessEqual(max(map(len, lines)), 80)
        words = " ".join(printed.stdout.split())
        for flag in profile(name="host-first-0").flags()[:-2]:
            self.assertIn(f"{flag.option} {flag.reason}", words)
        self.assertEqual(DEMOS.result().calls, [])

    def test_it_ends_with_the_kind_of_outcome(self):
        """0 passed, 2 said no, 3 could not be checked, 4 no verdict, each with why."""
        for code, reason, done in DEMOS.result().outcomes:
            with self.subTest(code, arguments=done.args[3:]):
                self.assertEqual(done.returncode, code, done.stderr)
                reasons = done.stderr.splitlines()
                self.assertEqual(len(reasons), 0 if code in (0, 2) else 1, reasons)
                for line in reasons:
                    self.assertTrue(line.startswith(f"sandbox_demo.py: {reason}"), line)
                self.assertNotIn(DEMOS.result().folder, done.stderr)

    def test_a_verdict_comes_with_what_is_not_proved(self):
        """What podman does not tell about its limits is printed with the verdict."""
        _, _, passed = DEMOS.result().outcomes[0]
        lines = passed.stdout.splitlines()
        self.assertEqual(lines[0], "passed in the container: True")
        self.assertIn("not proved: a limit of swap", lines)

    def test_a_signal_ends_it_in_order(self):
        """A terminal that is closed, or SIGTERM: container and copies are removed."""
        done = DEMOS.result().ended
        self.assertEqual((done.returncode, done.stdout, done.stderr), (143, "", ""))
        wanted = ["info", "create", "inspect", "start", "rm", "ps"]
        self.assertEqual(DEMOS.result().commands, wanted)
        self.assertEqual(DEMOS.result().left, [])
