"""How much the stages' safety costs, as ratios measured side by side in one run.

    .venv/bin/python tests/bench.py

prints a table: ours, the bare way, their ratio and what we aim at. Each figure is the
median of the rounds, and the two sides take turns, so that a busy moment hits both.
Nothing passes or fails here. Run it on a quiet machine; Linux only.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CODE = ROOT / "stages/12-agent-workspace-sandbox/code"
sys.path[:0] = [str(CODE), str(ROOT / "stages/15-shell-dialects/code")]

from contract import FULL_ACCESS, READ_ONLY, Policy  # noqa: E402
from dialects import BASH  # noqa: E402
from fences import BWRAP, LANDLOCK, NO_FENCE  # noqa: E402
from runner import CommandRunner  # noqa: E402
from shell_tool import ShellTool  # noqa: E402
from workspace import AgentWorkspace  # noqa: E402

GIB = 1 << 30
KIB = 1 << 10

IGNORE_TERM = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN)"
STUBBORN_GROUP = f"""\
import subprocess, sys
{IGNORE_TERM}
code = {IGNORE_TERM + "; time.sleep(60)"!r}
for _ in range(2):
    subprocess.Popen([sys.executable, "-I", "-S", "-c", code])
time.sleep(60)
"""


def seconds(action: Callable[[], object]) -> float:
    """How long one call of `action` takes."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def compare(
    name: str,
    ours: Callable[[], object],
    bare: Callable[[], object],
    aim: str,
    *,
    rounds: int = 9,
    calls: int = 1,
) -> None:
    """Let both sides take turns, and print medians of one call and their ratio."""

    def many(action: Callable[[], object]) -> None:
        for _ in range(calls):
            action()

    many(ours), many(bare)
    taken = [
        (seconds(lambda: many(ours)), seconds(lambda: many(bare)))
        for _ in range(rounds)
    ]
    ours_median, bare_median = (
        statistics.median(side) / calls for side in zip(*taken, strict=True)
    )
    row(
        name,
        duration(ours_median),
        duration(bare_median),
        f"{ours_median / bare_median:.2f}",
        aim,
    )


def duration(value: float) -> str:
    """A time in the unit that reads best."""
    if value >= 1:
        return f"{value:.2f} s"
    return f"{value * 1e3:.2f} ms" if value >= 1e-3 else f"{value * 1e6:.1f} us"


def row(name: str, ours: str, bare: str, ratio: str, aim: str) -> None:
    """Print one line of the table."""
    print(f"{name:<42} {ours:>10} {bare:>10} {ratio:>7}  {aim}", flush=True)


def bench_start(workspace: AgentWorkspace) -> None:
    """A child that does nothing, against `subprocess.run`."""
    runner = CommandRunner(
        workspace, executables={"true": "/bin/true", "python": sys.executable}
    )
    for alias, program, options, calls in (
        ("true", "/bin/true", [], 40),
        ("python", sys.executable, ["-I", "-S", "-c", "pass"], 5),
    ):
        compare(
            f"run `{alias}` / subprocess.run",
            lambda: runner.run([alias, *options], timeout_seconds=20),  # noqa: B023
            lambda: subprocess.run([program, *options], capture_output=True),  # noqa: B023
            "<= 1.10",
            rounds=15,
            calls=calls,
        )


def bench_flood(workspace: AgentWorkspace) -> None:
    """One GiB on stdout, against `cat` and against keeping it all."""
    runner = CommandRunner(workspace, executables={"head": "/usr/bin/head"})
    flood = ["head", "-c", str(GIB), "/dev/zero"]

    def ours() -> None:
        result = runner.run(flood, timeout_seconds=60)
        assert result.returncode == 0, result
        assert result.stdout_truncated, result

    def cat() -> None:
        shell = f"head -c {GIB} /dev/zero | cat >/dev/null"
        subprocess.run(["/bin/sh", "-c", shell], check=True)

    def keep_all() -> None:
        subprocess.run(
            ["/usr/bin/head", *flood[1:]], stdout=subprocess.PIPE, check=True
        )

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    ours()
    growth = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    row("1 GiB: growth of peak memory", f"{growth / KIB:.1f} MiB", "", "", "<= 4 MiB")
    compare("1 GiB / cat >/dev/null", ours, cat, "<= 1.3", rounds=7)
    compare("1 GiB / subprocess.run(stdout=PIPE)", ours, keep_all, "<= 0.25", rounds=7)


def bench_deadline(workspace: AgentWorkspace) -> None:
    """How far a run goes past its deadline when three processes ignore TERM."""
    runner = CommandRunner(workspace, executables={"python": sys.executable})
    over = []
    for _ in range(50):
        timeout = 0.3
        command = ["python", "-I", "-S", "-c", STUBBORN_GROUP]
        taken = seconds(lambda: runner.run(command, timeout_seconds=timeout))  # noqa: B023
        over.append(taken - timeout)
    over.sort()
    p99 = over[-1]  # of 50 values the 99th percentile is the largest
    row("past a deadline, 50 runs: p99", duration(p99), "", "", "<= 50 ms")
    row("past a deadline, 50 runs: median", duration(over[25]), "", "", "")


def bench_files(workspace: AgentWorkspace) -> None:
    """Reading, writing and listing, against the bare system calls."""
    text = "x" * 64 * KIB
    workspace.write_text("work/a.md", text)
    path = str(workspace.root / "work" / "a.md")

    def bare_read() -> bytes:
        descriptor = os.open(path, os.O_RDONLY)
        try:
            return os.read(descriptor, 128 * KIB)
        finally:
            os.close(descriptor)

    def bare_write() -> None:
        temporary = path + ".new"
        with open(temporary, "wb") as file:  # noqa: PTH123
            file.write(text.encode("utf-8"))
        os.replace(temporary, path)  # noqa: PTH105

    compare(
        "read_bytes of 64 KiB / open, read, close",
        lambda: workspace.read_bytes("work/a.md"),
        bare_read,
        "<= 3",
        rounds=15,
        calls=200,
    )
    compare(
        "write_text of 64 KiB / write and replace",
        lambda: workspace.write_text("work/a.md", text),
        bare_write,
        "<= 2",
        rounds=15,
        calls=100,
    )


def bench_inventory() -> None:
    """Listing 2,000 files in 20 folders, against `os.walk` with `lstat`."""
    with AgentWorkspace.temporary(max_files=3_000) as workspace:
        for number in range(2_000):
            workspace.write_text(f"work/folder-{number % 20}/{number}.md", "x")

        def bare_walk() -> None:
            for folder, _, names in os.walk(workspace.root):
                for name in names:
                    os.lstat(os.path.join(folder, name))  # noqa: PTH118

        assert len(workspace.inventory().files) == 2_000
        compare(
            "inventory of 2,000 files / walk, lstat",
            workspace.inventory,
            bare_walk,
            "<= 2",
            rounds=15,
            calls=3,
        )
        compare(
            "write_text beside 2,000 files / one lstat walk",
            lambda: workspace.write_text("work/one.md", "x"),
            bare_walk,
            "",
            calls=3,
        )


def bench_programs() -> None:
    """The demo against three starts of Python, and all checks of the stage.

    The demo misses its aim by what it imports: each of its two checkers needs `re`,
    `hashlib` and `json`, which take twice as long as a bare start does, and the Host
    needs `dataclasses`, `subprocess`, `tempfile`, `pathlib` and `argparse`.
    """
    with tempfile.TemporaryDirectory() as folder:
        demo = [sys.executable, str(CODE / "demo.py"), "--output-dir", folder]

        def three_starts() -> None:
            for _ in range(3):
                subprocess.run([sys.executable, "-c", "pass"], check=True)

        compare(
            "demo.py / three starts of Python",
            lambda: subprocess.run(demo, capture_output=True, check=True),
            three_starts,
            "<= 2.5",
        )
    for checks in sorted(ROOT.glob("stages/*/code/checks.py")):
        command = [sys.executable, str(checks)]
        taken = seconds(
            lambda: subprocess.run(command, capture_output=True, check=True)  # noqa: B023
        )
        stage = checks.parents[1].name[:2]
        row(f"all checks of stage {stage}", duration(taken), "", "", "< 10 s")


def bench_fences() -> None:
    """One call of stage 15's tool, against a bare `bash -c true`."""
    fences = ((NO_FENCE, FULL_ACCESS), (LANDLOCK, READ_ONLY), (BWRAP, READ_ONLY))
    aims = ("", "<= 3", "<= 4")
    with tempfile.TemporaryDirectory() as folder:
        for (fence, mode), aim in zip(fences, aims, strict=True):
            if mode != FULL_ACCESS and (reason := fence.why_not()):
                row(f"`bash -c true`, {fence.name}: {reason}", "", "", "", aim)
                continue
            tool = ShellTool(BASH, Policy(mode, Path(folder)), fence)
            compare(
                f"`bash -c true`, fence {fence.name} / bare",
                lambda: tool.run("true"),  # noqa: B023
                lambda: subprocess.run(["bash", "-c", "true"], capture_output=True),
                aim,
                rounds=15,
                calls=20,
            )


def main() -> None:
    """Print the table."""
    # As a reader has it: modules are compiled by the first run, not by every one.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} cores, {sys.platform}")
    print(f"{'what':<42} {'ours':>10} {'bare':>10} {'ratio':>7}  aim")
    with AgentWorkspace.temporary() as workspace:
        bench_start(workspace)
        bench_flood(workspace)
        bench_deadline(workspace)
        bench_files(workspace)
    bench_inventory()
    bench_fences()
    bench_programs()


if __name__ == "__main__":
    main()
