"""Real counterparts: what a real engine enforces, seen from inside a container.

Docker is used where `SANDBOX_IMAGE` names an image with Python (on the engine that
`docker` talks to), or where we are root and dockerd is installed: then an engine
of our own is started with `tests/engine/start.sh`. podman is used where a trial
container runs. Elsewhere the tests are skipped with the reason, unless the
variable REQUIRE_INTEROP names the counterpart: `REQUIRE_INTEROP=docker`.
"""

import contextlib
import json
import os
import re
import secrets
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ENGINE = ROOT / "tests" / "engine"
CODE = ROOT / "stages" / "12-agent-workspace-sandbox" / "code"
sys.path.insert(0, str(CODE))

from check_support import is_running, wait_until  # noqa: E402
from container_profile import LABEL, LIMITS, Profile, new_name  # noqa: E402
from container_run import Container, Killed, LeftBehind, TimedOut  # noqa: E402
from engine_cli import EngineCLI, NotRun  # noqa: E402
from runner import CommandResult  # noqa: E402
from workspace import AgentWorkspace  # noqa: E402

REQUIRED = os.environ.get("REQUIRE_INTEROP", "").split(",")
# In the command lines of what a container runs, and of podman's monitor for it.
INSIDE = b"/checker.py\0/report.md"
MONITOR = b"\0-n\0host-first-"


def unavailable(counterpart: str, reason: str):
    """Skip, or fail where this counterpart is required."""
    (pytest.fail if counterpart in REQUIRED else pytest.skip)(reason)


@dataclass
class Engine:
    """An engine that runs, and the image that it has."""

    name: str
    image: str
    variables: dict[str, str] = field(default_factory=dict)

    def environment(self) -> dict[str, str]:
        """The variables of a process that uses this engine."""
        return {**os.environ, **self.variables}

    def command(self, *arguments: str) -> str:
        """What the engine's command prints."""
        program = shutil.which(self.name, path=self.environment()["PATH"])
        done = subprocess.run(
            [program, *arguments],
            env=self.environment(),
            capture_output=True,
            encoding="utf-8",
            timeout=60,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def containers(self) -> list[str]:
        """Everything with our label, running or not."""
        return self.command("ps", "-aq", f"--filter=label={LABEL}").split()


def start_docker(folder: Path, *prefix: str) -> Engine:
    """Start an engine of our own, or start it again, and read what to export."""
    done = subprocess.run(
        [*prefix, "sh", str(ENGINE / "start.sh"), str(folder)],
        env={**os.environ, "PYTHON": sys.executable},
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    lines = (shlex.split(line)[1] for line in done.stdout.splitlines())
    exported = dict(line.split("=", 1) for line in lines)
    image = exported.pop("SANDBOX_IMAGE")
    return Engine("docker", image, exported)


def stop_docker(folder: Path) -> None:
    """Stop it by its pid file and take its data away."""
    script = str(ENGINE / "stop.sh")
    subprocess.run(["sh", script, str(folder)], check=True, timeout=120)
    shutil.rmtree(folder)


def why_no_docker_of_our_own() -> str:
    """The reason why we cannot start dockerd here, or nothing."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return "set SANDBOX_IMAGE, or run as root on Linux to start dockerd"
    if not shutil.which("dockerd") or not shutil.which("docker"):
        return "needs dockerd: apt-get install --no-install-recommends docker.io"
    return ""


@contextlib.contextmanager
def docker_engine():
    """The engine that we were given, or one of our own."""
    if sys.platform != "linux":
        unavailable("docker", "the probe's questions are Linux's")
    if image := os.environ.get("SANDBOX_IMAGE"):
        yield Engine("docker", image)
        return
    if reason := why_no_docker_of_our_own():
        unavailable("docker", reason)
    folder = Path(tempfile.mkdtemp(prefix="hf-engine-"))
    try:
        yield start_docker(folder)
    finally:
        stop_docker(folder)


@contextlib.contextmanager
def podman_engine():
    """podman with a store of its own, in the first way in which it runs."""
    podman = shutil.which("podman")
    if sys.platform != "linux" or not podman:
        unavailable("podman", "needs podman: apt-get install podman catatonit")
    with tempfile.TemporaryDirectory(prefix="hf-podman-") as folder:
        store = [podman, "--root", f"{folder}/root", "--runroot", f"{folder}/run"]
        program = Path(folder, "podman")
        search = {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
        engine = Engine("podman", "local/host-first-python:ci", search)
        # crun refuses hybrid control groups, and only systemd's manager needs systemd.
        plain = ["--cgroup-manager=cgroupfs"]
        runc = [*plain, f"--runtime={shutil.which('runc') or 'runc'}"]
        for options in ([], plain, runc):
            line = shlex.join([*store, *options])
            program.write_text(f'#!/bin/sh\nexec {line} "$@"\n', encoding="utf-8")
            program.chmod(0o755)
            if not (reason := try_podman(engine)):
                break
        else:
            unavailable("podman", f"podman runs no container here: {reason}")
        try:
            yield engine
        finally:
            engine.command("rm", "--all", "--force")
            mounted = Path(folder, "root", "overlay")
            if mounted.is_mount():
                subprocess.run(["umount", str(mounted)], check=True)


def try_podman(engine: Engine) -> str:
    """Import the image and run our profile once; why that did not work, or nothing."""
    make_image = shlex.join([sys.executable, str(ENGINE / "make_image.py")])
    line = f"{make_image} | podman import --quiet - {engine.image}"
    environment = engine.environment()
    done = subprocess.run(
        ["sh", "-c", line], env=environment, capture_output=True, encoding="utf-8"
    )
    if done.returncode != 0:
        return done.stderr.strip()
    done = run_demo(engine)
    return "" if done.returncode == 0 else done.stderr.strip()


@pytest.fixture(scope="module", params=[docker_engine, podman_engine])
def engine(request):
    """Each engine that runs here; our code in this process uses it too."""
    with request.param() as engine, pytest.MonkeyPatch.context() as patch:
        for name, value in engine.variables.items():
            patch.setenv(name, value)
        yield engine


@pytest.fixture(autouse=True)
def nothing_is_left(request):
    """After each test: no container with our label, no process that ran in one."""
    yield
    if "engine" in request.fixturenames:
        assert request.getfixturevalue("engine").containers() == []
    for mark in (INSIDE, MONITOR):
        assert wait_until(lambda mark=mark: not processes_with(mark)), mark


def processes_with(mark: bytes) -> list[int]:
    """Processes of this machine, containers included, with this command line."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if mark in path.read_bytes():
                found.append(int(path.parent.name))
    return found


def run_demo(
    engine: Engine, *arguments: str, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run `sandbox_demo.py --run` as a reader would."""
    return subprocess.run(
        demo_command(engine, *arguments),
        env={**engine.environment(), **variables},
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )


def demo_command(engine: Engine, *arguments: str) -> list[str]:
    """The command line of the demo for this engine."""
    choice = ["--engine", engine.name, "--image", engine.image]
    demo = str(CODE / "sandbox_demo.py")
    return [sys.executable, demo, "--run", *choice, *arguments]


def run_probe(
    engine: Engine,
    folder: Path,
    targets: dict,
    *,
    gate: bool = True,
    timeout_seconds: float = 60,
    grace_seconds: float = 20,
) -> CommandResult:
    """Run the probe in the place of the checker; the attached command's result."""
    checker = folder / "probe.py"
    shutil.copyfile(CODE / "probe.py", checker)
    report = write_targets(folder, targets)
    name = new_name()
    profile = Profile(engine.name, engine.image, name, checker, report)
    with AgentWorkspace.temporary() as workspace:
        cli = EngineCLI(engine.name, workspace)
        if gate:
            cli.require_limits()
        with Container(cli, name, grace_seconds=grace_seconds) as container:
            return container.run(
                profile.create_arguments(), LIMITS, timeout_seconds=timeout_seconds
            )


def write_targets(folder: Path, targets: dict) -> Path:
    """The probe's orders, in a file that everybody may write: it tries to."""
    report = folder / "report.md"
    report.write_text(json.dumps(targets), encoding="utf-8")
    report.chmod(0o666)
    return report


def plain_child(folder: Path, targets: dict, **variables: str) -> dict:
    """The positive control: the same probe as an ordinary process.

    Between it and us is a parent that has the planted secret in the environment
    with which it began, as the first process in a container would.
    """
    probe = [sys.executable, "-I", "-S", "-B", str(CODE / "probe.py")]
    command = [*probe, str(write_targets(folder, targets))]
    parent = f"import subprocess, sys; sys.exit(subprocess.run({command!r}).returncode)"
    done = subprocess.run(
        [sys.executable, "-c", parent],
        env={**os.environ, **variables},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def open_folder():
    """A folder below /tmp that other users may enter."""
    with tempfile.TemporaryDirectory(prefix="hf-probe-") as name:
        folder = Path(name).resolve()
        folder.chmod(0o755)
        yield folder


@dataclass(frozen=True)
class Seen:
    """What the probe reported from both sides, and what arrived at the listener."""

    inside: dict
    outside: dict
    datagrams_from_inside: int
    datagrams_from_outside: int
    victim_survived_inside: bool


@pytest.fixture(scope="module")
def seen(engine):
    """One run in a container and one as a plain child, with the same targets."""
    with contextlib.ExitStack() as stack:
        name = stack.enter_context(tempfile.TemporaryDirectory(prefix="hf-probe-"))
        folder = Path(name).resolve()
        folder.chmod(0o755)
        (folder / "canary.txt").write_text("canary", encoding="utf-8")

        def listener(family: int, kind: int, address: object) -> socket.socket:
            opened = stack.enter_context(socket.socket(family, kind))
            opened.bind(address)
            if kind == socket.SOCK_STREAM:
                opened.listen()
            opened.settimeout(0.5)
            return opened

        def datagrams() -> int:
            try:
                return len(udp.recv(100)) and 1
            except TimeoutError:
                return 0

        abstract = f"hf-{secrets.token_hex(8)}"
        path = str(folder / "listener")
        tcp = listener(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0))
        udp = listener(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0))
        listener(socket.AF_UNIX, socket.SOCK_STREAM, path)
        listener(socket.AF_UNIX, socket.SOCK_STREAM, "\0" + abstract)
        Path(path).chmod(0o666)
        sleep = [sys.executable, "-c", "import time; time.sleep(600)"]
        victim = stack.enter_context(subprocess.Popen(sleep))
        stack.callback(victim.kill)
        secret = secrets.token_hex(16)
        targets = {
            "action": "look",
            "host_file": str(folder / "canary.txt"),
            "secret": secret,
            "tcp_port": tcp.getsockname()[1],
            "udp_port": udp.getsockname()[1],
            "unix_path": path,
            "abstract_name": abstract,
            "victim_pid": victim.pid,
        }
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("PLANTED", secret)
            ended = run_probe(engine, folder, targets)
        assert ended.returncode == 0, ended.stderr
        inside, first = json.loads(ended.stdout), datagrams()
        survived = is_running(victim.pid)
        outside = plain_child(folder, targets, PLANTED=secret)
        return Seen(inside, outside, first, datagrams(), survived)


# What a plain child gets done, and what stops the same program in the container.
MATRIX = {
    "read a Host file": ("canary", "ENOENT"),
    "secret in own environment": ("FOUND", "absent"),
    "secret in the first process": ("FOUND", "absent"),
    "connect by TCP": ("CONNECTED", "ECONNREFUSED"),
    "connect to a path": ("CONNECTED", "ENOENT"),
    "connect to an abstract name": ("CONNECTED", "ECONNREFUSED"),
    "write the report": ("OPENED", "EROFS"),
    "write beside it": ("OPENED", "EROFS"),
    "execute from /tmp": ("EXECUTED", "EACCES"),
    "write to /dev/shm": ("OPENED", "ENOENT"),
    "signal a Host process": ("SIGNALLED", "ESRCH"),
    "user namespace": ("ALLOWED", "EPERM"),
    "no new privileges": (0, 1),
    "seccomp": (0, 2),
    "fill /tmp": ("NOT LIMITED", "ENOSPC after 16 MiB"),
}
# Where podman, with the same profile, does not do what docker does.
PODMAN_DIFFERS = {
    # Its default seccomp filter lets new user namespaces through.
    "user namespace": "ALLOWED",
}


@pytest.mark.parametrize("fact", MATRIX)
def test_what_the_container_stops(fact, seen, engine):
    """An attempt that a plain child succeeds with has the expected end inside."""
    works, stopped = MATRIX[fact]
    if engine.name == "podman":
        stopped = PODMAN_DIFFERS.get(fact, stopped)
    assert seen.inside[fact] == stopped
    if fact == "user namespace" and seen.outside[fact] != works:
        pytest.skip("no control: this machine allows a plain child none either")
    assert seen.outside[fact] == works


def test_a_program_in_memory_is_not_stopped(seen):
    """What no folder holds can be run, inside as well: `noexec` is about files."""
    works = seen.outside["execute from memory"]
    assert works in ("EXECUTED", "EACCES")  # a Host can forbid it (vm.memfd_noexec)
    assert seen.inside["execute from memory"] == works


def test_who_the_program_is(seen):
    """Inside it is user 65534, outside whoever we are."""
    assert (seen.inside["user id"], seen.outside["user id"]) == (65534, os.getuid())


def test_datagrams_do_not_arrive(seen):
    """A datagram from inside is sent and lost; a plain child's arrives."""
    assert seen.inside["send by UDP"] == seen.outside["send by UDP"] == "SENT"
    assert (seen.datagrams_from_inside, seen.datagrams_from_outside) == (0, 1)


def test_a_host_process_survives(seen):
    """The process that a plain child ended was still running before."""
    assert seen.victim_survived_inside


def test_the_number_of_processes_is_limited(seen):
    """Fewer than 32 children are possible inside, 100 outside."""
    assert seen.outside["fork 100"] == "NOT LIMITED"
    stopped = re.fullmatch(r"EAGAIN after (\d+)", seen.inside["fork 100"])
    assert stopped, seen.inside["fork 100"]
    assert 20 <= int(stopped[1]) < 32


def test_the_processor_share_is_limited(engine, open_folder):
    """Eight processes together get half a processor inside, and more outside."""
    ended = run_probe(engine, open_folder, {"action": "share"})
    assert 0 < json.loads(ended.stdout)["processor share"] < 0.65

    def outside() -> float:
        return plain_child(open_folder, {"action": "share"})["processor share"]

    # A busy machine may have less than that to give, for a while.
    assert wait_until(lambda: outside() > 0.65, 60)


def test_memory_is_limited(engine, open_folder):
    """300 MiB are given to a plain child and end the program inside."""
    targets = {"action": "memory"}
    assert plain_child(open_folder, targets) == {"memory": "TAKEN"}
    with pytest.raises(Killed) as caught:
        run_probe(engine, open_folder, targets)
    # podman with runc does not record it: the signal is all that is known.
    reason = "memory limit" if engine.name == "docker" else "memory limit|signal 9"
    assert re.search(reason, str(caught.value))


def test_memory_of_a_child_is_limited(engine, open_folder):
    """A child that hits the limit spoils the run, though the program ends with 0."""
    targets = {"action": "memory in a child"}
    assert plain_child(open_folder, targets) == {"memory": "TAKEN"}
    try:
        ended = run_probe(engine, open_folder, targets)
    except Killed as error:
        assert "memory limit" in str(error)
        return
    # podman with runc records nothing: only the program itself could tell.
    assert engine.name == "podman"
    assert json.loads(ended.stdout) == {"memory": -signal.SIGKILL}


def test_a_grandchild_does_not_outlive_the_deadline(engine, open_folder):
    """A session of its own saves a grandchild from a kill, and not from removal."""
    marker = f"marker-{secrets.token_hex(8)}"
    targets = {"action": "outlive", "marker": marker}
    probe = [sys.executable, "-I", "-S", "-B", str(CODE / "probe.py")]
    report = write_targets(open_folder, targets)
    with subprocess.Popen([*probe, str(report)], start_new_session=True) as child:
        try:
            assert wait_until(lambda: processes_with(marker.encode()))
        finally:
            os.killpg(child.pid, signal.SIGKILL)
    survivors = processes_with(marker.encode())
    for pid in survivors:
        os.kill(pid, signal.SIGKILL)
    assert survivors, "the control must survive the kill of its parent's group"
    assert wait_until(lambda: not processes_with(marker.encode()))

    appeared = threading.Event()

    def watch() -> None:
        if wait_until(lambda: processes_with(marker.encode()), 30):
            appeared.set()

    watcher = threading.Thread(target=watch)
    watcher.start()
    with pytest.raises(TimedOut):
        run_probe(engine, open_folder, targets, timeout_seconds=5)
    watcher.join()
    assert appeared.is_set(), "the grandchild never ran: the test proves nothing"
    assert wait_until(lambda: not processes_with(marker.encode()))


def test_a_flood_is_cut(engine, open_folder):
    """50 MiB of output are drained, cut and not stored by the engine."""
    ended = run_probe(engine, open_folder, {"action": "flood"})
    assert ended.returncode == 0
    assert ended.truncated
    assert len(ended.stdout) <= 65_536


GOOD = "## Background\n\nA\n\n## Risks\n\nB\n\n## Recommendation\n\nC\n"


@pytest.mark.parametrize(
    ("text", "code"),
    [(GOOD, 0), (GOOD.replace("## Risks", "Risks"), 2), (GOOD + "```\n", 3)],
    ids=["passed", "said no", "could not be checked"],
)
def test_reports_in_an_awkward_place(text, code, engine, tmp_path):
    """Comma, space and Chinese in the report's and the copies' path change nothing."""
    folder = tmp_path / "a, b 报告"
    folder.mkdir()
    report = folder / "report, 最终.md"
    report.write_text(text, encoding="utf-8")
    done = run_demo(engine, "--report", str(report), TMPDIR=str(folder))
    assert done.returncode == code, done.stderr
    assert len(done.stderr.splitlines()) == (code == 3)
    assert list(folder.iterdir()) == [report]
    assert report.read_text(encoding="utf-8") == text


def test_the_listing_is_of_exactly_one_name(engine):
    """The pattern that proves removal does match a container, and no other's name."""
    name = new_name()
    with AgentWorkspace.temporary() as workspace:
        cli = EngineCLI(engine.name, workspace)
        engine.command("create", "--name", name, engine.image, "python")
        try:
            for pattern, count in ((f"^{name}$", 1), (f"^{name[:-1]}$", 0)):
                listed = cli.call("ps", "--all", "--quiet", f"--filter=name={pattern}")
                assert len(listed.stdout.split()) == count
        finally:
            engine.command("rm", "--force", name)


def test_a_missing_image_is_an_error(engine):
    """Nothing is downloaded, and nothing runs in another place instead."""
    missing = Engine(engine.name, "local/no-such-image:1", engine.variables)
    done = run_demo(missing)
    assert (done.returncode, done.stdout) == (4, "")
    assert len(done.stderr.splitlines()) == 1
    assert "created no container" in done.stderr


def test_a_missing_engine_is_an_error(engine):
    """An engine that does not answer is said, and nothing runs locally."""
    if engine.name != "docker":
        pytest.skip("podman has no daemon that could be away")
    search = engine.environment()["PATH"].split(os.pathsep)
    clients = [folder for folder in search if shutil.which("docker", path=folder)]
    for folder in dict.fromkeys(clients):  # releases differ in how they say it
        path = os.pathsep.join([folder, *search])
        done = run_demo(engine, DOCKER_HOST="unix:///nowhere.sock", PATH=path)
        assert (done.returncode, done.stdout) == (4, ""), folder
        assert "docker does not answer: " in done.stderr
        assert "Is the docker daemon running?" in done.stderr


def test_a_name_that_is_taken(engine, open_folder):
    """A container that has the name already is not touched, though nothing runs."""
    name = new_name()
    report = write_targets(open_folder, {})
    profile = Profile(engine.name, engine.image, name, report, report)
    engine.command("create", "--name", name, engine.image, "python")
    try:
        with (
            AgentWorkspace.temporary() as workspace,
            pytest.raises(NotRun, match=r"created no container: .*\bin use\b"),
            Container(EngineCLI(engine.name, workspace), name) as container,
        ):
            container.run(profile.create_arguments(), LIMITS, timeout_seconds=30)
        listed = engine.command("ps", "-aq", f"--filter=name=^{name}$")
        assert len(listed.split()) == 1
    finally:
        engine.command("rm", "--force", name)


def test_an_archive_is_no_image(engine, tmp_path):
    """podman takes an archive for an image, and loads it; the demo does not."""
    if engine.name != "podman":
        pytest.skip("only podman reads an image's name as the place of an archive")
    archive = f"oci-archive:{tmp_path / 'x.tar'}"
    name = "localhost/archived:1"
    engine.command("tag", engine.image, name)
    engine.command("save", "--format=oci-archive", "-o", str(tmp_path / "x.tar"), name)
    engine.command("untag", engine.image, name)
    before = engine.command("images", "--quiet", "--all", "--no-trunc")
    done = run_demo(Engine("podman", archive, engine.variables))
    assert (done.returncode, done.stdout) == (4, "")
    assert "not the name of an image" in done.stderr
    listing = ("images", "--format={{.ID}} {{.Repository}}")
    assert engine.command("images", "--quiet", "--all", "--no-trunc") == before
    assert "archived" not in engine.command(*listing)
    created = engine.command("create", "--pull=never", archive, "python").strip()
    try:
        assert "archived" in engine.command(*listing), "the control: podman loads it"
    finally:
        engine.command("rm", created)
        engine.command("rmi", name)


def test_an_image_whose_python_does_not_start(engine, tmp_path):
    """What ends in its place is not our checker, and the report is not to blame."""
    image = Engine(engine.name, "local/host-first-loop:ci", engine.variables)
    with tarfile.open(tmp_path / "x.tar", "w") as tar:
        link = tarfile.TarInfo("usr/local/bin/python")
        link.type, link.linkname = tarfile.SYMTYPE, "python"
        tar.addfile(link)
    engine.command("import", str(tmp_path / "x.tar"), image.image)
    try:
        done = run_demo(image)
    finally:
        engine.command("rmi", image.image)
    assert (done.returncode, done.stdout) == (4, "")
    assert len(done.stderr.splitlines()) == 1
    assert re.search("no verdict: .*(symbolic links|not found)", done.stderr)


class LosingProxy:
    """A way to the engine on which the answer to a creation gets lost.

    The request goes through, and the command that asked loses its connection.
    """

    def __init__(self, folder: Path, engine: str) -> None:
        self.address = f"unix://{folder}/proxy.sock"
        self._engine = engine
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(folder / "proxy.sock"))
        self._listener.listen()
        self._threads = [threading.Thread(target=self._accept)]
        self.lost: list[bytes] = []

    def __enter__(self) -> "LosingProxy":
        self._threads[0].start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()
        self._listener.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                thread = threading.Thread(target=self._serve, args=(client,))
                self._threads.append(thread)
                thread.start()

    def _serve(self, client: socket.socket) -> None:
        with client, socket.socket(socket.AF_UNIX) as engine:
            engine.connect(self._engine)
            answers = threading.Thread(target=self._copy, args=(engine, client))
            answers.start()
            lost = False
            while data := client.recv(65_536):
                if b"/containers/create" in data:
                    head, _, body = data.partition(b"\r\n\r\n")
                    length = int(re.search(rb"Content-Length: (\d+)", head)[1])
                    while len(body) < length:
                        body += client.recv(65_536)
                    lost = True
                    client.shutdown(socket.SHUT_RDWR)
                    data = head + b"\r\n\r\n" + body
                engine.sendall(data)
            if not lost:  # else the engine would see it, and might give up
                engine.shutdown(socket.SHUT_WR)
            answers.join(30)

    def _copy(self, source: socket.socket, destination: socket.socket) -> None:
        while data := source.recv(65_536):
            try:
                destination.sendall(data)
            except OSError:
                self.lost.append(data)
                return


def test_the_answer_to_a_creation_is_lost(engine):
    """A container that was created unknown to its command is found and removed."""
    host = engine.environment().get("DOCKER_HOST", "")
    if engine.name != "docker" or not host.startswith("unix://"):
        pytest.skip("needs docker at a socket that DOCKER_HOST names")
    with (
        tempfile.TemporaryDirectory(prefix="hf-proxy-") as folder,
        LosingProxy(Path(folder), host.removeprefix("unix://")) as proxy,
    ):
        done = run_demo(engine, DOCKER_HOST=proxy.address)
    assert [b"201 Created" in answer for answer in proxy.lost] == [True]
    assert (done.returncode, done.stdout) == (4, "")
    assert "docker created no container: " in done.stderr
    assert "may be left" not in done.stderr


def children_of(parent: int, name: str) -> list[int]:
    """The running children of a process that have this name."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            before, _, after = path.read_text(encoding="utf-8").rpartition(")")
            state, ppid = after.split()[:2]
            if int(ppid) == parent and before.endswith(name) and state not in "ZX":
                found.append(int(path.parent.name))
    return found


def end_monitors(engine: Engine) -> None:
    """End the monitors that podman, which has no daemon, leaves when it is killed.

    That is while it starts a container: they run nothing, and none of its commands
    ends them.
    """
    monitors = processes_with(MONITOR)
    for pid in monitors:
        os.kill(pid, signal.SIGKILL)
    assert engine.name == "podman" or not monitors


def test_the_command_is_killed_at_ten_moments(engine):
    """Whenever the engine's command is killed: a clear result, nothing left behind."""
    start = time.monotonic()
    assert run_demo(engine).returncode == 0
    usual = time.monotonic() - start
    codes = []
    for moment in range(10):
        with subprocess.Popen(
            demo_command(engine),
            env=engine.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        ) as demo:
            time.sleep(usual * (moment + 0.5) / 10)
            killed = None
            while killed is None and demo.poll() is None:
                for pid in children_of(demo.pid, engine.name)[:1]:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
                        killed = pid
            output, errors = demo.communicate(timeout=60)
        codes.append(demo.returncode)
        assert demo.returncode in (0, 4), errors
        assert len(errors.splitlines()) == (demo.returncode == 4), errors
        assert ("passed" in output) == (demo.returncode == 0)
        assert wait_until(lambda: engine.containers() == [])
    end_monitors(engine)
    assert 4 in codes, f"no kill came at a moment that matters: {codes}"


def test_two_signals_at_six_moments(engine, tmp_path):
    """Ctrl-C or SIGTERM, and again while we clean up: no container is left."""
    start = time.monotonic()
    assert run_demo(engine).returncode == 0
    usual = time.monotonic() - start
    codes = []
    for moment in range(6):
        number = (signal.SIGINT, signal.SIGTERM)[moment % 2]
        with subprocess.Popen(
            demo_command(engine),
            env={**engine.environment(), "TMPDIR": str(tmp_path)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        ) as demo:
            time.sleep(usual * (moment + 2) / 8)
            demo.send_signal(number)
            time.sleep(0.03)
            demo.send_signal(number)
            _, errors = demo.communicate(timeout=60)
        codes.append(demo.returncode)
        if "may be left" in errors:  # while it was created, which nobody can say
            assert "to create it is not answered" in errors
            engine.command(*errors.split()[-4:][1:])
        assert engine.containers() == []
    end_monitors(engine)
    assert {130, 143} & set(codes), f"no signal came at a moment that matters: {codes}"


def test_the_engine_dies_during_a_run(open_folder):
    """A lost engine means no verdict, and the message says how to clean up."""
    if reason := why_no_docker_of_our_own():
        unavailable("docker", reason)
    folder = Path(tempfile.mkdtemp(prefix="hf-engine-"))
    marker = f"marker-{secrets.token_hex(8)}"
    targets = {"action": "outlive", "marker": marker}
    engine = start_docker(folder)

    def kill_the_engine() -> None:
        if wait_until(lambda: processes_with(marker.encode()), 30):
            daemon = int((folder / "pid").read_text(encoding="utf-8"))
            os.kill(daemon, signal.SIGKILL)

    killer = threading.Thread(target=kill_the_engine)
    try:
        killer.start()
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("DOCKER_HOST", engine.variables["DOCKER_HOST"])
            with pytest.raises(LeftBehind) as caught:
                run_probe(engine, open_folder, targets, grace_seconds=1)
        killer.join()
        advice = f"docker rm --force {caught.value.name}"
        assert str(caught.value).endswith(advice)
        start_docker(folder)
        assert len(engine.containers()) == 1
        engine.command(*advice.split()[1:])
        assert engine.containers() == []
        assert wait_until(lambda: not processes_with(marker.encode()))
    finally:
        killer.join()
        start_docker(folder)  # also after a failure: only a daemon ends containers
        for container in engine.containers():
            engine.command("rm", "--force", container)
        stop_docker(folder)


def test_an_engine_drops_a_limit(open_folder):
    """Without the group for processes docker goes on, and our two gates do not."""
    if reason := why_no_docker_of_our_own():
        unavailable("docker", reason)
    if not Path("/sys/fs/cgroup/pids").is_mount():
        pytest.skip("needs control groups of version 1, where one can be taken away")
    folder = Path(tempfile.mkdtemp(prefix="hf-engine-"))
    hide = 'umount /sys/fs/cgroup/pids && exec "$@"'
    try:
        engine = start_docker(folder, "unshare", "--mount", "sh", "-c", hide, "sh")
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("DOCKER_HOST", engine.variables["DOCKER_HOST"])
            with pytest.raises(NotRun, match="would drop a limit here: pids"):
                run_probe(engine, open_folder, {"action": "flood"})
            with pytest.raises(NotRun, match="dropped a limit: PidsLimit"):
                run_probe(engine, open_folder, {"action": "flood"}, gate=False)
        assert engine.containers() == []
    finally:
        stop_docker(folder)
