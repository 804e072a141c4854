"""Real counterparts: what bubblewrap and a container engine keep from a command.

The stage's own checks show the fence wherever bubblewrap works; here it has to, when
REQUIRE_INTEROP names an engine: `.ci/run` installs both. Engines are started as
`test_interop` does it. Their image has a shell and a few programs of this machine.
"""

import contextlib
import functools
import io
import json
import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import test_interop
from test_interop import REQUIRED, Engine, docker_engine, podman_engine, unavailable

ROOT = Path(__file__).resolve().parents[1]
CODE = ROOT / "stages" / "14-two-shells" / "code"
sys.path[:0] = [str(CODE), str(ROOT / "tests" / "engine")]

from container_executor import (  # noqa: E402
    LABEL,
    PODMAN_OPTIONS,
    ContainerExecutor,
    started_container,
)
from executors import (  # noqa: E402
    ExecutorError,
    FencedExecutor,
    LocalExecutor,
    second_shell,
)
from make_image import entry, shared_libraries  # noqa: E402
from process_check_support import processes_with, wait_until  # noqa: E402
from twoshell_guard import dispatch, fingerprint, run_local  # noqa: E402

SECONDS = 30.0
IMAGE = "local/host-first-shell:ci"
PROGRAMS = ("cat", "env", "head", "ls", "setsid", "sh", "sleep", "touch", "uname")
# Waits for a child, so that the mark, its $0, stands in the list of processes.
WAITS = 'sh -c "sleep 300; :" "$1"'


@pytest.fixture(scope="module")
def fence():
    """The fence, which has to be there where counterparts are required."""
    try:
        return FencedExecutor()
    except ExecutorError as error:
        # What .ci/run makes possible is required by the name of its engine.
        if "docker" in REQUIRED:
            pytest.fail(str(error))
        return pytest.skip(str(error))


@pytest.fixture
def mark():
    """An argument that no other process has; at the end none may have it."""
    mark = f"mark-{secrets.token_hex(8)}"
    yield mark
    assert wait_until(lambda: not processes_with(mark))


def shell(executor, command: str, *arguments: object, seconds: float = SECONDS):
    """Run a line of shell there; its arguments are $1 and so on."""
    return executor.run(["sh", "-c", command, "sh", *map(str, arguments)], seconds)


def ordinary_user() -> list[str]:
    """The start of a command line that runs the rest as an ordinary user."""
    if os.geteuid() != 0:
        return []
    if not shutil.which("setpriv"):
        pytest.skip("needs setpriv (util-linux) to give up root")
    return ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


def python_for(user: list[str]) -> str:
    """A Python that this user can start: ours may be in root's home."""
    if not user:
        return sys.executable
    recent = "import sys; sys.exit(sys.version_info < (3, 10))"
    command = [*user, "/usr/bin/python3", "-c", recent]
    with contextlib.suppress(OSError):
        if subprocess.run(command, capture_output=True, timeout=60).returncode == 0:
            return "/usr/bin/python3"
    return pytest.skip("needs /usr/bin/python3, of version 3.10 or later")


def fence_checks(user: str) -> str:
    """Run the stage's checks of the fence as this user; what they said, or a skip."""
    prefix = ordinary_user() if user == "ordinary" else []
    checks = ["-m", "unittest", "-v", "executor_checks.FencedExecutorChecks"]
    with tempfile.TemporaryDirectory(prefix="hf-shells-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        # A copy, because every user can read it.
        copy = shutil.copytree(CODE, folder / "code")
        temporary = folder / "tmp"
        temporary.mkdir()
        temporary.chmod(0o1777)
        done = subprocess.run(
            [*prefix, python_for(prefix), "-B", *checks],
            cwd=copy,
            env={**os.environ, "TMPDIR": str(temporary), "HOME": str(temporary)},
            capture_output=True,
            encoding="utf-8",
            timeout=120,
        )
    return done.stderr


@pytest.fixture(scope="module")
def fence_runs(fence):
    """The checks of the fence, run as we are and as an ordinary user side by side."""
    with ThreadPoolExecutor() as pool:
        yield {
            user: pool.submit(fence_checks, user) for user in ("as we are", "ordinary")
        }


@pytest.mark.parametrize("user", ["as we are", "ordinary"])
def test_the_fence_holds_for_every_user(fence_runs, user):
    """The stage's checks of the fence run, none skipped, as root and as another."""
    if user == "as we are" and os.geteuid() != 0:
        pytest.skip("we are no root: the other run is the same")
    said = fence_runs[user].result()
    if user == "ordinary" and (reason := re.search(r"skipped '(.+)'", said)):
        # Some systems give namespaces to root alone, or by the program's name.
        pytest.skip(f"not for an ordinary user: {reason[1]}")
    assert re.search(r"^Ran [1-9]\d* tests in .*\n\nOK\n", said, re.MULTILINE), said


def test_without_user_namespaces_there_is_no_fence(fence):
    """Where the system allows no user namespaces, bubblewrap is there in vain."""
    program = (
        "import sys, pathlib; sys.path.insert(0, sys.argv[1])\n"
        "from executors import second_shell\n"
        "shell = second_shell(pathlib.Path('/'))\n"
        "print(shell.name, '|', getattr(shell, 'reason', ''))"
    )
    # An ordinary user in a namespace whose limit can be set, and ends with it.
    names = ["unshare", "--user", "--map-user=1000", "--map-group=1000", "--keep-caps"]
    no_rights = "setpriv --ambient-caps=-all --inh-caps=-all"

    def answer(before: str) -> str:
        script = f'{before} exec {no_rights} "$@"'
        question = [sys.executable, "-B", "-c", program, str(CODE)]
        done = subprocess.run(
            [*names, "sh", "-c", script, "sh", *question],
            capture_output=True,
            encoding="utf-8",
            timeout=60,
        )
        return done.stdout + done.stderr

    possible = answer("")
    if not possible.startswith("fenced"):
        pytest.skip(f"no fence within a user namespace here: {possible.strip()}")
    refused = answer("echo 0 > /proc/sys/user/max_user_namespaces;")
    reason = "simulated | bubblewrap is installed but makes no fence here: bwrap: "
    assert refused.startswith(reason)


NETWORK = """
import json, socket, sys
tcp, udp, path, abstract = json.loads(sys.argv[1])
def tried(kind, address, family=socket.AF_INET):
    with socket.socket(family, kind) as caller:
        try:
            caller.connect(address)
            if kind == socket.SOCK_DGRAM:
                caller.send(b"datagram")
        except OSError:
            return False
        return True
print(json.dumps({
    "tcp": tried(socket.SOCK_STREAM, ("127.0.0.1", tcp)),
    "path": tried(socket.SOCK_STREAM, path, socket.AF_UNIX),
    "abstract": tried(socket.SOCK_STREAM, "\\0" + abstract, socket.AF_UNIX),
    "udp": tried(socket.SOCK_DGRAM, ("127.0.0.1", udp)),
}))
"""


def test_nothing_is_reached_from_the_fence(fence, tmp_path):
    """Listeners of four kinds are reached from outside, and none from inside."""
    if fence.run(["python3", "-V"], SECONDS).returncode != 0:
        pytest.skip("needs a python3 in /usr/bin, which the fence shows")
    with contextlib.ExitStack() as stack:

        def listener(family: int, kind: int, address: object) -> socket.socket:
            opened = stack.enter_context(socket.socket(family, kind))
            opened.bind(address)
            if kind == socket.SOCK_STREAM:
                opened.listen()
            opened.settimeout(0.5)
            return opened

        def arrived() -> bool:
            with contextlib.suppress(TimeoutError):
                return udp.recv(100) == b"datagram"
            return False

        abstract = f"hf-{secrets.token_hex(8)}"
        path = str(tmp_path / "listener")
        tcp = listener(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0))
        udp = listener(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0))
        listener(socket.AF_UNIX, socket.SOCK_STREAM, path)
        listener(socket.AF_UNIX, socket.SOCK_STREAM, f"\0{abstract}")
        targets = [tcp.getsockname()[1], udp.getsockname()[1], path, abstract]
        argv = ["python3", "-c", NETWORK, json.dumps(targets)]
        reached = {}
        for name, executor in (("outside", LocalExecutor()), ("inside", fence)):
            done = executor.run(argv, SECONDS)
            assert done.returncode == 0, done.stderr
            # A datagram is sent into the void without an error: its arrival counts.
            reached[name] = {**json.loads(done.stdout), "udp": arrived()}
    assert set(reached["outside"].values()) == {True}
    assert set(reached["inside"].values()) == {False}


@functools.cache
def image() -> bytes:
    """A root file system with a shell and a few programs, as a tar."""
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w") as tar:
        for folder in ("dev", "etc", "proc", "sys"):
            tar.addfile(entry(folder, tarfile.DIRTYPE))
        tar.addfile(entry("tmp", tarfile.DIRTYPE, mode=0o1777))
        found = {f"/bin/{name}": Path(shutil.which(name)) for name in PROGRAMS}
        libraries = set().union(*map(shared_libraries, found.values()))
        for name, path in [*found.items(), *((str(path), path) for path in libraries)]:
            tar.addfile(
                entry(name, size=path.stat().st_size), io.BytesIO(path.read_bytes())
            )
    return written.getvalue()


def load_image(engine: Engine) -> str:
    """Give an engine our image and run it once; why that did not work, or nothing."""
    environment = engine.environment()
    program = shutil.which(engine.name, path=environment["PATH"])
    options = PODMAN_OPTIONS if engine.name == "podman" else ()
    trial = ["run", "--rm", "--network=none", "--entrypoint=sh", *options, IMAGE]
    for arguments, given in (
        (["import", "-", IMAGE], image()),
        ([*trial, "-c", ":"], b""),
    ):
        done = subprocess.run(
            [program, *arguments],
            input=given,
            env=environment,
            capture_output=True,
            timeout=120,
        )
        if done.returncode != 0:
            return done.stderr.decode("utf-8", "replace").strip()
    return ""


@contextlib.contextmanager
def docker_with_our_image():
    """The engine of `docker_engine`, with our image."""
    with docker_engine() as engine:
        assert not (problem := load_image(engine)), problem
        yield engine
        engine.command("rmi", IMAGE)


@contextlib.contextmanager
def podman_with_our_image():
    """The engine of `podman_engine`, whose ways to run are tried with our image."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(test_interop, "try_podman", load_image)
        with podman_engine() as engine:
            yield engine


ENGINES = {"docker": docker_with_our_image, "podman": podman_with_our_image}


@pytest.fixture(scope="module")
def engines():
    """Both engines, started side by side: a future of each."""
    with contextlib.ExitStack() as stack, ThreadPoolExecutor() as pool:
        yield {
            name: pool.submit(stack.enter_context, start())
            for name, start in ENGINES.items()
        }


@pytest.fixture(scope="module", params=ENGINES)
def engine(request, engines):
    """Each engine that runs here; our code in this process uses it too."""
    engine = engines[request.param].result()
    with pytest.MonkeyPatch.context() as patch:
        for name, value in engine.variables.items():
            patch.setenv(name, value)
        yield engine


@pytest.fixture(scope="module")
def container(engine):
    """A container that runs, for all tests of an engine."""
    with contextlib.ExitStack() as stack:
        try:
            started = started_container(engine.name, IMAGE)
            executor = stack.enter_context(started)
        except ExecutorError as error:
            unavailable(engine.name, str(error))
        yield executor


@pytest.fixture(scope="module")
def seen(container):
    """The container's fingerprint, taken once as at the start of a Host."""
    return fingerprint(container)


def ours(engine) -> list[str]:
    """Every container with our label, running or not."""
    return engine.command("ps", "-aq", f"--filter=label={LABEL}").split()


def test_the_container_is_another_shell(container, seen, tmp_path):
    """Workspace, host name, files, variables and network are not the Host's."""
    workspace = tmp_path / "mnt" / "Workspace"
    workspace.mkdir(parents=True)
    local = LocalExecutor(tmp_path)
    here = fingerprint(local)
    assert here["workspace"] == str(workspace)
    assert seen["workspace"] is None
    assert seen["host"] not in ("unknown", here["host"])
    notes = workspace / "notes.txt"
    notes.write_text("canary", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PLANTED", "canary")
        show = 'cat "$1"; env; echo ---; cat /proc/net/dev'
        outside = shell(local, show, notes).stdout
        inside, _, interfaces = shell(container, show, notes).stdout.partition(b"---")
    assert outside.startswith(b"canary") and b"PLANTED=canary" in outside
    assert b"canary" not in inside
    assert re.findall(rb"(\w+):", interfaces) == [b"lo"]


def test_both_calls_fail_on_the_cloud_side(container, seen):
    """One tool is stopped before it runs; the other's empty output is an error."""
    find = 'ls "$HOME/mnt" 2>/dev/null | head -n 1'
    for name, words in (
        ("run_on_desktop", "not run"),
        ("run_in_sandbox", "exit=0 but the output is empty"),
    ):
        result = dispatch("toolu_1", name, find, seen, executor=container)
        assert result["is_error"] is True
        assert words in result["content"]
    result = dispatch("toolu_1", "run_in_sandbox", "echo hi", seen, executor=container)
    assert result["content"] == "hi"


def test_what_a_command_writes_stays_for_the_next(container):
    """Other than in the fence, /tmp of one command is the next one's too."""
    assert shell(container, "echo kept > /tmp/kept").returncode == 0
    assert shell(container, "cat /tmp/kept").stdout == b"kept\n"


def test_killing_the_command_is_not_enough(engine, container, mark):
    """The control: the engine's command is killed, and what it started runs on."""
    program = shutil.which(engine.name)
    name = container._container
    argv = [program, "exec", name, "sh", "-c", WAITS, "sh", mark]
    with subprocess.Popen(argv) as command:
        assert wait_until(lambda: len(inside_with(mark)) >= 2)
        command.kill()
    time.sleep(0.2)
    assert inside_with(mark)
    # Any command through our executor ends it.
    assert container.run(["sh", "-c", ":"], SECONDS).returncode == 0
    assert wait_until(lambda: not processes_with(mark))


def inside_with(mark: str) -> list[int]:
    """Processes with this argument that are no command of an engine."""
    engines = (b"docker", b"podman", b"conmon", b"runc", b"crun")
    found = []
    for pid in processes_with(mark):
        with contextlib.suppress(OSError):
            program = Path(f"/proc/{pid}/comm").read_bytes().strip()
            if program not in engines:
                found.append(pid)
    return found


KINDS = {
    "child": 'sh -c "sleep 300; :" "$1" &',
    "own session": 'setsid sh -c "sleep 300; :" "$2" &',
    "orphan": '(setsid sh -c "sleep 300; :" "$3" > /dev/null 2>&1 &)',
    "deaf": """(trap '' TERM HUP INT; sh -c "sleep 300; :" "$4") &""",
}


def test_the_deadline_ends_what_runs_inside(container, mark):
    """At the deadline everything ends that a command has started, in any session."""
    marks = {kind: f"{mark}-{number}" for number, kind in enumerate(KINDS)}
    seen = {}

    def watch() -> None:
        for kind, its in marks.items():
            seen[kind] = wait_until(lambda its=its: inside_with(its))

    watcher = threading.Thread(target=watch)
    watcher.start()
    script = "\n".join([*KINDS.values(), "sleep 300"])
    done = shell(container, script, *marks.values(), seconds=1.5)
    watcher.join()
    assert done.timed_out
    assert seen == dict.fromkeys(KINDS, True), "it never ran: nothing is proved"
    for its in marks.values():
        assert wait_until(lambda its=its: not processes_with(its))
    assert shell(container, "echo fine").stdout == b"fine\n"


def test_what_is_left_in_the_background_ends(container, mark):
    """With a command that succeeds ends what it left behind."""
    command = f"(setsid {WAITS} > /dev/null 2>&1 &) ; sleep 0.5; echo done"
    done = shell(container, command, mark)
    assert (done.returncode, done.stdout) == (0, b"done\n")
    assert wait_until(lambda: not processes_with(mark))


def test_a_container_that_is_gone_is_a_failure(engine, container):
    """It is removed after an error; then no command is a success, and it says why."""
    running = ours(engine)
    with (
        pytest.raises(ZeroDivisionError),
        started_container(engine.name, IMAGE) as lost,
    ):
        assert len(ours(engine)) == len(running) + 1
        seen = fingerprint(lost)
        raise ZeroDivisionError
    assert ours(engine) == running
    done = lost.run(["sh", "-c", "echo hi"], SECONDS)
    assert done.returncode == 125
    assert b"not confirmed" in done.stderr
    result = dispatch("toolu_1", "run_in_sandbox", "echo hi", seen, executor=lost)
    assert result["is_error"] is True
    with pytest.raises(ExecutorError, match=r"(?i)no such"):
        ContainerExecutor(engine.name, lost._container)


@pytest.mark.parametrize("mode", ["host", "container:NAME"])
def test_a_container_without_its_own_processes_is_refused(engine, container, mode):
    """Where ending everything would end others too, no executor is made."""
    mode = mode.replace("NAME", container._container)
    name = f"two-shells-{secrets.token_hex(8)}"
    # Nothing is run in it: that would be the damage.
    options = [f"--name={name}", "--network=none", f"--pid={mode}", "--entrypoint=sh"]
    if engine.name == "podman":
        options += PODMAN_OPTIONS
    engine.command("run", "--detach", *options, IMAGE, "-c", "sleep 300")
    try:
        with pytest.raises(ExecutorError, match="shares its processes"):
            ContainerExecutor(engine.name, name)
    finally:
        engine.command("rm", "--force", name)


def test_nothing_is_downloaded_and_nothing_stays(engine, container):
    """A missing image is an error with the engine's reason, and leaves nothing."""
    running = ours(engine)
    with (
        pytest.raises(ExecutorError, match=r"(?i)no such image|not known|not found"),
        started_container(engine.name, "local/no-such-image:1"),
    ):
        pytest.fail("there is no such image")
    assert ours(engine) == running


def test_the_demo_in_a_container(engine, container):
    """The demo tells its story with a container as the cloud side."""
    done = run_local(
        [
            sys.executable,
            str(CODE / "demo.py"),
            f"--engine={engine.name}",
            f"--image={IMAGE}",
        ],
        60,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    verdicts = re.findall(r"\((\w+)\), (\w+): (\w+)", done.stdout.decode())
    assert verdicts == [
        (engine.name, "run_on_desktop", "error"),
        (engine.name, "run_in_sandbox", "error"),
        ("local", "run_on_desktop", "ok"),
        ("local", "run_in_sandbox", "ok"),
        ("local", "run_in_sandbox", "ok"),
        (engine.name, "run_on_desktop", "error"),
    ]
    assert "swapped" in done.stdout.decode().splitlines()[-1]


def test_the_second_shell_of_this_machine(fence, tmp_path):
    """Where bubblewrap works, the second shell is the fence, and not simulated."""
    assert second_shell(tmp_path).name == "fenced"
