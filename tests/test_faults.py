"""Planted faults: each one, put into a stage's code, is caught by the check it names.

A fault is data: a table in `tests/faults/<stage>/<part>.toml` with the file, the
exact text, its replacement, the check that must fail, and why someone would slip so.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FAULTS = ROOT / "tests" / "faults"
TIME_LIMIT_SECONDS = 120


@dataclass(frozen=True)
class Fault:
    """One slip, where it goes, and the check that has to notice it."""

    stage: str
    label: str
    file: str
    find: str
    replace: str
    caught_by: str
    why: str


def read_faults(folder: Path) -> list[Fault]:
    """All faults below `folder`, in the order of their files; unknown keys raise."""
    faults = []
    for path in sorted(folder.glob("*/*.toml")):
        tables = tomllib.loads(path.read_text(encoding="utf-8"))["fault"]
        for number, table in enumerate(tables, start=1):
            label = f"{path.parent.name[:2]}-{path.stem}-{number}"
            faults.append(Fault(stage=path.parent.name, label=label, **table))
    return faults


def plant(fault: Fault, code: Path) -> None:
    """Make the replacement in a copy of the stage; the text must stand there once."""
    path = code / fault.file
    text = path.read_bytes().decode("utf-8")
    assert text.count(fault.find) == 1, (
        f"{fault.label}: the text stands {text.count(fault.find)} times "
        f"in {fault.file}, and must stand there once:\n{fault.find}"
    )
    assert fault.find != fault.replace, f"{fault.label}: changes nothing"
    path.write_bytes(text.replace(fault.find, fault.replace).encode("utf-8"))


def run_check(code: Path, check: str, temporary: Path) -> tuple[str, str]:
    """Run one check in its own interpreter; how it ended, and what it printed."""
    temporary.mkdir()
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    environment |= dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(temporary))
    try:
        done = subprocess.run(
            [sys.executable, "-X", "utf8", "checks.py", check],
            cwd=code,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=TIME_LIMIT_SECONDS,
        )
    except subprocess.TimeoutExpired:
        return "hung", f"no end after {TIME_LIMIT_SECONDS} s"
    if re.search(r"^FAILED \(", done.stderr, re.MULTILINE):
        # A name that does not exist is an error of the list, not a caught fault.
        if "_FailedTest" in done.stderr:
            return "no such check", done.stderr
        return "failed", done.stderr
    ran = re.search(r"^Ran (\d+) test", done.stderr, re.MULTILINE)
    if done.returncode == 0 and ran and ran[1] != "0":
        skipped = "skipped=" in done.stderr.rpartition("Ran ")[2]
        return ("skipped" if skipped else "passed"), done.stderr
    return "broke", done.stderr


def outcome(fault: Fault, home: Path) -> tuple[str, str]:
    """Plant `fault` in a fresh copy of its stage and run the check it names."""
    stage = ROOT / "stages" / fault.stage
    code = home / fault.label / stage.name / "code"
    shutil.copytree(stage / "code", code, ignore=shutil.ignore_patterns("__pycache__"))
    plant(fault, code)
    return run_check(code, fault.caught_by, home / fault.label / "tmp")


ALL_FAULTS = read_faults(FAULTS)


@pytest.fixture(scope="session")
def outcomes(request):
    """Each fault's outcome, worked out side by side: most of it is starting Python."""
    calls = [getattr(item, "callspec", None) for item in request.session.items]
    asked = [call.params["fault"] for call in calls if call and "fault" in call.params]
    home = Path(tempfile.mkdtemp(prefix="faults-"))
    home.chmod(0o755)  # some checks give up root, and must still get here
    pool = ThreadPoolExecutor(os.cpu_count() or 2)
    try:
        yield {fault.label: pool.submit(outcome, fault, home) for fault in asked}
    finally:
        # After a test that failed under `-x` nobody waits for the others.
        pool.shutdown(cancel_futures=True)
        # A fault in the clean-up leaves trees too deep for shutil.rmtree.
        if shutil.which("rm"):
            subprocess.run(["rm", "-rf", str(home)], check=True)
        else:
            shutil.rmtree(home, ignore_errors=True)


@pytest.mark.parametrize("fault", ALL_FAULTS, ids=lambda fault: fault.label)
def test_the_named_check_catches_the_fault(fault, outcomes):
    """The check that a fault names fails once the fault is planted."""
    how, printed = outcomes[fault.label].result()
    if how == "skipped":
        pytest.skip(f"{fault.caught_by} cannot run here:\n{printed[-400:]}")
    assert how == "failed", f"{fault.why}: {fault.caught_by} {how}\n{printed[-2000:]}"


def test_every_stage_has_at_least_twenty_faults():
    """The list of a stage that has checks holds twenty faults or more."""
    for checks in sorted(ROOT.glob("stages/*/code/checks.py")):
        stage = checks.parents[1].name
        count = sum(fault.stage == stage for fault in ALL_FAULTS)
        assert count >= 20, f"{stage}: only {count} faults are planted"


def test_every_core_file_has_a_fault():
    """No file of a stage's core is left without a planted fault."""
    for stage in sorted({fault.stage for fault in ALL_FAULTS}):
        code = ROOT / "stages" / stage / "code"
        # The probe asks questions in a container; the interop tests are its checks.
        core = {
            path.name
            for path in code.glob("*.py")
            if not re.search(r"checks\.py$|check_support\.py$|^probe\.py$", path.name)
            and re.search(r"^ *def ", path.read_text(encoding="utf-8"), re.MULTILINE)
        }
        missing = core - {fault.file for fault in ALL_FAULTS if fault.stage == stage}
        assert not missing, f"{stage}: no fault is planted in {sorted(missing)}"


@pytest.mark.parametrize(
    ("check", "expected"),
    [
        ("SampleChecks.test_holds", "passed"),
        ("SampleChecks.test_breaks", "failed"),
        ("SampleChecks.test_skipped", "skipped"),
        ("SampleChecks.test_missing", "no such check"),
    ],
)
def test_a_name_that_does_not_fail_is_not_a_catch(tmp_path, check, expected):
    """A check that passes, skips or is not there never counts as a catch."""
    (tmp_path / "checks.py").write_text(
        "import unittest\n"
        "class SampleChecks(unittest.TestCase):\n"
        "    def test_holds(self): pass\n"
        "    def test_breaks(self): self.fail('broken')\n"
        "    def test_skipped(self): self.skipTest('not here')\n"
        "unittest.main()\n",
        encoding="utf-8",
    )
    how, printed = run_check(tmp_path, check, tmp_path / "tmp")
    assert how == expected, printed
