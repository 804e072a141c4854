"""Every exercise keeps its format, and the gate that says so is awake."""

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "docs/theme"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "stages"))

from exercise_course import CourseError, Exercise, find_exercises, promises_of
from exercise_gate import complaints, record_digests
from exercise_pages import needs
from small_course import CHECKS, RIGHT, ROOT, WRONG, course, pristine, write

__all__ = ["course", "pristine"]

EXERCISES = find_exercises()


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda one: one.id)
def test_an_exercise_keeps_the_format(exercise):
    """Files, languages, starter, solution, wrong answers and digests are in order."""
    try:
        exercise.starter()
    except CourseError as error:
        pytest.skip(f"exercise.py is no starter. {error.args[0]}")
    assert complaints(exercise) == []


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda one: one.id)
def test_the_starter_is_what_git_has(exercise):
    """The newest commit holds the recorded starter, and nobody's answer.

    The file itself may be a learner's answer. CI looks at what was committed.
    """
    committed = exercise.git("show", "HEAD:./exercise.py")
    if not committed:
        pytest.skip("no Git here, or no commit that has it")
    answer = exercise.folder / "exercise.py"
    is_new = answer.is_file() and exercise.is_recorded(
        "exercise.py", answer.read_bytes()
    )
    if is_new and not exercise.is_recorded("exercise.py", committed):
        pytest.skip("the starter is a new one, not committed yet")
    assert exercise.is_recorded("exercise.py", committed)


@pytest.fixture
def planted(exercise, tmp_path):
    """A copy of one exercise, with its starter, to plant faults in."""
    folder = tmp_path.joinpath("stages", *exercise.folder.parts[-3:])
    shutil.copytree(exercise.folder, folder)
    shutil.copytree(exercise.stage / "code", folder.parents[1] / "code")
    shutil.copy(ROOT / "stages/exercises.sha256", tmp_path / "stages")
    try:
        write(folder / "exercise.py", exercise.starter().decode())
    except CourseError as error:
        pytest.skip(f"exercise.py is no starter. {error.args[0]}")
    return Exercise(exercise.id, folder)


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda one: one.id)
def test_each_emptied_check_is_found(exercise, planted):
    """A check that asks nothing is idle, in every exercise."""
    checks = exercise.read("checks.py").decode()
    names = list(promises_of(checks.encode()))
    for name in names:
        checks = emptied(checks, name)
    write(planted.folder / "checks.py", checks)
    idle = {f"{name} is idle: it rejects no wrong answer" for name in names}
    assert idle <= set(complaints(planted))


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda one: one.id)
def test_each_wrong_answer_made_right_and_missing_hint_is_found(exercise, planted):
    """A wrong answer that is right, or has no hint, is found in every exercise."""
    tree = ast.parse(exercise.read("solution.py"))
    for wrong in exercise.wrong_answers():
        docstring = ast.get_docstring(ast.parse(exercise.read(wrong.file)))
        head = docstring.partition("\n\n")[0]
        tree.body[0] = ast.parse(repr(head)).body[0]
        write(planted.folder / wrong.file, ast.unparse(tree))
    found = complaints(planted)
    for wrong in exercise.wrong_answers():
        assert any(one.startswith(f"{wrong.file} must fail") for one in found), found
        for language in ("English", "Chinese"):
            assert f"the hint of {wrong.file} has no {language} text" in found


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_a_solved_exercise_stays_green(course):
    """A learner's answer in the place of the starter is not the gate's concern."""
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "the course"]):
        identity = ["-c", "user.name=n", "-c", "user.email=n@invalid"]
        subprocess.run(["git", *identity, *command], cwd=course.root, check=True)
    for answer in (RIGHT, "def", ""):
        write(course.answer, answer)
        assert complaints(course.exercise) == []


def test_ids_are_unique_and_without_gaps():
    """Each stage numbers its exercises 1, 2, 3, and each folder is one exercise."""
    stages = {}
    for exercise in EXERCISES:
        stages.setdefault(exercise.stage, []).append(exercise.id.partition(".")[2])
    for numbers in stages.values():
        assert numbers == [str(number + 1) for number in range(len(numbers))]
    assert len({one.id for one in EXERCISES}) == len(EXERCISES) > 0
    assert sorted(one.folder for one in EXERCISES) == sorted(
        path for path in ROOT.glob("stages/*/exercises/*") if path.is_dir()
    )


def test_the_small_course_has_no_fault(course):
    """The gate has nothing to say about a good exercise."""
    assert complaints(course.exercise) == []


@pytest.mark.parametrize(
    ("line", "needed"),
    [
        ("import os, re", ""),
        ("from concurrent import futures", "processes"),
        ("import os, subprocess", "processes"),
        ("from twice import TWO", "stage"),
    ],
)
def test_what_no_page_has_is_seen_in_the_imports(line, needed, course):
    """Exercises that start processes or use the stage's code are for a terminal."""
    write(course.folder / "checks.py", f"{line}\n{CHECKS}")
    assert needs(course.exercise) == needed


def emptied(checks: str, name: str) -> str:
    """`checks` with one test reduced to its docstring."""
    tree = ast.parse(checks)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == name:
            del node.body[1:]
    return ast.unparse(tree)


def make_right(name):
    def change(course):
        path = course.folder / "wrong" / f"{name}.py"
        text = path.read_text(encoding="utf-8")
        write(path, text.partition("def double")[0] + RIGHT)

    return change


def make_empty(name):
    def change(course):
        write(course.folder / "checks.py", emptied(CHECKS, name))

    return change


def replace(file, old, new):
    def change(course):
        path = course.folder / file
        text = path.read_bytes().decode()
        assert old in text
        write(path, text.replace(old, new, 1))

    return change


def remove(file):
    def change(course):
        (course.folder / file).unlink()

    return change


GATE = {
    **{
        f"{name} made right": (make_right(name), f"wrong/{name}.py must fail")
        for name in WRONG
    },
    **{
        f"{check} emptied": (make_empty(check), f"{check} is idle")
        for check in promises_of(CHECKS.encode())
    },
    **{
        f"{name} without a hint in {language}": (
            replace(f"wrong/{name}.py", text.format(name), ""),
            f"the hint of wrong/{name}.py has no",
        )
        for name in WRONG
        for language, text in (
            ("English", "Hint about {}."),
            ("Chinese", "关于 {} 的提示。"),
        )
    },
    **{
        f"no {file}": (remove(file), f"{file} is missing")
        for file in (
            "task.md",
            "task.zh-CN.md",
            "exercise.py",
            "checks.py",
            "solution.py",
        )
    },
    "no Chinese promise": (
        replace("checks.py", "零还是零。", ""),
        "the promise of test_zero has no Chinese text",
    ),
    "no English promise": (
        replace("checks.py", "Zero stays zero.", ""),
        "the promise of test_zero has no English text",
    ),
    "no title": (replace("task.zh-CN.md", "加倍", ""), "the title has no Chinese text"),
    "other minutes": (replace("task.zh-CN.md", "5", "50"), "must tell the minutes"),
    "a starter that passes": (
        replace("exercise.py", "return value", "return value + value"),
        "the starter fails no check by assertion",
    ),
    "a starter without the name": (
        replace("exercise.py", "def double", "def triple"),
        "the starter fails no check by assertion",
    ),
    "a starter that only raises": (
        replace("exercise.py", "return value", "raise NotImplementedError"),
        "the starter fails no check by assertion",
    ),
    "a starter that was solved": (
        replace("exercise.py", "return value", "return value  # and more"),
        "Git does not have the starter here",
    ),
    "a starter without TODO": (replace("exercise.py", "TODO", ""), "has no TODO"),
    "a solution that fails": (
        replace("solution.py", "value + value", "value"),
        "the solution does not pass",
    ),
    "checks not recorded": (
        replace("checks.py", "import unittest", "import unittest  # new"),
        "checks.py is not as recorded",
    ),
    "two wrong answers": (remove("wrong/square.py"), "fewer than three"),
    "a wrong answer that fails by an error": (
        replace("wrong/or_one.py", "value + value or 1", "value + value or 1 / 0"),
        "wrong/or_one.py fails by an error, not by assertion: ['test_zero']",
    ),
    "a wrong answer that fails more": (
        replace("wrong/square.py", "value * (", "-value * ("),
        "wrong/square.py must fail",
    ),
    "a wrong answer that lists too much": (
        replace("wrong/square.py", "test_a_number", "test_a_number, test_zero"),
        "wrong/square.py must fail",
    ),
    "a wrong answer that names nothing": (
        replace("wrong/square.py", "test_a_number", "a number"),
        "wrong/square.py must fail",
    ),
    "a check that takes an answer's word": (
        lambda course: write(
            course.folder / "checks.py",
            "import unittest\nfrom exercise import double\n"
            "class T(unittest.TestCase):\n def test_a_number(self):\n"
            "  self.assertEqual(double(3), 6)\n",
        ),
        "an answer that agrees with everything passes",
    ),
    "one name for two checks": (
        replace("checks.py", "test_zero", "test_a_list"),
        "another's name",
    ),
    "a fixture that does not run": (
        replace(
            "checks.py",
            "    def test_zero",
            "    def tearDown(self):\n        pass\n\n    def test_zero",
        ),
        "only setUp and addCleanup work",
    ),
}


@pytest.mark.parametrize("case", GATE)
def test_the_gate_finds(case, course):
    """Each way in which an exercise can rot makes the gate fail."""
    change, expected = GATE[case]
    change(course)
    if case.startswith("a starter") and "solved" not in case:
        # The maintainer's own slip: recorded as it is.
        record_digests(course.root / "stages")
    found = complaints(course.exercise)
    assert any(expected in complaint for complaint in found), found
