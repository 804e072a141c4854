"""The rules that every stage keeps, one test a rule."""

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
STAGES = sorted(path.parent for path in ROOT.glob("stages/*/code"))
MODULES = sorted(ROOT.glob("stages/*/code/**/*.py"))
SHARED_NAMES = {"checks", "demo"}
CORE_LINES = 250
LONGER_CORE = {
    # One file, because `python -I` imports no sibling and one mount carries it.
    "report_check.py": 380,
    # One file, because it is copied as one.
    "twoshell_guard.py": 295,
}
AWKWARD = "a folder 课程 目录"
# Every warning is an error there: a text file opened without naming its encoding,
# a descriptor that nobody closed, a call that a later Python will not have.
# Variables, because the demos that checks start inherit them, unlike flags.
STRICT = {
    "LANG": "C",
    "PYTHONDEVMODE": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONUTF8": "0",
    "PYTHONWARNDEFAULTENCODING": "1",
    "PYTHONWARNINGS": "error",
}

stage = pytest.mark.parametrize("stage", STAGES, ids=lambda path: path.name)
module = pytest.mark.parametrize(
    "module", MODULES, ids=lambda path: path.relative_to(ROOT / "stages").as_posix()
)


def is_core(path: Path) -> bool:
    """Whether a module teaches, rather than checks what others teach."""
    return not re.search(r"checks?(_support)?\.py$|^probe\.py$", path.name)


def tree_of(path: Path) -> dict[str, bytes]:
    """Every file below `path`, with its bytes."""
    return {
        file.relative_to(path).as_posix(): file.read_bytes()
        for file in sorted(path.rglob("*"))
        if file.is_file()
    }


def imported_names(path: Path) -> set[str]:
    """The first component of everything that a module imports, wherever it does."""
    names = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names.add(node.module.partition(".")[0])
    return names


@pytest.fixture(scope="module")
def awkward_run(tmp_path_factory):
    """Each stage's checks, run once in a copy whose path is awkward.

    They run from the stage's own folder, with `LANG=C` and Python's UTF-8 mode off,
    with a temporary folder of their own, and with every warning an error.
    """
    runs = {}

    def run(stage: Path):
        if stage.name not in runs:
            home = tmp_path_factory.mktemp(AWKWARD)
            copy = home / "stages" / stage.name
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(stage, copy, ignore=ignored)
            temporary = home / "临时 tmp"
            temporary.mkdir()
            environment = {
                **os.environ,
                **dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(temporary)),
                **STRICT,
            }
            environment.pop("LC_ALL", None)
            before = tree_of(copy)
            done = subprocess.run(
                [sys.executable, "code/checks.py"],
                cwd=copy,
                env=environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                encoding="utf-8",
                errors="replace",
                timeout=300,
            )
            left = sorted(path.name for path in temporary.iterdir())
            runs[stage.name] = done, left, before, tree_of(copy)
        return runs[stage.name]

    return run


@stage
def test_checks_run_alone_in_an_awkward_place(stage, awkward_run):
    """`checks.py` passes from the stage's folder, in a path with a space and 中文."""
    done, *_ = awkward_run(stage)
    assert done.returncode == 0, done.stderr[-4000:]
    assert re.search(r"^Ran [1-9]\d* tests", done.stderr, re.MULTILINE), done.stderr


@stage
def test_checks_leave_no_file_behind(stage, awkward_run):
    """Checks leave their temporary folder empty and the stage as it was."""
    _done, left, before, after = awkward_run(stage)
    assert left == []
    assert after == before


@stage
def test_checks_do_not_warn(stage, awkward_run):
    """No check prints a warning, not even one that Python cannot raise."""
    done, *_ = awkward_run(stage)
    assert not re.search(r"\w+Warning\b|Exception ignored", done.stderr), done.stderr


@module
def test_only_the_standard_library_and_the_stage(module):
    """A module imports the standard library and its own stage's modules."""
    own = {path.stem for path in module.parent.glob("*.py")}
    foreign = imported_names(module) - sys.stdlib_module_names - own
    assert foreign == set(), f"{module.name} imports {sorted(foreign)}"


@module
def test_no_module_has_the_name_of_a_standard_one(module):
    """No module hides one of the standard library's."""
    assert module.stem not in sys.stdlib_module_names


def test_module_names_are_unique():
    """A module's name occurs in one stage only, but for `demo` and `checks`."""
    places: dict[str, list[str]] = {}
    for path in MODULES:
        places.setdefault(path.stem, []).append(str(path.relative_to(ROOT)))
    twice = {
        name: where
        for name, where in places.items()
        if len(where) > 1 and name not in SHARED_NAMES
    }
    assert twice == {}


@pytest.mark.parametrize(
    "module", [path for path in MODULES if path.name.endswith("checks.py")], ids=str
)
def test_checks_never_import_a_demo(module):
    """Checks start a demo as a process, as a reader does."""
    demos = {name for name in imported_names(module) if re.search("(^|_)demo$", name)}
    assert demos == set()


@module
def test_every_check_says_what_it_promises(module):
    """Each test method has a docstring of one sentence."""
    for node in ast.walk(ast.parse(module.read_bytes())):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            promise = ast.get_docstring(node) or ""
            assert promise.endswith((".", ".)")), f"{node.name}: {promise!r}"
            assert "\n\n" not in promise, f"{node.name}: more than a sentence"


@pytest.mark.parametrize(
    "module", [path for path in MODULES if is_core(path)], ids=lambda path: path.name
)
def test_core_files_keep_to_one_idea(module):
    """A core file has between 20 and 250 lines, each at most 88 columns wide."""
    lines = module.read_text(encoding="utf-8").splitlines()
    assert 20 <= len(lines) <= LONGER_CORE.get(module.name, CORE_LINES)
    assert max(map(len, lines)) <= 88


@pytest.mark.parametrize(
    "module", [path for path in MODULES if is_core(path)], ids=lambda path: path.name
)
def test_public_names_are_documented(module):
    """Modules, classes, functions and methods that are public have docstrings.

    A function of one statement says what it does by being it.
    """
    tree = ast.parse(module.read_bytes())
    assert ast.get_docstring(tree), f"{module.name} has no docstring"
    bodies = [tree, *(node for node in tree.body if isinstance(node, ast.ClassDef))]
    for body in bodies:
        for node in body.body:
            if not isinstance(node, (ast.ClassDef, ast.FunctionDef)):
                continue
            brief = isinstance(node, ast.FunctionDef) and len(node.body) == 1
            if not node.name.startswith("_") and not brief:
                assert ast.get_docstring(node), f"{node.name} has no docstring"


@module
def test_no_marker_comments(module):
    """Learners' code carries no marker of ours, no banner and no unfinished note."""
    text = module.read_text(encoding="utf-8")
    banner = r"^ *# ?[-=#*~]{4,}"
    assert not re.search(rf"--8<--|{banner}|\b(TODO|FIXME|XXX)\b", text, re.MULTILINE)


@pytest.mark.skipif(
    not shutil.which("git") or not (ROOT / ".git").exists(),
    reason="needs git and the repository's own history folder",
)
def test_the_top_level_holds_what_it_should():
    """Nothing lies at the top level but what the course's plan names."""
    listed = subprocess.run(
        ["git", "ls-files"],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        check=True,
    ).stdout.splitlines()
    planned = {
        ".ci",
        ".github",
        ".gitignore",
        "LICENSE",
        "README.md",
        "README.zh-CN.md",
        "docs",
        "mkdocs.yml",
        "pyproject.toml",
        "requirements.txt",
        "stages",
        "tests",
    }
    assert {name.partition("/")[0] for name in listed} == planned


@pytest.mark.parametrize("command", [["check"], ["format", "--check"]], ids=" ".join)
def test_ruff_is_content(command):
    """`ruff check` and `ruff format --check` find nothing."""
    done = subprocess.run(
        [sys.executable, "-m", "ruff", *command, "--no-cache", str(ROOT)],
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stdout + done.stderr
