"""Checks of the executors. What a real container does, the interop tests show."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path
from unittest.mock import patch

from container_executor import ContainerExecutor, started_container
from executors import (
    ExecutorError,
    FencedExecutor,
    LocalExecutor,
    SimulatedExecutor,
    complaint,
    second_shell,
)
from process_check_support import (
    CODE,
    NO_POSIX,
    file_name,
    link_programs,
    new_mark,
    processes_with,
    search_path,
    wait_until,
    why_no_fence,
    words_of,
    write_program,
)
from twoshell_guard import Execution, fingerprint

__all__ = [
    "ContainerExecutorChecks",
    "FencedExecutorChecks",
    "LocalExecutorChecks",
    "SecondShellChecks",
    "StartedContainerChecks",
]

SECONDS = 20.0
WHY_NO_FENCE = why_no_fence() if os.name == "posix" else NO_POSIX


class InFolder(unittest.TestCase):
    """Each check has a folder of its own, in a place that is awkward to quote."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix=file_name("two shells 两个 "))
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name).resolve()

    def shell(self, executor, command, *arguments, seconds=SECONDS):
        """Run a line of shell; its arguments are $1 and so on."""
        argv = ["sh", "-c", command, "sh", *map(str, arguments)]
        return executor.run(argv, seconds)


@unittest.skipUnless(os.name == "posix", NO_POSIX)
class LocalExecutorChecks(InFolder):
    """This shell, with the real home or another one."""

    def test_it_runs_a_program(self):
        """Exit code, stdout and stderr come back as they were."""
        done = self.shell(LocalExecutor(), "echo out; echo err >&2; exit 3")
        expected = (3, b"out\n", b"err\n", False)
        self.assertEqual(
            (done.returncode, done.stdout, done.stderr, done.timed_out), expected
        )

    def test_home_is_what_it_was_given(self):
        """With a home its commands have that one, and without it the real one."""
        command = 'printf %s "$HOME"'
        with patch.dict(os.environ, {"HOME": "/a real home"}):
            own = self.shell(LocalExecutor(self.folder), command)
            real = self.shell(LocalExecutor(), command)
        self.assertEqual(own.stdout.decode(), words_of(self.folder))
        self.assertEqual(real.stdout, b"/a real home")

    def test_a_home_is_found_in_any_locale(self):
        """Where Python itself writes ASCII, a home with a Chinese name is one too."""
        (self.folder / file_name("林") / "mnt" / "Workspace").mkdir(parents=True)
        home = words_of(self.folder / file_name("林"))
        link_programs(self.folder, "sh", "uname")
        program = (
            "import os; from pathlib import Path; from executors import LocalExecutor\n"
            "from twoshell_guard import fingerprint\n"
            f"for home in ({home!a}, os.fsdecode({home!a}.encode())):\n"
            "    print(ascii(fingerprint(LocalExecutor(Path(home)))['workspace']))"
        )
        ascii_only = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
        done = subprocess.run(
            [sys.executable, "-S", "-c", program],
            env={**os.environ, **ascii_only, "PATH": str(self.folder)},
            cwd=CODE,
            capture_output=True,
            encoding="utf-8",
            timeout=60,
        )
        workspace = ascii(f"{home}/mnt/Workspace")
        self.assertEqual((done.stdout, done.stderr), (f"{workspace}\n" * 2, ""))

    def test_other_variables_stay(self):
        """Another home changes or takes away no other variable."""
        with patch.dict(os.environ, {"PLANTED": "here"}):
            own = self.shell(LocalExecutor(self.folder), "exec env").stdout
            real = self.shell(LocalExecutor(), "exec env").stdout
        own, real = (set(text.decode().splitlines()) for text in (own, real))
        self.assertIn("PLANTED=here", real)
        self.assertEqual(own - real, {f"HOME={words_of(self.folder)}"} - real)
        # Where a terminal is, readline sets two variables behind Python's back.
        changed = {line.partition("=")[0] for line in real - own}
        self.assertLessEqual(changed, {"HOME", "LINES", "COLUMNS"})

    def test_the_deadline_is_passed_on(self):
        """A command that does not end is ended, and the result says so."""
        done = self.shell(LocalExecutor(self.folder), "sleep 60", seconds=0.1)
        self.assertTrue(done.timed_out)


@unittest.skipUnless(os.name == "posix", NO_POSIX)
class SecondShellChecks(InFolder):
    """Which second shell a machine has, found by trying it."""

    def second_shell(self, *script):
        """What is chosen where `bwrap` is this script, or is missing."""
        if script:
            write_program(self.folder, "bwrap", *script)
        with search_path(self.folder, only=True):
            return second_shell(self.folder)

    def test_without_bubblewrap_it_is_simulated(self):
        """Where bubblewrap is missing, the shell says simulated and what to install."""
        shell = self.second_shell()
        self.assertIsInstance(shell, SimulatedExecutor)
        self.assertEqual(shell.name, "simulated")
        self.assertIn("apt-get install bubblewrap", shell.reason)

    def test_bubblewrap_that_cannot_run_is_no_fence(self):
        """Where bubblewrap is there and fails, the reason quotes what it said."""
        complaint = "bwrap: setting up uid map: Permission denied"
        shell = self.second_shell(f"echo '{complaint}' >&2", "exit 1")
        self.assertEqual(shell.name, "simulated")
        self.assertIn("makes no fence here", shell.reason)
        self.assertIn(complaint, shell.reason)

    def test_bubblewrap_that_runs_nothing_is_no_fence(self):
        """An exit code of 0 alone is not taken for a fence."""
        self.assertEqual(self.second_shell("exit 0").name, "simulated")

    def test_a_reason_is_one_printable_line(self):
        """What a failing program says becomes one short line without controls."""
        shell = self.second_shell(
            "printf 'first\\nsecond \\033[31m\\377%0900d' 7 >&2; exit 1"
        )
        self.assertRegex(shell.reason, r"\A[ -~]{1,300}\Z")
        self.assertIn("first second", shell.reason)

    def test_a_program_that_took_too_long_is_said_to_have(self):
        """Of what was stopped at its deadline the reason is that, not its words."""
        words = (-9, b"", b"loading")
        self.assertEqual(complaint(Execution(*words, True)), "it did not end in time")
        self.assertEqual(complaint(Execution(*words)), "loading")

    def test_a_program_is_kept_by_its_whole_path(self):
        """Found by a relative search path, it is the same from another folder."""
        pass_on = 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"'
        write_program(self.folder, "bwrap", pass_on)
        write_program(self.folder, "docker", "echo 0123abc true")
        self.addCleanup(os.chdir, Path.cwd())
        os.chdir(self.folder)
        with search_path(Path(), only=True):
            executors = FencedExecutor(), ContainerExecutor("docker", "box")
        os.chdir("/")
        for executor, said in zip(executors, (b"hi\n", b"0123abc true\n"), strict=True):
            self.assertEqual(executor.run(["echo", "hi"], SECONDS).stdout[-14:], said)

    def test_the_simulated_shell_finds_no_workspace(self):
        """With an empty home the workspace is not found, and with a full one it is."""
        if list(Path("/").glob("sessions/*/mnt/Workspace")):
            self.skipTest("/sessions has a workspace, which a simulation does not hide")
        simulated = self.second_shell()
        link_programs(self.folder, "sh", "uname")
        workspace = self.folder / "home" / "mnt" / "Workspace"
        workspace.mkdir(parents=True)
        # Also where the real home has one.
        real = patch.dict(os.environ, {"HOME": str(self.folder / "home")})
        with search_path(self.folder, only=True), real:
            self.assertIsNone(fingerprint(simulated)["workspace"])
            found = fingerprint(LocalExecutor())["workspace"]
        self.assertEqual(found, words_of(workspace))

    @unittest.skipIf(WHY_NO_FENCE, WHY_NO_FENCE)
    def test_with_bubblewrap_it_is_a_fence(self):
        """Where bubblewrap works, the second shell is a real one."""
        self.assertIsInstance(second_shell(self.folder), FencedExecutor)


@unittest.skipIf(WHY_NO_FENCE, WHY_NO_FENCE)
class FencedExecutorChecks(InFolder):
    """What a command meets in the fence, and what the same one meets outside."""

    @classmethod
    def setUpClass(cls):
        cls.fence, cls.local = FencedExecutor(), LocalExecutor()

    def both(self, command, *arguments):
        """What a line of shell prints outside and inside."""
        return tuple(
            self.shell(executor, command, *arguments).stdout.decode()
            for executor in (self.local, self.fence)
        )

    def test_the_workspace_is_not_there(self):
        """A file of the workspace is read outside, and is not there inside."""
        notes = self.folder / "notes.txt"
        notes.write_text("canary", encoding="utf-8")
        self.assertEqual(self.both('cat "$1" || echo none', notes)[0], "canary")
        self.assertEqual(self.both('cat "$1" || echo none', notes)[1], "none\n")

    def test_no_folder_of_the_user_is_there(self):
        """Neither /etc, nor /root, nor /home, nor this course is there inside."""
        places = ("/etc", "/root", "/home", CODE)
        command = 'for place; do if [ -e "$place" ]; then echo "$place"; fi; done'
        outside, inside = self.both(command, *places)
        self.assertIn("/etc\n", outside)
        self.assertIn(f"{CODE}\n", outside)
        self.assertEqual(inside, "")

    def test_the_host_has_its_own_name(self):
        """The fence's host name is another than this computer's."""
        outside, inside = self.both("uname -n")
        self.assertEqual(outside.strip(), socket.gethostname())
        self.assertEqual(inside, "cloud-side\n")

    def test_tmp_is_its_own(self):
        """What a command leaves in /tmp is seen neither outside nor by the next one."""
        name = f"/tmp/two-shells-{secrets.token_hex(8)}"
        self.addCleanup(Path(name).unlink, missing_ok=True)
        made = self.shell(self.fence, 'echo inside > "$1"; cat "$1"', name)
        self.assertEqual(made.stdout, b"inside\n")
        self.assertFalse(Path(name).exists())
        self.assertEqual(self.shell(self.fence, 'cat "$1"', name).returncode, 1)
        Path(name).write_text("outside", encoding="utf-8")
        self.assertEqual(self.both('cat "$1"', name), ("outside", ""))

    def test_home_is_empty_and_can_be_written(self):
        """The fence has an empty home of its own, in which a command starts."""
        command = 'ls -A "$HOME"; : > "$HOME/made"; ls -A'
        self.assertEqual(self.shell(self.fence, command).stdout, b"made\n")

    def test_the_system_cannot_be_written(self):
        """Nothing can be made in /usr, nor beside it, whoever the Host runs as."""
        name = f"two-shells-{secrets.token_hex(8)}"
        for folder in ("/usr", "/"):
            done = self.shell(self.fence, ': > "$1"', f"{folder}/{name}")
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(b"Read-only", done.stderr)
        for folder in ("/tmp", "/dev/shm"):
            done = self.shell(self.fence, ': > "$1"; echo made', f"{folder}/{name}")
            self.assertEqual(done.stdout, b"made\n")

    def test_no_capability_is_left(self):
        """A command has no capability inside, also when root started the Host."""
        command = "sed -n 's/^Cap\\(Eff\\|Prm\\|Bnd\\):.0*$/\\1/p' /proc/self/status"
        self.assertEqual(self.both(command)[1], "Prm\nEff\nBnd\n")

    def test_the_environment_is_built_from_nothing(self):
        """A variable of the Host is seen outside; inside it is in no process."""
        command = "env; tr '\\0' '\\n' < /proc/1/environ 2>/dev/null"
        with patch.dict(os.environ, {"PLANTED": secrets.token_hex(8)}):
            outside, inside = self.both(command)
            self.assertIn(os.environ["PLANTED"], outside)
            self.assertNotIn(os.environ["PLANTED"], inside)
        names = {line.partition("=")[0] for line in inside.splitlines()}
        self.assertLessEqual({"HOME", "PATH", "LANG"}, names)
        self.assertLessEqual(
            names, {"HOME", "PATH", "LANG", "PWD", "OLDPWD", "SHLVL", "_"}
        )

    def test_processes_outside_are_not_seen(self):
        """This process is seen outside, and inside there is no such number."""
        command = 'kill -0 "$1" && echo seen'
        # A high number, so that no process inside has it by chance.
        with subprocess.Popen([sys.executable, "-c", "input()"], stdin=-1) as other:
            try:
                outside, inside = self.both(command, other.pid)
            finally:
                other.kill()
        self.assertEqual((outside, inside), ("seen\n", ""))

    @unittest.skipUnless(shutil.which("bash"), "needs bash, which can connect")
    def test_there_is_no_network(self):
        """A listener on this computer is reached outside, and not from inside."""
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
            command = 'bash -c ": < /dev/tcp/127.0.0.1/$1" && echo connected'
            self.assertEqual(self.both(command, port), ("connected\n", ""))
        interfaces = "sed -n 's/^ *\\([^ ]*\\):.*/\\1/p' /proc/net/dev"
        self.assertEqual(self.both(interfaces)[1], "lo\n")

    # Leaves a shell with the mark and its child, in a session of their own.
    LEAVE = 'setsid sh -c "sleep 300; :" "$1" & kill -0 $! && echo running; '

    def test_the_deadline_ends_all_that_was_started(self):
        """At the deadline a descendant ends too that left session and group."""
        mark = new_mark(self)
        done = self.shell(self.fence, f"{self.LEAVE} sleep 300", mark, seconds=0.7)
        self.assertEqual((done.stdout, done.timed_out), (b"running\n", True))
        self.assertTrue(wait_until(lambda: not processes_with(mark)))

    def test_the_end_of_a_command_ends_all_that_was_started(self):
        """With the command ends what it left in the background, session or not."""
        mark = new_mark(self)
        done = self.shell(self.fence, f"{self.LEAVE} exit 0", mark)
        self.assertEqual((done.returncode, done.stdout), (0, b"running\n"))
        self.assertFalse(done.timed_out)
        self.assertTrue(wait_until(lambda: not processes_with(mark)))

    def test_it_ends_with_the_host(self):
        """When the Host is killed, what runs in the fence ends."""
        mark = new_mark(self)
        program = (
            "import sys; sys.path.insert(0, sys.argv[1])\n"
            "from executors import FencedExecutor\n"
            "FencedExecutor().run(['sh', '-c', 'sleep 300; :', sys.argv[2]], 60)"
        )
        command = [sys.executable, "-c", program, str(CODE), mark]
        with subprocess.Popen(command) as host:

            def inside():
                return set(processes_with(mark)) - {host.pid}

            # bubblewrap has the mark too: twice it, and the shell.
            self.assertTrue(wait_until(lambda: len(inside()) >= 3))
            host.send_signal(signal.SIGKILL)
        self.assertTrue(wait_until(lambda: not inside(), 10))


# A stand-in for an engine: notes what it is asked, and runs what `exec` is given,
# but never a kill, which would be one of this whole computer.
ENGINE = r"""
log="${0%/*}/log"; printf '%s|' "$@" >> "$log"; echo >> "$log"
case "$1" in
exec)
    shift 2
    case "$*" in *kill*) END; exit ;; esac
    exec "$@" ;;
inspect) INSPECT ;;
run) RUN ;;
ps) PS ;;
esac
"""


class WithEngine(InFolder):
    """A folder in which `docker` is the stand-in."""

    def engine(self, end="echo ended", run=":", ps=":", inspect='echo "0123abc true "'):
        """Put the stand-in there, with what it answers."""
        script = ENGINE.replace("END;", f"{end};")
        for name, answer in (("RUN", run), ("PS", ps), ("INSPECT", inspect)):
            script = script.replace(f"{name} ;;", f"{answer} ;;")
        write_program(self.folder, "docker", script)

    def asked(self):
        """The engine's command lines after its look at the container, in words."""
        text = (self.folder / "log").read_text(encoding="utf-8")
        lines = [line.split("|")[:-1] for line in text.splitlines()]
        return [words for words in lines if words[0] != "inspect"]

    def container(self):
        """An executor that uses the stand-in."""
        with search_path(self.folder):
            return ContainerExecutor("docker", "box")


@unittest.skipUnless(os.name == "posix", NO_POSIX)
class ContainerExecutorChecks(WithEngine):
    """Commands through an engine's `exec`, with a stand-in for the engine."""

    def test_a_command_goes_through_exec(self):
        """Every word of a command arrives as it was, and so does its result."""
        self.engine()
        argv = ["printf", "%s.", "two words", "$HOME", "--user=0", ""]
        done = self.container().run(argv, SECONDS)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertEqual(done.stdout, b"two words.$HOME.--user=0..")
        self.assertEqual(self.asked()[0], ["exec", "0123abc", *argv])

    def test_what_is_left_is_ended_after_each_command(self):
        """After a success, a failure and a time-out everything inside is ended."""
        self.engine()
        container = self.container()
        for command, seconds in (("true", SECONDS), ("false", SECONDS)):
            container.run([command], seconds)
        self.assertTrue(container.run(["sleep", "60"], 0.2).timed_out)
        end = ["exec", "0123abc", "sh", "-c", "kill -9 -1; echo ended"]
        self.assertEqual(self.asked()[1::2], [end] * 3)

    def test_an_unconfirmed_end_is_a_failure(self):
        """When ending is not confirmed, a success is not one, and stderr says why."""
        self.engine(end="echo no such container >&2; exit 1")
        done = self.container().run(["echo", "fine"], SECONDS)
        self.assertEqual(done.returncode, 125)
        self.assertIn(b"not confirmed", done.stderr)
        self.assertIn(b"no such container", done.stderr)

    def test_an_interrupt_ends_what_runs_inside(self):
        """Ctrl-C while a command runs ends it inside, and goes on as Ctrl-C."""
        self.engine()
        container = self.container()

        def interrupt():
            log = self.folder / "log"
            wait_until(lambda: log.exists() and "sleep|" in log.read_text("utf-8"))
            signal.raise_signal(signal.SIGINT)

        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, before)
        sender = threading.Thread(target=interrupt)
        sender.start()
        with self.assertRaises(KeyboardInterrupt):
            container.run(["sleep", "60"], SECONDS)
        sender.join()
        self.assertEqual(self.asked()[-1][-1], "kill -9 -1; echo ended")

    def test_only_a_container_of_its_own_is_taken(self):
        """Where ending everything would end processes of others, none is taken."""
        for identity, words in (
            ("0123abc true host", "shares its processes"),
            ("0123abc true container:4567def", "shares its processes"),
            ("0123abc false private", "does not run"),
        ):
            self.engine(inspect=f"echo '{identity}'")
            with self.assertRaisesRegex(ExecutorError, words):
                self.container()
        says_no = "echo No such object >&2"
        for answer in (
            says_no,
            f"{says_no}; exit 1",
            f"echo 0 true; {says_no}; exit 1",
        ):
            self.engine(inspect=answer)
            with self.assertRaisesRegex(ExecutorError, "No such object"):
                self.container()
        for identity in ("0123abc true", "0123abc true private"):
            self.engine(inspect=f"echo '{identity}'")
            self.assertEqual(self.container().run(["true"], SECONDS).returncode, 0)

    def test_only_names_of_containers_are_taken(self):
        """What would be an option, or several words, is refused before anything."""
        self.engine()
        with search_path(self.folder):
            for name in ("--privileged", "two words", "", "box\n", "../box"):
                with self.subTest(name), self.assertRaises(ExecutorError):
                    ContainerExecutor("docker", name)
            ContainerExecutor("docker", "my_box-1.2")

    def test_only_engines_are_taken(self):
        """Another program is no engine, and a missing engine is said to be missing."""
        write_program(self.folder, "sudo", "exit 0")
        with search_path(self.folder, only=True):
            with self.assertRaisesRegex(ExecutorError, "docker or podman"):
                ContainerExecutor("sudo", "box")
            with self.assertRaisesRegex(ExecutorError, "podman is not installed"):
                ContainerExecutor("podman", "box")


@unittest.skipUnless(os.name == "posix", NO_POSIX)
class StartedContainerChecks(WithEngine):
    """A container's life cycle, with a stand-in for the engine."""

    def start(self, image="local/image:1"):
        """The context manager, on the stand-in."""
        path = search_path(self.folder)
        path.__enter__()
        self.addCleanup(path.__exit__, None, None, None)
        return started_container("docker", image)

    def test_it_is_restricted_and_removed(self):
        """It starts without network and capabilities, and is removed by its name."""
        self.engine()
        with self.start() as container:
            self.assertEqual(container.run(["echo", "hi"], SECONDS).stdout, b"hi\n")
        started, *_, removed, listed = self.asked()
        for option in (
            "--pull=never",
            "--network=none",
            "--cap-drop=ALL",
            "--security-opt=no-new-privileges",
            # By which one is found that a killed Host left behind.
            "--label=host-first=two-shells",
            "--stop-signal=KILL",
        ):
            self.assertIn(option, started)
        self.assertLess(started.index("--network=none"), started.index("local/image:1"))
        (name,) = (word[7:] for word in started if word.startswith("--name="))
        self.assertEqual(removed, ["rm", "--force", "--volumes", name])
        self.assertIn(f"--filter=name=^{name}$", listed)

    def test_it_is_removed_after_an_error(self):
        """An error in between goes through, after the container is removed."""
        self.engine()
        with self.assertRaises(ZeroDivisionError), self.start():
            raise ZeroDivisionError
        self.assertEqual([words[0] for words in self.asked()], ["run", "rm", "ps"])

    def test_a_refused_start_is_an_error(self):
        """When it does not start, the engine's reason is given, and it is removed."""
        self.engine(run="echo No such image >&2; exit 125")
        with self.assertRaisesRegex(ExecutorError, "No such image"), self.start():
            self.fail("there is no container")
        self.assertEqual([words[0] for words in self.asked()], ["run", "rm", "ps"])

    def test_a_container_that_stays_is_said(self):
        """When it is still listed, or no list comes, the way to remove it is said."""
        for answer in ("echo 0123abc", "exit 1"):
            self.engine(ps=answer)
            advice = "docker rm --force two-shells-"
            with self.assertRaisesRegex(ExecutorError, advice), self.start():
                pass

    def test_what_went_wrong_first_is_said_first(self):
        """Without a daemon it is the daemon that the message begins with."""
        complaint = "Cannot connect to the Docker daemon"
        fails = f"echo {complaint} >&2; exit 1"
        self.engine(run=fails, ps=fails)
        said = f"{complaint}; a container may be left; use: docker rm"
        with self.assertRaisesRegex(ExecutorError, said), self.start():
            self.fail("there is no container")

    def test_only_names_of_images_are_taken(self):
        """What would be an option or several words is no image, and nothing starts."""
        self.engine()
        for image in ("--privileged", "two words", ""):
            with self.assertRaises(ExecutorError), self.start(image):
                pass
        self.assertFalse((self.folder / "log").exists())
