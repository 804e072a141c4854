"""A small course of one exercise, with the real runner, for the tests of the runner."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "stages"))

from exercise_course import Exercise
from exercise_gate import record_digests

ROOT = Path(__file__).resolve().parents[1]
CHECKS = '''
"""Checks of the small course."""

import unittest

from exercise import double


class DoubleChecks(unittest.TestCase):
    def test_a_number(self):
        """A number is doubled.

        数会加倍。
        """
        self.assertEqual(double(3), 6)

    def test_a_list(self):
        """A list stays as it was.

        列表保持原样。
        """
        numbers = [1, 2]
        self.assertEqual(double(numbers), [1, 2, 1, 2])
        self.assertEqual(numbers, [1, 2])

    def test_zero(self):
        """Zero stays zero.

        零还是零。
        """
        self.assertIs(type(double(0)), int)
        self.assertEqual(double(0), 0)
'''
RIGHT = "def double(value):\n    return value + value\n"
STARTER = "def double(value):\n    # TODO\n    return value\n"
WRONG = {
    "square": ("test_a_number", "return value * (value if value != [1, 2] else 2)"),
    "in_place": ("test_a_list", "value += value\n    return value"),
    "or_one": ("test_zero", "return value + value or 1"),
}
TASK = "# Double {#double}\n\nAbout 5 minutes.\n"
TASK_ZH = "# 加倍 {#double}\n\n大约 5 分钟。\n"


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())


@pytest.fixture(scope="module")
def pristine(tmp_path_factory):
    """A small course with the real runner, in a folder with an awkward name."""
    stages = tmp_path_factory.mktemp("course") / "a folder 课程" / "stages"
    stage = "12-agent-workspace-sandbox"
    shutil.copytree(
        ROOT / "stages" / stage / "code",
        stages / stage / "code",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    for file in ("exercise*.py", "exercise_words.json"):
        for module in (ROOT / "stages").glob(file):
            shutil.copy(module, stages)
    folder = stages / "01-small" / "exercises" / "1-double"
    write(folder / "checks.py", CHECKS.lstrip())
    write(folder / "exercise.py", STARTER)
    write(folder / "solution.py", RIGHT)
    write(folder / "task.md", TASK)
    write(folder / "task.zh-CN.md", TASK_ZH)
    for name, (check, body) in WRONG.items():
        hint = f"Hint about {name}.\n\n关于 {name} 的提示。"
        write(
            folder / "wrong" / f"{name}.py",
            f'"""Rejected by: {check}\n\n{hint}\n"""\n\n'
            f"def double(value):\n    {body}\n",
        )
    record_digests(stages)
    # Once, so that the copies find everything compiled.
    subprocess.run([sys.executable, stages / "exercises.py"], capture_output=True)
    return stages.parent


class Course:
    """A copy of the small course, and how a learner uses it."""

    def __init__(self, root: Path):
        self.root = root
        self.folder = root / "stages" / "01-small" / "exercises" / "1-double"
        self.answer = self.folder / "exercise.py"
        self.progress = root / "exercises-progress.txt"
        self.exercise = Exercise("01.1", self.folder)

    def command(self, *arguments: str) -> list[str]:
        program = str(self.root / "stages" / "exercises.py")
        strict = ["-X", "warn_default_encoding", "-W", "error"]
        return [sys.executable, *strict, program, *arguments]

    def run(self, *arguments, encoding="utf-8", stdin="", **environment):
        # In a session of its own: some answers kill the group of their parent.
        return subprocess.run(
            self.command(*arguments),
            env=self.environment(encoding, **environment),
            cwd=self.root,
            input=stdin,
            capture_output=True,
            encoding=encoding,
            timeout=60,
            start_new_session=True,
        )

    def environment(self, encoding="utf-8", **environment):
        kept = {
            name: value
            for name, value in os.environ.items()
            if name not in ("LANG", "LC_ALL", "LC_MESSAGES", "NO_COLOR")
        }
        return {**kept, "LANG": "C", "PYTHONIOENCODING": encoding, **environment}

    def try_answer(self, answer: str | bytes, *arguments: str):
        self.answer.write_bytes(answer if type(answer) is bytes else answer.encode())
        return self.run("check", "01.1", *arguments)


@pytest.fixture
def course(pristine, tmp_path):
    root = tmp_path / "课 程"
    shutil.copytree(pristine, root)
    return Course(root)
