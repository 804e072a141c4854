"""Checks of the fences: by effect, in each mode, each refusal with its control."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shlex
import shutil
import signal
import socket
import stat
import subprocess
import tempfile
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest.mock import patch

import fence_base
import landlock
from asking import gone, is_running
from contract import FULL_ACCESS, MODES, READ_ONLY, WORKSPACE_WRITE, Policy
from dialect_check_support import end_by_mark, handling, stdin_has
from dialects import BASH
from fence_check_support import (
    CONFINED,
    ENVIRONMENT,
    PYTHON,
    SECONDS,
    WithOutside,
    contents,
)
from fences import (
    BWRAP,
    LANDLOCK,
    NO_FENCE,
    BubblewrapFence,
    FenceError,
    LandlockFence,
)
from shell_tool import ShellTool

__all__ = [
    "BubblewrapChecks",
    "FullAccessChecks",
    "LandlockChecks",
    "NoFenceChecks",
    "TrialChecks",
]

NO_POSIX = "needs a POSIX shell"
CODE = Path(__file__).resolve().parent
IN_PYTHON = shlex.join(PYTHON)
# Not `socket`, which takes longer to import than all the rest.
BIND = "import _socket, sys; _socket.socket(_socket.AF_UNIX).bind(sys.argv[1])"
# Each changes something in the folder $1, and has the folder $2 in the workspace.
ATTEMPTS = {
    "create": 'echo x >"$1/new"',
    "append": 'echo x >>"$1/canary"',
    "empty": ': >"$1/canary"',
    "remove": 'rm -f "$1/canary"',
    "rename": 'mv "$1/canary" "$1/other"',
    "move-out": 'mv "$2/draft" "$1/draft"',
    "move-in": 'mv "$1/canary" "$2/canary"',
    "replace": 'mv -f "$2/draft" "$1/canary"',
    "make-a-folder": 'mkdir "$1/folder"',
    "make-a-pipe": 'mkfifo "$1/pipe"',
    "make-a-socket": f"""{IN_PYTHON} '{BIND}' "$1/socket" """,
    "make-a-link": 'ln -s /dev/null "$1/link"',
    "name-outside": 'ln "$1/canary" "$1/second"',
    "name-inside": 'ln "$1/canary" "$2/second"',
    "through-a-link": 'echo x >"$2/link"',
    "through-dots": 'echo x >"$2/../../outside/through-dots/canary"',
    "reopen": 'exec 5<"$1/canary"; echo x >/proc/self/fd/5',
    "interpreter": f"""{IN_PYTHON} 'import sys; open(sys.argv[1], "w")' "$1/new" """,
    "grandchild": """sh -c 'sh -c "$2" sh "$1"; exit $?' sh "$1" 'echo x >"$1/new"' """,
}
# Nothing is kept in any of these.
DEVICES = ("null", "zero", "full", "random", "urandom", "tty", "pts")
USUAL_PLACES = (
    *("/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue"),
    *("/run", "/run/lock", "/run/shm"),
)
# Makes attempts one by one, and tells of each what it printed and its exit code.
EACH = r"""
outside=$1 workspace=$2; shift 2
while [ $# -gt 0 ]; do
    said=$(sh -c "$2" sh "$outside/$1" "$workspace/$1" 2>&1)
    printf '%s\0%s\0' "$?" "$said"
    shift 2
done
"""


def status_lines(*names: str) -> set[str]:
    """These lines of the status of every thread that this process has."""
    lines = set()
    for path in Path("/proc/self/task").glob("*/status"):
        with contextlib.suppress(OSError):
            for line in path.read_text(encoding="utf-8").splitlines():
                if line.startswith(names):
                    lines.add(line)
    return lines


def exhausted(action, tries: int = 20):
    """Do `action` in a thread that was restricted as often as the kernel allows."""
    if tries == 0:
        raise AssertionError("the kernel refused none, though it allows 16")
    try:
        return landlock.in_restricted_thread(
            lambda: exhausted(action, tries - 1), [Path("/")], landlock.kernel_abi()
        )
    except landlock.LandlockError:
        return action()


def children_of(number: int) -> list[int]:
    text = Path(f"/proc/{number}/task/{number}/children").read_text(encoding="ascii")
    return [int(child) for child in text.split()]


def has_ended(number: int) -> bool:
    """Whether this process executes no more; its parent may not have asked yet."""
    try:
        status = Path(f"/proc/{number}/stat").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return True
    return status.rpartition(b") ")[2][:1] in (b"Z", b"X")


def is_for_all(place: str) -> bool:
    """Whether everyone may make files there."""
    return bool(Path(place).stat().st_mode & stat.S_IWOTH)


def mounted_to_be_written(mountinfo: bytes) -> set[str]:
    """The places that are not read-only, of those that no later mount hides."""
    seen = {}
    for line in mountinfo.decode().splitlines():
        place, options = line.split()[4:6]
        # Blanks and more are written as three octal digits.
        place = re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), place)
        for hidden in [one for one in seen if Path(one).is_relative_to(place)]:
            del seen[hidden]
        seen[place] = options.split(",")
    return {place for place, options in seen.items() if "rw" in options}


class HoldsChecks:
    """What every fence does that confines."""

    fence = NO_FENCE
    # What it replaces by a folder of its own, into which everyone may write.
    private = ()

    def setUp(self):
        if reason := self.fence.why_not():
            self.skipTest(reason)
        super().setUp()

    def complains(self, said: bytes) -> bool:
        """Whether there is a word of this fence's refusals in it."""
        return any(word in said.decode().lower() for word in self.fence.denial_words)

    def test_nothing_outside_is_changed(self):
        """No attempt changes a file outside, in either mode; unfenced, each does."""
        for mode in (*CONFINED, FULL_ACCESS):
            self.lay_out()
            for name in ATTEMPTS:
                for folder, file in (
                    (self.outside, "canary"),
                    (self.workspace, "draft"),
                ):
                    (folder / name).mkdir()
                    (folder / name / file).write_bytes(b"untouched")
                link = self.workspace / name / "link"
                link.symlink_to(self.outside / name / "canary")
            before = {name: contents(self.outside / name) for name in ATTEMPTS}
            words = (word for pair in ATTEMPTS.items() for word in pair)
            done = self.shell(
                self.fence, mode, EACH, self.outside, self.workspace, *words
            )
            self.assertTrue(done.started)
            answers = done.stdout.split(b"\0")
            for number, name in enumerate(ATTEMPTS):
                code, said = answers[2 * number : 2 * number + 2]
                changed = contents(self.outside / name) != before[name]
                with self.subTest(name, mode=mode):
                    if mode == FULL_ACCESS:
                        self.assertEqual((code, said, changed), (b"0", b"", True))
                    else:
                        self.assertFalse(changed)
                        self.assertNotEqual(code, b"0")
                        self.assertTrue(self.complains(said), said)

    def test_the_workspace_is_open_in_one_mode_only(self):
        """Files there can be made, moved and removed in workspace-write alone."""
        command = (
            "mkdir a b && echo x >a/new && mv a/new b/new && ln b/new a/second"
            " && : >draft && rm a/second && ln -s draft link && echo y >link"
        )
        before = contents(self.workspace)
        done = self.shell(self.fence, READ_ONLY, command)
        self.assertNotEqual(done.returncode, 0)
        self.assertTrue(self.complains(done.stderr), done.stderr)
        self.assertEqual(contents(self.workspace), before)
        done = self.shell(self.fence, WORKSPACE_WRITE, command)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertEqual(self.draft.read_bytes(), b"y\n")
        self.assertEqual((self.workspace / "b" / "new").read_bytes(), b"x\n")

    def test_a_workspace_behind_a_link_is_the_folder_itself(self):
        """A link as workspace opens the folder it leads to, and nothing beside it."""
        link = self.workspace.with_name("link")
        link.symlink_to(self.workspace)
        policy = Policy(WORKSPACE_WRITE, link)
        for target, expected in ((link / "new", True), (self.outside / "new", False)):
            argv = ["sh", "-c", 'echo x >"$1"', "sh", str(target)]
            launch = self.fence.launch(argv, policy, link, ENVIRONMENT)
            launch.process.communicate(timeout=SECONDS)
            self.assertTrue(launch.started())
            self.assertEqual(target.exists(), expected)

    def test_no_usual_place_is_left_open(self):
        """No file can be made where every program may, but in a private folder."""
        name = f"tried-{secrets.token_hex(8)}"
        # Not `:`, which ends a shell that cannot redirect it.
        command = 'for place; do true >"$place/$0" && echo "$place"; done'
        places = [place for place in USUAL_PLACES if os.access(place, os.W_OK)]
        # Where root alone may write, nothing is made to show that it could be.
        for_all = [place for place in places if is_for_all(place)]
        for mode, tried, expected in (
            (READ_ONLY, places, [*self.private]),
            (WORKSPACE_WRITE, places, [*self.private]),
            (FULL_ACCESS, for_all, for_all),
        ):
            done = self.run_behind(self.fence, mode, "sh", "-c", command, name, *tried)
            there = [place for place in tried if Path(place, name).exists()]
            for place in there:
                Path(place, name).unlink(missing_ok=True)  # two may be one place
            self.assertEqual(done.stdout.decode().split(), expected)
            self.assertEqual(there, for_all if mode == FULL_ACCESS else [])

    def test_the_network_is_open(self):
        """A socket of the Host can be reached, by port, name or path, as labelled."""
        port = self.enter(socket.create_server(("127.0.0.1", 0)))
        name, path = (self.enter(socket.socket(socket.AF_UNIX)) for _ in range(2))
        name.bind("\0tried-" + secrets.token_hex(8))
        path.bind(str(self.outside / "socket"))
        for one in (name, path):
            one.listen()
        addresses = [one.getsockname() for one in (port, name, path)]
        program = (
            "import ast, socket, sys\n"
            "for word in sys.argv[1:]:\n"
            "    address = ast.literal_eval(word)\n"
            "    kind = 'AF_INET' if type(address) is tuple else 'AF_UNIX'\n"
            "    socket.socket(getattr(socket, kind)).connect(address)\n"
            "socket.create_server(('127.0.0.1', 0))\n"
        )
        for mode in CONFINED:
            done = self.run_behind(
                self.fence, mode, *PYTHON, program, *map(repr, addresses)
            )
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            self.assertIn("network and sockets", self.fence.label(mode))

    def test_no_device_is_made(self):
        """Root cannot make the disk's device in the workspace and write to that."""
        label = self.fence.label(WORKSPACE_WRITE)
        self.assertIn("No device can be made in the workspace", label)
        command = "rm -f disk; mknod disk c 1 3"
        if self.unfenced(command).returncode != 0:
            self.skipTest("needs the right to make devices, which root has")
        (self.workspace / "disk").unlink()
        for mode in CONFINED:
            self.assertNotEqual(self.shell(self.fence, mode, command).returncode, 0)
            self.assertFalse((self.workspace / "disk").exists())

    def test_a_second_name_in_the_workspace_is_open(self):
        """A limit: a file outside can be changed by a name that it has inside."""
        os.link(self.canary, self.workspace / "second")
        for mode, expected in ((READ_ONLY, b"canary"), (WORKSPACE_WRITE, b"x\n")):
            self.shell(self.fence, mode, "echo x >second")
            self.assertEqual(self.canary.read_bytes(), expected)

    def test_everything_can_be_read(self):
        """A file outside and the list of its folder are read in either mode."""
        for mode in CONFINED:
            done = self.shell(
                self.fence, mode, 'ls "$1"; cat "$1/canary"', self.outside
            )
            self.assertEqual(done.stdout, b"canary\ncanary")

    def test_devices_and_pipes_stay_writable(self):
        """In either mode /dev/null, /dev/stdout and /dev/stderr can be written."""
        command = "echo x >/dev/null && echo out >/dev/stdout && echo err >/dev/stderr"
        for mode in CONFINED:
            done = self.shell(self.fence, mode, command)
            self.assertEqual((done.stdout, done.stderr), (b"out\n", b"err\n"))

    def test_temporary_files_have_a_place(self):
        """In workspace-write a program that needs a temporary file can make one."""
        done = self.shell(self.fence, WORKSPACE_WRITE, "mktemp && mktemp -d")
        self.assertEqual((done.returncode, done.stderr), (0, b""))

    def test_no_open_file_of_the_host_is_inherited(self):
        """A file that the Host has open to write, and inheritable, stays its own."""
        with self.canary.open("ab") as file:
            os.set_inheritable(file.fileno(), True)
            write = f"echo x >&{file.fileno()}"
            shared = subprocess.run(
                ["bash", "-c", write], close_fds=False, timeout=SECONDS
            )
            self.assertEqual(shared.returncode, 0)
            self.assertEqual(self.canary.read_bytes(), b"canaryx\n")
            for mode in CONFINED:
                done = self.run_behind(self.fence, mode, "bash", "-c", write)
                self.assertNotEqual(done.returncode, 0)
                self.assertEqual(self.canary.read_bytes(), b"canaryx\n")
                done = self.shell(self.fence, mode, "echo /proc/self/fd/*")
                # The fourth is the one by which they are listed.
                numbers = [Path(word).name for word in done.stdout.decode().split()]
                self.assertEqual(numbers, ["0", "1", "2", "3"])

    def test_the_host_stays_free(self):
        """Neither the Host nor one of its threads is restricted by a launch."""
        names = ("NoNewPrivs", "CapEff", "Seccomp")
        before = status_lines(*names)
        for mode in CONFINED:
            done = self.shell(self.fence, mode, "cat /proc/self/status")
            self.assertIn(b"NoNewPrivs:\t1\n", done.stdout)
            # A thread that has been waited for may be listed for a moment more.
            deadline = time.monotonic() + SECONDS
            while status_lines(*names) != before and time.monotonic() < deadline:
                pass
            self.assertEqual(status_lines(*names), before)
            self.canary.write_bytes(mode.encode())
            with ThreadPoolExecutor(1) as other:
                other.submit(self.canary.write_bytes, b"other").result()

    def test_root_gives_up_its_powers(self):
        """Where the Host is root, a confined command has no capability."""
        command = "cat /proc/self/status"
        no_capability = rb"(?m)^CapEff:\t0+$"
        if re.search(no_capability, self.unfenced(command).stdout):
            self.skipTest("needs to be root, with something to give up")
        for mode in CONFINED:
            done = self.shell(self.fence, mode, command)
            self.assertRegex(done.stdout, no_capability)

    def test_launches_beside_each_other_do_not_mix(self):
        """While threads launch confined commands, unconfined ones are not refused."""

        def write(number: int) -> bool:
            mode = MODES[number % 3]
            target = self.outside / f"{number}"
            done = self.shell(self.fence, mode, 'echo x >"$1"', target)
            return target.exists() == (mode == FULL_ACCESS) == (done.returncode == 0)

        with ThreadPoolExecutor(6) as threads:
            self.assertEqual(list(threads.map(write, range(12))), [True] * 12)

    def test_the_environment_is_what_was_given(self):
        """No variable of the Host is inherited, in either mode."""
        # bubblewrap tells a command where it is.
        added = {b"PWD", b"TMPDIR"}
        for mode in CONFINED:
            with patch.dict(os.environ, {"PLANTED": "secret"}):
                done = self.run_behind(self.fence, mode, "env", MARK="林")
            names = {line.partition(b"=")[0] for line in done.stdout.splitlines()}
            self.assertEqual(names - added, {b"PATH", b"LANG", b"MARK"})
            self.assertIn("MARK=林\n".encode(), done.stdout)

    def test_a_program_that_is_missing_never_started(self):
        """It is known that nothing ran, whatever words a command would use for it."""
        for mode in CONFINED:
            self.assertFalse(self.starts(mode, "no-such-program"))
            # The control says the same words, and ran.
            done = self.shell(self.fence, mode, "echo permission denied >&2; exit 127")
            self.assertEqual((done.returncode, done.started), (127, True))

    def starts(self, mode, *argv, **more) -> bool:
        """Whether a program begins, by a refusal to launch or by the evidence."""
        try:
            return self.run_behind(self.fence, mode, *argv, **more).started
        except FenceError as error:
            self.assertNotIn("/", str(error))
            return False

    def test_a_folder_that_is_missing_never_started(self):
        """A command whose folder is gone does not run in another one."""
        for mode in CONFINED:
            there = self.workspace.resolve()
            self.assertTrue(self.starts(mode, "true", workdir=there))
            self.assertFalse(self.starts(mode, "true", workdir=there / "missing"))

    def test_a_command_starts_in_its_folder(self):
        """Its folder is the one it was given, in the workspace or outside."""
        for mode in CONFINED:
            for folder in (self.workspace.resolve(), self.outside.resolve()):
                done = self.shell(self.fence, mode, "pwd", workdir=folder)
                self.assertEqual(done.stdout.decode(), f"{folder}\n")

    def test_a_word_that_cannot_be_passed_is_an_error_of_ours(self):
        """A NUL in the command is refused with a message, and nothing runs."""
        with self.assertRaisesRegex(FenceError, "nothing was started"):
            self.shell(self.fence, READ_ONLY, "echo\0x")

    def test_a_command_that_the_host_kills_has_begun(self):
        """The end by the deadline is told apart from a command that never ran."""
        for mode in CONFINED:
            launch = self.launch(self.fence, mode, ["sh", "-c", "echo up; sleep 60"])
            with launch.process as process:
                self.assertEqual(process.stdout.read(3), b"up\n")
                os.killpg(process.pid, signal.SIGKILL)
            self.assertTrue(launch.started())

    def test_a_command_is_in_a_session_of_its_own(self):
        """Whoever ends the session of a launch does not end the Host's."""
        argv = ["sh", "-c", "echo up; exec sleep 60"]
        launch = self.launch(self.fence, READ_ONLY, argv)
        with launch.process as process:
            self.assertEqual(process.stdout.read(3), b"up\n")
            session = os.getsid(process.pid)
            process.kill()
        self.assertTrue(launch.started())
        self.assertEqual(session, process.pid)

    def test_stdin_is_at_its_end(self):
        """A command finds nothing on stdin, also where the Host's has something."""
        with stdin_has(b"for the Host\n"):
            done = self.shell(self.fence, READ_ONLY, "cat; echo and on")
        self.assertEqual(done.stdout, b"and on\n")

    def test_nothing_of_a_launch_is_left(self):
        """After it neither a descriptor nor a thread is left in the Host."""

        def left() -> tuple[int, int]:
            return len(os.listdir("/proc/self/fd")), threading.active_count()

        before = left()
        for mode in CONFINED:
            self.shell(self.fence, mode, "echo x")
            self.starts(mode, "no-such-program")
            self.starts(mode, "echo\0")
        self.assertEqual(left(), before)

    def test_the_label_names_what_stays_open(self):
        """It names fence and scope, that reading is not refused, nor the network."""
        for mode, scope in ((READ_ONLY, "everywhere"), (WORKSPACE_WRITE, "outside")):
            label = self.fence.label(mode)
            self.assertTrue(label.startswith(f"{self.fence.name}: "), label)
            for words in (f"refuses {scope}", "not refuse: reading", "network"):
                self.assertIn(words, label)

    def test_a_command_behind_it_is_denied_in_the_confined_modes(self):
        """The promise of a denial is kept where a fence is used."""
        kept = [self.fence.keeps("denied", mode) for mode in MODES]
        self.assertEqual(kept, [True, True, False])


@unittest.skipUnless(os.name == "posix", NO_POSIX)
class LandlockChecks(HoldsChecks, WithOutside):
    """Landlock, and the older versions of it that this kernel can show."""

    fence = LANDLOCK

    def python(self, fence, program: str, *arguments):
        """Run a line of Python behind `fence`, in read-only mode."""
        return self.run_behind(fence, READ_ONLY, *PYTHON, program, *arguments)

    def test_what_an_older_kernel_lets_through(self):
        """What a version does not refuse really passes, and its label says so."""
        truncate = "import os, sys; os.truncate(sys.argv[1], 0)"
        control = (
            "import fcntl, sys, termios\n"
            "try: fcntl.ioctl(open('/dev/zero', 'rb'), termios.TIOCGPGRP, b'1234')\n"
            "except OSError as error: sys.exit(isinstance(error, PermissionError))"
        )
        send = "import os, sys; os.kill(int(sys.argv[2]), 0)"
        for since, program, words in (
            (landlock.TRUNCATE_ABI, truncate, "truncating"),
            (landlock.DEVICE_ABI, control, "controlling"),
            (landlock.SIGNAL_ABI, send, "signal"),
        ):
            for abi in (since - 1, since):
                if abi > landlock.kernel_abi():
                    continue
                self.lay_out()
                fence = LandlockFence(abi)
                with self.subTest(words, abi=abi):
                    done = self.python(fence, program, self.canary, os.getpid())
                    self.assertEqual(done.returncode != 0, abi >= since, done.stderr)
                    refuses, open_to_all = fence.label(READ_ONLY).split("not refuse")
                    self.assertIn(f"version {abi},", refuses)
                    self.assertEqual(words in refuses, abi >= since)
                    self.assertEqual(words in open_to_all, abi < since)

    def test_the_first_version_moves_nothing_between_folders(self):
        """It refuses that in the workspace too, and its label says so."""
        for abi in (1, 2):
            if abi > landlock.kernel_abi():
                continue
            fence = LandlockFence(abi)
            command = "mkdir in out && echo x >in/a && ln in/a out/a; rm -r in out"
            done = self.shell(fence, WORKSPACE_WRITE, command)
            self.assertEqual(done.stderr == b"", abi >= 2, done.stderr)
            sentence = "cannot move from one folder to another"
            self.assertEqual(sentence in fence.label(WORKSPACE_WRITE), abi < 2)
            self.assertNotIn(sentence, fence.label(READ_ONLY))

    def test_a_mode_can_be_changed_and_the_label_says_so(self):
        """Mode, group, times and attributes change outside, as the label admits."""
        program = (
            "import os, sys; path = sys.argv[1]; os.chmod(path, 0o600)\n"
            "os.chown(path, -1, os.getgid()); os.utime(path, (1, 1))\n"
            "if sys.argv[2:]: os.setxattr(path, 'user.tried', b'x')"
        )
        attribute = ["attribute"]
        try:
            os.setxattr(self.outside, "user.tried", b"x")
        except OSError:
            attribute = []  # not on this file system
        for mode in CONFINED:
            self.lay_out()
            argv = [*PYTHON, program, self.canary, *attribute]
            done = self.run_behind(LANDLOCK, mode, *argv)
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            found = self.canary.stat()
            self.assertEqual((found.st_mode & 0o777, found.st_mtime), (0o600, 1))
            words = "changing a file's mode, group, times or attributes"
            self.assertIn(words, LANDLOCK.label(mode))
            self.assertIn("writing to /dev/null", LANDLOCK.label(mode))

    def test_no_temporary_folder_in_read_only(self):
        """There a temporary file is refused, as the label says."""
        done = self.shell(LANDLOCK, READ_ONLY, "mktemp")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("No folder is for temporary files", LANDLOCK.label(READ_ONLY))
        done = self.shell(LANDLOCK, WORKSPACE_WRITE, 'printf %s "$TMPDIR"')
        self.assertEqual(done.stdout.decode(), str(self.workspace.resolve()))
        self.assertIn("The workspace is TMPDIR", LANDLOCK.label(WORKSPACE_WRITE))

    def test_a_signal_is_reported_as_one(self):
        """A command that a signal ends is seen to have ended by it."""
        done = self.shell(LANDLOCK, READ_ONLY, "kill -9 $$")
        self.assertEqual((done.returncode, done.started), (-9, True))
        self.assertTrue(LANDLOCK.keeps("signal", READ_ONLY))

    def test_without_a_thread_nothing_is_started(self):
        """Where no more threads can be had, that is said, and the action not done."""
        done, abi = [], landlock.kernel_abi()
        lacking = RuntimeError("can't start new thread")
        with patch.object(threading.Thread, "start", side_effect=lacking):
            with self.assertRaisesRegex(landlock.LandlockError, "at starting a thread"):
                landlock.in_restricted_thread(lambda: done.append(1), [], abi)
            self.assertIn("at starting a thread", LandlockFence().why_not())
            with self.assertRaisesRegex(FenceError, "at starting a thread"):
                self.shell(LANDLOCK, READ_ONLY, ":")
        self.assertEqual(done, [])

        def fail() -> None:
            raise RuntimeError

        # What the action itself raises stays what it is.
        with self.assertRaises(RuntimeError) as caught:
            landlock.in_restricted_thread(fail, [], abi)
        self.assertIs(type(caught.exception), RuntimeError)

    def test_a_failure_is_not_kept(self):
        """A fence that could not be made is tried again, and then it holds."""
        fence = LandlockFence()
        self.assertIn("Landlock failed", exhausted(fence.why_not))
        self.assertEqual(fence.why_not(), "")
        self.assertEqual(self.shell(fence, READ_ONLY, ":").returncode, 0)

    def test_a_restriction_that_fails_starts_nothing(self):
        """Where the kernel refuses to restrict a thread, its action is not done."""
        done, abi = [], landlock.kernel_abi()
        step = "Landlock failed at restricting the thread"

        def restrict() -> str:
            with self.assertRaises(landlock.LandlockError) as caught:
                landlock.in_restricted_thread(lambda: done.append(1), [], abi)
            return str(caught.exception)

        def run_it() -> str:
            with self.assertRaises(FenceError) as caught:
                self.shell(LandlockFence(), READ_ONLY, "echo x >here")
            return str(caught.exception)

        self.assertIn(step, exhausted(restrict))
        self.assertRegex(exhausted(run_it), f"not enforced here, .*{step}")
        self.assertEqual(list(self.workspace.iterdir()), [self.draft])
        with self.assertRaises(FileNotFoundError):
            missing = [self.outside / "missing"]
            landlock.in_restricted_thread(lambda: done.append(2), missing, abi)
        self.assertEqual(done, [])
        landlock.in_restricted_thread(lambda: done.append(3), [], abi)
        self.assertEqual(done, [3])


@unittest.skipUnless(os.name == "posix", NO_POSIX)
class BubblewrapChecks(HoldsChecks, WithOutside):
    """The fence of bubblewrap, and what only it does."""

    fence = BWRAP
    private = ("/tmp",)

    def test_modes_and_times_are_refused(self):
        """What Landlock lets through, bubblewrap refuses."""
        for command in ('chmod 600 "$1"', 'touch -t 200101010101 "$1"'):
            before = contents(self.outside)
            for mode in CONFINED:
                done = self.shell(BWRAP, mode, command, self.canary)
                self.assertNotEqual(done.returncode, 0)
                self.assertTrue(self.complains(done.stderr), done.stderr)
                self.assertEqual(contents(self.outside), before)
            self.assertEqual(self.unfenced(command, self.canary).returncode, 0)
            self.assertNotEqual(contents(self.outside), before)

    def test_the_kernels_values_cannot_be_set(self):
        """/proc is read-only: what a process may set there of itself, it may not."""
        command = ": >>/proc/self/oom_score_adj"
        self.assertEqual(self.unfenced(command).returncode, 0)
        for mode in CONFINED:
            done = self.shell(BWRAP, mode, command)
            self.assertTrue(self.complains(done.stderr), done.stderr)

    def test_devices_are_its_own(self):
        """/dev is small and read-only, so that no file can be put into it."""
        for mode in CONFINED:
            done = self.shell(BWRAP, mode, "echo x >/dev/shm/new")
            self.assertTrue(self.complains(done.stderr), done.stderr)

    def test_nothing_is_mounted_to_be_written(self):
        """All that it shows is read-only but the workspace, /tmp and some devices."""
        for mode in CONFINED:
            done = self.shell(BWRAP, mode, "cat /proc/self/mountinfo")
            writable = {"/tmp", *map("/dev/{}".format, DEVICES)}
            if mode == WORKSPACE_WRITE:
                writable.add(str(self.workspace.resolve()))
            # What nobody but root can reach stays as it is, for another user.
            open_ = filter(os.path.exists, mounted_to_be_written(done.stdout))
            self.assertEqual(set(open_) - writable, set())

    def test_a_command_that_reads_like_a_path_is_none(self):
        """A file below /tmp is not shown because its path is the command."""
        with tempfile.TemporaryDirectory(dir="/tmp") as name:
            program = Path(name, "program")
            program.write_text("#!/bin/sh\necho ran\n", encoding="utf-8")
            program.chmod(0o755)
            self.assertEqual(self.unfenced(str(program)).stdout, b"ran\n")
            argv = ["sh", "-c", str(program)]
            for mode in CONFINED:
                done = self.run_behind(BWRAP, mode, *argv)
                self.assertEqual((done.stdout, done.returncode), (b"", 127))

    def test_a_workspace_with_its_own_folders_is_refused(self):
        """Where /tmp, /proc or /dev would be in the workspace, nothing is run."""
        for place in ("/", "/tmp", "/proc", "/dev"):
            for mode in CONFINED:
                policy = Policy(mode, Path(place))
                with self.assertRaisesRegex(FenceError, "of its own"):
                    BWRAP.launch(["sh", "-c", ":"], policy, Path("/"), ENVIRONMENT)
                with self.assertRaisesRegex(FenceError, "of its own"):
                    ShellTool(BASH, policy, BWRAP)
                LANDLOCK.accept(policy)
            ShellTool(BASH, Policy(FULL_ACCESS, Path(place)), BWRAP)

    def test_a_folder_in_shared_memory_is_there(self):
        """A call can start below /dev/shm, though its /dev is another one."""
        if not os.access("/dev/shm", os.W_OK):
            self.skipTest("needs /dev/shm")
        with tempfile.TemporaryDirectory(dir="/dev/shm") as name:
            for mode in CONFINED:
                done = self.shell(BWRAP, mode, "pwd; echo x >new", workdir=Path(name))
                self.assertEqual(done.stdout.decode(), f"{name}\n")
                self.assertEqual(os.listdir(name), [])

    def test_a_folder_that_its_dev_has_not_is_an_error_about_the_folder(self):
        """Of the Host's /dev it has a few folders, and says so of the others."""
        others = [path for path in Path("/dev").iterdir() if not path.is_symlink()]
        missing = [
            path
            for path in others
            if path.name not in ("shm", "pts") and path.is_dir()
            if os.access(path, os.X_OK)
        ]
        if not missing:
            self.skipTest("needs a folder in /dev, such as /dev/net")
        for mode in CONFINED:
            for folder in ("/dev", "/dev/shm", "/dev/pts"):
                self.assertTrue(self.starts(mode, "true", workdir=Path(folder)))
            with self.assertRaisesRegex(FenceError, "^workdir must be another"):
                self.shell(BWRAP, mode, ":", workdir=missing[0])
        self.shell(BWRAP, FULL_ACCESS, ":", workdir=missing[0])

    def test_its_own_environment_is_empty(self):
        """The first process inside has no variable that a command could read."""
        command = "wc -c </proc/1/environ"
        for mode in CONFINED:
            done = self.shell(BWRAP, mode, command, SECRET="canary")
            self.assertEqual(done.stdout.strip(), b"0", done.stderr)

    def test_a_write_below_tmp_vanishes(self):
        """It succeeds inside, reaches nobody, and the label says so."""
        with tempfile.TemporaryDirectory(dir="/tmp") as name:
            canary = Path(name, "canary")
            canary.write_bytes(b"canary")
            command = 'mkdir -p "$1" && echo x >"$1/canary" && cat "$1/canary"'
            for mode in CONFINED:
                done = self.shell(BWRAP, mode, command, name + "/")
                self.assertEqual((done.returncode, done.stdout), (0, b"x\n"))
                self.assertEqual(canary.read_bytes(), b"canary")
                self.assertEqual(os.listdir(name), ["canary"])
                label = (
                    "/tmp is private: empty at first but for the workspace, the call"
                )
                self.assertIn(label, BWRAP.label(mode))

    def test_what_a_call_names_below_tmp_is_there(self):
        """Workspace, folder and program are seen in /tmp, and only one is writable."""
        with tempfile.TemporaryDirectory(dir="/tmp") as name:
            base = Path(name).resolve()
            for folder in ("workspace", "elsewhere"):
                (base / folder).mkdir()
            program = base / "program"
            program.write_text('#!/bin/sh\necho x >"$1"\n', encoding="utf-8")
            program.chmod(0o755)
            policy = Policy(WORKSPACE_WRITE, base / "workspace")
            for target, code in (("../workspace/new", 0), ("new", 2)):
                launch = BWRAP.launch(
                    [str(program), target], policy, base / "elsewhere", ENVIRONMENT
                )
                launch.process.communicate(timeout=SECONDS)
                self.assertTrue(launch.started())
                self.assertEqual(bool(launch.process.returncode), bool(code))
            self.assertEqual(os.listdir(base / "workspace"), ["new"])
            self.assertEqual(os.listdir(base / "elsewhere"), [])

    def test_what_left_its_session_ends_too(self):
        """With a command ends all that it started, wherever that went."""
        mark = f"60.{secrets.randbelow(10**9):09}"
        runs_on = 'exec 2>&1; echo $$; exec sleep "$0" >/dev/null 2>&1'
        command = """setsid sh -c "$1" "$2" & sleep 60"""
        for fence, mode in ((NO_FENCE, FULL_ACCESS), (BWRAP, READ_ONLY)):
            argv = ["sh", "-c", command, "sh", runs_on, mark]
            launch = self.launch(fence, mode, argv)
            with launch.process as process:
                pid = int(process.stdout.readline())
                os.killpg(process.pid, signal.SIGKILL)
            self.assertTrue(launch.started())
            if fence is BWRAP:
                self.assertTrue(gone(mark))
            else:
                self.assertTrue(is_running(mark))
                os.kill(pid, signal.SIGKILL)
                self.assertTrue(gone(mark))

    def test_when_it_is_ended_nothing_runs_any_more(self):
        """The end has come for all behind it by the time that `end` returns."""
        command = "for _ in 1 2 3 4 5 6 7 8; do setsid sleep 60 & done; echo; wait"
        for _ in range(3):
            launch = self.launch(BWRAP, READ_ONLY, ["sh", "-c", command])
            with launch.process as process:
                process.stdout.readline()
                # The kernel lets it end as the last one behind the fence.
                (first,) = children_of(process.pid)
                self.assertFalse(has_ended(first))
                launch.end()
                self.assertTrue(has_ended(first))
            self.assertTrue(launch.started())

    def test_it_ends_with_the_host(self):
        """When the Host is killed, the command does not run on; unfenced, it does."""
        for fence, mode in (("BWRAP", READ_ONLY), ("NO_FENCE", FULL_ACCESS)):
            mark = f"60.{secrets.randbelow(10**9):09}"
            self.addCleanup(end_by_mark, mark)
            self.kill_the_host(fence, mode, mark)
            ended = gone(mark) if fence == "BWRAP" else not is_running(mark)
            self.assertEqual(ended, fence == "BWRAP")

    def kill_the_host(self, fence: str, mode: str, mark: str) -> None:
        """Let a Host start a command that has `mark` in its words, and kill it."""
        host = (
            "import sys; sys.path.insert(0, sys.argv[1]); import fences, pathlib\n"
            "from contract import Policy\n"
            "here = pathlib.Path(sys.argv[2])\n"
            "argv = ['sh', '-c', 'echo up; exec sleep \"$0\"', sys.argv[3]]\n"
            "fence, policy = getattr(fences, sys.argv[4]), Policy(sys.argv[5], here)\n"
            "launch = fence.launch(argv, policy, here, {})\n"
            "print(launch.process.stdout.read(3))\n"
            "sys.stdout.flush(); sys.stdin.read()\n"
        )
        there = self.workspace.resolve()
        argv = [*PYTHON, host, str(CODE), str(there), mark, fence, mode]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        with subprocess.Popen(argv, **pipes) as process:
            self.assertEqual(process.stdout.readline(), b"b'up\\n'\n")
            self.assertTrue(is_running(mark))
            process.kill()

    def test_other_processes_are_not_seen(self):
        """The Host cannot be signalled, and unfenced it can."""
        command = 'kill -0 "$1"'
        self.assertEqual(self.unfenced(command, os.getpid()).returncode, 0)
        for mode in CONFINED:
            done = self.shell(BWRAP, mode, command, os.getpid())
            self.assertIn(b"No such process", done.stderr)

    def test_a_signal_becomes_an_exit_code(self):
        """It is reported as 128+N, so the promise of a signal is not made."""
        for mode in CONFINED:
            done = self.shell(BWRAP, mode, "kill -9 $$")
            self.assertEqual((done.returncode, done.started), (137, True))
            self.assertFalse(BWRAP.keeps("signal", mode))
            self.assertTrue(BWRAP.keeps("timed_out", mode))
            self.assertIn("128+N", BWRAP.label(mode))
        self.assertTrue(BWRAP.keeps("signal", FULL_ACCESS))


@unittest.skipUnless(os.name == "posix", NO_POSIX)
class TrialChecks(WithOutside):
    """A fence is found by trying, here with scripts in the place of bubblewrap."""

    # Runs what stands behind `--`, with no fence at all.
    BARE = 'while [ "$1" != -- ]; do shift; done; shift; "$@"'
    # The same, and it claims to be the real one.
    LIAR = (
        'while [ "$1" != -- ]; do [ "$1" = --json-status-fd ] && fd=$2; shift; done'
        """; shift; "$@"; echo '{"child-pid": 1}{"exit-code": 0}' >/dev/fd/$fd"""
    )

    def fence_of(self, *script):
        """A new fence of bubblewrap where `bwrap` is this script, or is missing."""
        folder = self.outside / "bin"
        folder.mkdir(exist_ok=True)
        if script:
            program = folder / "bwrap"
            program.write_text("\n".join(["#!/bin/sh", *script]), encoding="utf-8")
            program.chmod(0o755)
        self.enter(patch.dict(os.environ, {"PATH": str(folder)}))
        return BubblewrapFence()

    def assert_runs_nothing(self, fence, reason):
        """Confined modes are refused for this reason, and nothing is executed."""
        self.assertIn(reason, fence.why_not())
        for mode in CONFINED:
            with self.assertRaisesRegex(FenceError, f"{mode} is not enforced"):
                self.run_behind(fence, mode, *PYTHON, "open('ran', 'w')")
            self.assertIn(
                f"not enforced here, so nothing is run: {fence.why_not()}",
                fence.label(mode),
            )
            self.assertFalse(fence.keeps("denied", mode))
            self.assertFalse(fence.keeps("exit_code", mode))
        self.assertFalse((self.workspace / "ran").exists())

    def test_without_the_program_nothing_is_run(self):
        """Where bubblewrap is missing, the reason says what to install."""
        self.assert_runs_nothing(self.fence_of(), "apt-get install bubblewrap")

    def test_a_program_that_fails_is_no_fence(self):
        """Where it cannot do its work, the reason quotes it, in one clean line."""
        script = (
            "printf 'bwrap: no\\n\\033[31m/home/lin/x: Permission denied' >&2; exit 1"
        )
        fence = self.fence_of(script)
        self.assert_runs_nothing(
            fence, "bubblewrap makes no fence here: bwrap: no ?[31m(path) Permission"
        )

    def test_a_program_that_does_nothing_is_no_fence(self):
        """An exit code of 0 is not taken for a fence."""
        self.assert_runs_nothing(self.fence_of("exit 0"), "makes no fence here")

    def test_a_program_that_fences_nothing_is_no_fence(self):
        """What runs the command and lets it write is found out by the canary."""
        self.assert_runs_nothing(self.fence_of(self.BARE), "makes no fence here")

    def test_a_program_that_lies_is_no_fence(self):
        """Also when it reports what the real one would."""
        self.assert_runs_nothing(self.fence_of(self.LIAR), "wrote through it")

    def test_a_program_that_only_reports_is_no_fence(self):
        """What claims success and runs nothing leaves the canary as it was, too."""
        report = self.LIAR.replace('"$@"; ', "")
        self.assert_runs_nothing(self.fence_of(report), "makes no fence here")

    def test_a_trial_that_takes_too_long_is_ended(self):
        """A program that does not come to its end is killed, and is no fence."""
        mark, seconds = self.outside / "ended", f"3.{secrets.randbelow(10**9):09}"
        self.addCleanup(end_by_mark, seconds)
        # It is the script that is killed: what it waits for must not hold the pipes.
        waits = f"/bin/sleep {seconds} >/dev/null 2>&1; : >{shlex.quote(str(mark))}"
        fence = self.fence_of(waits)
        with patch.object(fence_base, "TRIAL_SECONDS", 0.1):
            self.assertIn("makes no fence here", fence.why_not())
        self.assertFalse(mark.exists())

    def test_a_kernel_with_landlock_has_a_fence(self):
        """Where the kernel speaks Landlock, the trial of it succeeds."""
        if not landlock.kernel_abi():
            self.skipTest(LANDLOCK.why_not())
        self.assertEqual(LANDLOCK.why_not(), "")

    def test_a_kernel_without_landlock_runs_nothing(self):
        """Version 0 is a kernel without it, and the reason says what is needed."""
        self.assert_runs_nothing(LandlockFence(0), "needs Linux 5.13")

    def test_success_is_tried_once(self):
        """It is kept, since a trial for every call would double its cost."""
        if reason := BWRAP.why_not():
            self.skipTest(reason)
        mark = shlex.quote(str(self.outside / "tried"))
        real = shlex.quote(shutil.which("bwrap"))
        fails = self.fence_of(f"echo fails >>{mark}; exit 1")
        self.assertNotEqual(fails.why_not(), "")
        self.fence_of(f'echo holds >>{mark}; exec {real} "$@"')
        for _ in range(3):
            self.assertEqual(fails.why_not(), "")
        tried = (self.outside / "tried").read_text(encoding="utf-8")
        self.assertEqual(tried, "fails\nholds\n")

    def test_a_fence_that_fails_later_starts_nothing(self):
        """When it holds in the trial and fails in the call, the evidence says so."""
        if reason := BWRAP.why_not():
            self.skipTest(reason)
        fence = self.fence_of("echo 'bwrap: Permission denied' >&2; exit 1")
        with patch.object(BubblewrapFence, "why_not", BWRAP.why_not):
            done = self.run_behind(fence, READ_ONLY, "/bin/sh", "-c", "echo ran")
        self.assertEqual((done.stdout, done.started), (b"", False))


class NoFenceChecks(WithOutside):
    """Without a fence confined modes run nothing, and say so."""

    def test_a_confined_command_is_not_run(self):
        """Nothing is run in either confined mode, and the label says so."""
        for mode in CONFINED:
            with self.assertRaisesRegex(FenceError, f"{mode} is not enforced"):
                self.run_behind(NO_FENCE, mode, *PYTHON, "open('ran', 'w')")
            self.assertIn(f"{mode} is not enforced", NO_FENCE.label(mode))
            self.assertIn("nothing is run", NO_FENCE.label(mode))
            self.assertFalse(NO_FENCE.keeps("denied", mode))
            self.assertFalse(NO_FENCE.keeps("exit_code", mode))
        self.assertFalse((self.workspace / "ran").exists())
        self.run_behind(NO_FENCE, FULL_ACCESS, *PYTHON, "open('ran', 'w')")
        self.assertTrue((self.workspace / "ran").exists())


class FullAccessChecks(WithOutside):
    """In danger-full-access no fence is used, whichever was given."""

    def test_no_fence_is_used(self):
        """A command writes outside and chooses its end, whatever the fence."""
        for fence in (NO_FENCE, LANDLOCK, BWRAP, LandlockFence(0)):
            with self.subTest(fence.name):
                target = self.outside / "new"
                program = "import sys; open(sys.argv[1], 'x'); sys.exit(3)"
                done = self.run_behind(fence, FULL_ACCESS, *PYTHON, program, target)
                self.assertEqual((done.returncode, done.started), (3, True))
                target.unlink()
                self.assertEqual(fence.label(FULL_ACCESS), "files are not confined")
                self.assertFalse(fence.keeps("denied", FULL_ACCESS))
                self.assertTrue(fence.keeps("signal", FULL_ACCESS))

    def test_a_program_that_is_missing_is_an_error(self):
        """Nothing was started, and the message names no path."""
        with self.assertRaisesRegex(FenceError, "nothing was started: [^/]*$"):
            self.run_behind(NO_FENCE, FULL_ACCESS, "no-such-program")

    @unittest.skipUnless(os.name == "posix", NO_POSIX)
    def test_where_exit_codes_are_lost_nothing_is_started(self):
        """With SIGCHLD ignored every failure would read as 0, so nothing is run."""
        fences = [one for one in (LANDLOCK, BWRAP) if not one.why_not()]
        for fence, mode in ((NO_FENCE, FULL_ACCESS), *((f, READ_ONLY) for f in fences)):
            with handling(signal.SIGCHLD, signal.SIG_IGN):
                with self.assertRaisesRegex(FenceError, "SIGCHLD is ignored here"):
                    self.shell(fence, mode, "exit 3")
                if mode != FULL_ACCESS:
                    self.assertIn("SIGCHLD is ignored", type(fence)().why_not())
            self.assertEqual(self.shell(fence, mode, "exit 3").returncode, 3)

    @unittest.skipUnless(os.name == "posix", NO_POSIX)
    def test_words_can_be_any_bytes(self):
        """A name that is no UTF-8, as one of a folder can be, is passed as it is."""
        name = os.fsdecode(b"caf\xe9")
        done = self.shell(NO_FENCE, FULL_ACCESS, 'printf "$1$MARK"', name, MARK=name)
        self.assertEqual(done.stdout, b"caf\xe9" * 2)

    @unittest.skipUnless(os.name == "posix", NO_POSIX)
    def test_words_are_utf8_in_any_locale(self):
        """Where Python's own encoding is ASCII, words and variables are still UTF-8."""
        program = (
            "import sys; sys.path.insert(0, sys.argv[1]); import fences, pathlib\n"
            "from contract import Policy\n"
            "policy = Policy('danger-full-access', pathlib.Path(sys.argv[2]))\n"
            "argv = ['sh', '-c', 'printf %s \"$0$MARK\"', '\\u6797']\n"
            "variables = {'PATH': sys.argv[3], 'MARK': '\\u6797'}\n"
            "start = fences.NO_FENCE.launch\n"
            "launch = start(argv, policy, policy.workspace, variables)\n"
            "print(launch.process.communicate()[0])\n"
        )
        in_ascii = (PYTHON[0], "-X", "utf8=0", *PYTHON[1:])
        done = subprocess.run(
            [*in_ascii, program, CODE, self.workspace, ENVIRONMENT["PATH"]],
            env=ENVIRONMENT | {"LC_ALL": "C"},
            capture_output=True,
        )
        self.assertEqual(done.stdout, f"{'林林'.encode()!r}\n".encode(), done.stderr)
