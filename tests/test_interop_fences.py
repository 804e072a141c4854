"""Real counterparts: what the kernel's Landlock and bubblewrap keep from a shell.

The stage's own checks show each fence wherever it works; here both have to, when
REQUIRE_INTEROP names an engine, because `.ci/run` installs bubblewrap. Landlock has
to hold wherever the kernel has it; no script can bring it to another one.
"""

import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from test_interop import REQUIRED

ROOT = Path(__file__).resolve().parents[1]
CODE = ROOT / "stages" / "15-shell-dialects" / "code"
sys.path.insert(0, str(CODE))

import landlock  # noqa: E402
from contract import (  # noqa: E402
    CONTRACT,
    FULL_ACCESS,
    MODES,
    READ_ONLY,
    WORKSPACE_WRITE,
    Policy,
)
from dialects import BASH  # noqa: E402
from fences import BWRAP, LANDLOCK, NO_FENCE  # noqa: E402
from file_tool import write_file  # noqa: E402
from promises import check  # noqa: E402
from render import render  # noqa: E402
from shell_tool import ShellTool  # noqa: E402

SECONDS = 60.0
CONFINED = (READ_ONLY, WORKSPACE_WRITE)
CHECKS = {"landlock": "LandlockChecks", "bubblewrap": "BubblewrapChecks"}
# What only root has to give up, an ordinary user cannot show.
ROOTS_OWN = ("needs the right to make devices", "needs to be root")
# How many times a bare `bash -c true` a call may cost.
AT_MOST = {"landlock": 3.0, "bubblewrap": 4.0}
ROUNDS, CALLS = 4, 25


@pytest.fixture(scope="module", params=[LANDLOCK, BWRAP], ids=lambda one: one.name)
def fence(request):
    """Each fence, which has to hold where counterparts are required."""
    reason = request.param.why_not()
    if reason and request.param is LANDLOCK and not landlock.kernel_abi():
        pytest.skip(reason)
    if reason and "docker" in REQUIRED:
        pytest.fail(reason)
    if reason:
        pytest.skip(reason)
    return request.param


@pytest.fixture
def places():
    """A workspace and a folder outside; bubblewrap would hide them if below /tmp."""
    with tempfile.TemporaryDirectory(prefix="hf-fences-", dir="/var/tmp") as name:
        workspace, outside = Path(name, "workspace"), Path(name, "outside")
        workspace.mkdir()
        outside.mkdir()
        (outside / "canary").write_bytes(b"canary")
        yield workspace, outside


def ordinary_user() -> list[str]:
    """The start of a command line that runs the rest as an ordinary user."""
    if not shutil.which("setpriv"):
        pytest.skip("needs setpriv (util-linux) to give up root")
    return ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


def python_for(user: list[str]) -> str:
    """A Python that this user can start: ours may be in root's home."""
    # The checks start it once more, by its real path, when root is given up.
    again = (
        "import os, subprocess, sys; assert sys.version_info >= (3, 10)\n"
        "subprocess.run([os.path.realpath(sys.executable), '-V'], check=True)"
    )
    for python in (sys.executable, "/usr/bin/python3"):
        tried = subprocess.run([*user, python, "-c", again], capture_output=True)
        if tried.returncode == 0:
            return python
    return pytest.skip("needs /usr/bin/python3, of version 3.10 or later")


@pytest.mark.parametrize("user", ["as we are", "ordinary"])
def test_the_fence_holds_for_every_user(fence, user):
    """The stage's checks of the fence run, as root and as another user."""
    if user == "ordinary" and os.geteuid() != 0:
        pytest.skip("we are no root: the other run is the same")
    prefix = ordinary_user() if user == "ordinary" else []
    with tempfile.TemporaryDirectory(prefix="hf-fences-") as name:
        home = Path(name)
        home.chmod(0o755)
        ignored = shutil.ignore_patterns("__pycache__")
        copy = shutil.copytree(CODE, home / "code", ignore=ignored)
        temporary = home / "tmp"
        temporary.mkdir()
        temporary.chmod(0o1777)
        checks = ["-m", "unittest", "-v", f"fence_checks.{CHECKS[fence.name]}"]
        done = subprocess.run(
            [*prefix, python_for(prefix), "-B", *checks],
            cwd=copy,
            env={**os.environ, "TMPDIR": str(temporary), "HOME": str(temporary)},
            capture_output=True,
            encoding="utf-8",
            timeout=300,
        )
    assert re.search(r"^Ran [1-9]\d* tests in .*\n\nOK", done.stderr, re.MULTILINE), (
        done.stderr
    )
    skipped = re.findall(r"skipped ['\"](.*)['\"]$", done.stderr, re.MULTILINE)
    assert [reason for reason in skipped if not reason.startswith(ROOTS_OWN)] == []


@pytest.mark.parametrize("mode", MODES)
def test_the_description_is_true(fence, mode, places):
    """Behind the fence a shell keeps all that its description says, in each mode."""
    tool = ShellTool(BASH, Policy(mode, places[0]), fence)
    assert check(tool) == []
    sentences = tool.description()
    assert (CONTRACT.denied.shown in sentences) == (mode != FULL_ACCESS)
    assert fence.label(mode)[1:] in sentences


@pytest.mark.parametrize("mode", MODES)
def test_both_layers_say_the_same(fence, mode, places):
    """Shell and file tool refuse the same writes, in the same words."""
    workspace, outside = places
    policy = Policy(mode, workspace)
    tool = ShellTool(BASH, policy, fence)
    line = CONTRACT.denied.write(mode)
    for target in (workspace / "new", outside / "new"):
        said = []
        for write in (
            lambda path: tool.run(f"echo x >'{path}'"),
            lambda path: write_file(str(path), "x\n", policy),
        ):
            outcome = write(target)
            said.append(line in render(outcome).splitlines())
            assert bool(outcome.denied) == (not target.exists())
            target.unlink(missing_ok=True)
        allowed = mode == FULL_ACCESS or (mode, target.parent) == (
            WORKSPACE_WRITE,
            workspace,
        )
        assert said == [not allowed] * 2


ROOTS_WAYS_OUT = {
    "the kernel's own values": ": >>/proc/sys/kernel/core_pattern",
    "a mount": 'unshare -m mount -t tmpfs none "$1"',
    "a user namespace": "unshare -U -r -m true",
    "a device": 'mknod "$2/device" c 1 3 && rm "$2/device"',
    "a module": "grep -q '^CapEff:.*[1-9a-f]' /proc/self/status",
}


@pytest.mark.skipif(os.geteuid() != 0, reason="needs to be root, who has such ways")
@pytest.mark.parametrize("way", ROOTS_WAYS_OUT)
def test_root_has_no_other_way_out(fence, way, places):
    """Ways around a fence that only root has are closed; unfenced they are open."""
    argv = ["sh", "-c", ROOTS_WAYS_OUT[way], "sh", *map(str, reversed(places))]
    ended = {}
    for mode in MODES:
        policy = Policy(mode, places[0])
        variables = {"PATH": os.environ["PATH"]}
        launch = fence.launch(argv, policy, policy.workspace, variables)
        _, stderr = launch.process.communicate(timeout=SECONDS)
        assert launch.started()
        ended[mode] = launch.process.returncode
        if mode == FULL_ACCESS and ended[mode] != 0:
            pytest.skip(f"root cannot do that here: {stderr.decode().strip()}")
    assert ended[READ_ONLY] != 0
    assert ended[WORKSPACE_WRITE] != 0


def test_without_user_namespaces_one_fence_is_left(places):
    """Without them bubblewrap says that it makes no fence, and Landlock holds."""
    for one in (LANDLOCK, BWRAP):
        if reason := one.why_not():
            pytest.skip(reason)
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); import fences\n"
        "print(repr(fences.LANDLOCK.why_not()), repr(fences.BWRAP.why_not()))"
    )
    # An ordinary user in a namespace whose limit can be set, and ends with it.
    names = ["unshare", "--user", "--map-user=1000", "--map-group=1000", "--keep-caps"]
    no_rights = "setpriv --ambient-caps=-all --inh-caps=-all"

    def answer(before: str) -> str:
        question = [sys.executable, "-B", "-c", program, str(CODE)]
        done = subprocess.run(
            [*names, "sh", "-c", f'{before} exec {no_rights} "$@"', "sh", *question],
            capture_output=True,
            encoding="utf-8",
            timeout=SECONDS,
        )
        return (done.stdout + done.stderr).strip()

    possible = answer("")
    if possible != "'' ''":
        pytest.skip(f"no fence within a user namespace here: {possible}")
    refused = answer("echo 0 > /proc/sys/user/max_user_namespaces;")
    assert refused.startswith("'' 'bubblewrap makes no fence here: bwrap: ")


def test_a_call_costs_little(fence, places):
    """A fenced `bash -c true` takes a few times a bare one, measured side by side."""
    policy = {mode: Policy(mode, places[0]) for mode in MODES}
    variables = {"PATH": os.environ["PATH"]}

    def seconds(one, mode: str) -> float:
        begun = time.perf_counter()
        argv = ["bash", "-c", "true"]
        launch = one.launch(argv, policy[mode], policy[mode].workspace, variables)
        launch.process.communicate()
        assert launch.started()
        return time.perf_counter() - begun

    ratios = []
    for _ in range(ROUNDS):
        fenced, bare = [], []
        for _ in range(CALLS):
            fenced.append(seconds(fence, WORKSPACE_WRITE))
            bare.append(seconds(NO_FENCE, FULL_ACCESS))
        ratios.append(statistics.median(fenced) / statistics.median(bare))
        # A machine that is busy with something else makes a figure worse, not better.
        if ratios[-1] <= AT_MOST[fence.name]:
            return
    pytest.fail(f"{fence.name}: {ratios} times a bare call, each median of {CALLS}")
