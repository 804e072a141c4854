"""The exercises of the course: their files, promises, hints and digests.

Run as a program it records the digests anew, for whoever changed a check or a
starter:  python3 stages/exercise_course.py
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

STAGES = Path(__file__).resolve().parent
DIGESTS = "exercises.sha256"
WORDS = json.loads((STAGES / "exercise_words.json").read_text(encoding="utf-8"))
# Debian has no `python`, Windows no `python3`.
PROGRAM = f"{'py' if os.name == 'nt' else 'python3'} stages/exercises.py"
MOST_HINTS = 3

Text = tuple[str, str]  # the same in English and in Chinese


def words(key: str, **values: object) -> Text:
    """Return the sentence `key` of exercise_words.json with its gaps filled."""
    english, chinese = (sentence.format(**values) for sentence in WORDS[key])
    return english, chinese


class CourseError(Exception):
    """Something the learner can put right; `args` are the two texts that say how."""

    def __init__(self, key: str, **values: object) -> None:
        super().__init__(*words(key, **values))


@dataclass(frozen=True)
class WrongAnswer:
    """An answer that people really write: the checks that reject it, the one that
    must come first, and a hint."""

    file: str
    rejected_by: tuple[str, ...]
    hint: Text


@dataclass(frozen=True)
class Exercise:
    """One folder `stages/NN-<slug>/exercises/K-<slug>/`; its id is `NN.K`."""

    id: str
    folder: Path

    @property
    def stage(self) -> Path:
        """The folder of the stage."""
        return self.folder.parent.parent

    def name_of(self, file: str) -> str:
        """Return the path from the repository's root, with `/` on every system."""
        return "/".join(("stages", *self.folder.parts[-3:], file))

    def read(self, file: str) -> bytes:
        """Return the bytes of `file`; raises CourseError when it cannot be read."""
        try:
            return (self.folder / file).read_bytes()
        except OSError:
            if file != "exercise.py":
                raise CourseError("not ours", file=self.name_of(file)) from None
            raise CourseError(
                "no answer",
                file=self.name_of(file),
                command=f"{PROGRAM} reset {self.id}",
            ) from None

    def trusted_checks(self) -> bytes:
        """Return the checks; raises CourseError when they are not those recorded."""
        checks = self.read("checks.py")
        if not self.is_recorded("checks.py", checks):
            raise CourseError("not ours", file=self.name_of("checks.py"))
        return checks

    def is_recorded(self, file: str, payload: bytes) -> bool:
        """Return whether the course's list has `file` with these bytes."""
        try:
            recorded = (self.stage.parent / DIGESTS).read_text("utf-8", "replace")
        except OSError:
            raise CourseError("not ours", file=f"stages/{DIGESTS}") from None
        return self.record(file, payload) in recorded.splitlines()

    def record(self, file: str, payload: bytes) -> str:
        """Return the list's line for `file`, whichever line ends Git has checked out.

        The format is that of sha256sum, which can compare from the repository's root.
        """
        digest = hashlib.sha256(payload.replace(b"\r\n", b"\n")).hexdigest()
        return f"{digest}  {self.name_of(file)}"

    def starter(self) -> bytes:
        """Return the starter: `exercise.py` where it still is one, else from Git.

        The newest commit that has it counts, for a learner may commit an answer.
        """
        name, answer = "exercise.py", self.folder / "exercise.py"
        if answer.is_file() and self.is_recorded(name, answer.read_bytes()):
            return answer.read_bytes()
        for commit in self.git("rev-list", "HEAD", "--", name).decode().split():
            starter = self.git("show", f"{commit}:./{name}")
            if self.is_recorded(name, starter):
                return starter
        raise CourseError("no starter", file=self.name_of(name))

    def git(self, *arguments: str) -> bytes:
        """Return what Git prints in the folder; nothing when it cannot answer."""
        try:
            return subprocess.run(
                ["git", *arguments],
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                capture_output=True,
            ).stdout
        except OSError:
            return b""

    def title(self) -> Text:
        """Return the first heading of the task, without its anchor."""
        first_lines = (
            self.read(file).decode("utf-8", "replace").partition("\n")[0]
            for file in ("task.md", "task.zh-CN.md")
        )
        english, chinese = (re.sub(r"^# +|\{#.*", "", line) for line in first_lines)
        return english.strip(), chinese.strip()

    def wrong_answers(self) -> list[WrongAnswer]:
        """Return all wrong answers, by name."""
        found = []
        for path in sorted((self.folder / "wrong").glob("*.py")):
            file = f"wrong/{path.name}"
            try:
                head, *hint = _paragraphs(ast.parse(self.read(file)))
            except (SyntaxError, ValueError):
                raise CourseError("not ours", file=self.name_of(file)) from None
            rejected_by = tuple(re.findall(r"\btest_\w+", head))
            found.append(WrongAnswer(file, rejected_by, _both_languages(hint)))
        return found

    def hints(self, check: str, failed: set[str]) -> list[Text]:
        """Return the hints that fit `check` best when these checks `failed`.

        The more alike a wrong answer fails, the better it fits: what both fail counts
        against what one of them fails. Of those that fit equally, three are enough.
        """
        fits: dict[float, list[Text]] = {}
        for one in self.wrong_answers():
            if check in one.rejected_by:
                both, either = failed & {*one.rejected_by}, failed | {*one.rejected_by}
                fits.setdefault(len(both) / len(either), []).append(one.hint)
        return fits[max(fits)][:MOST_HINTS] if fits else []


def find_exercises(stages: Path = STAGES) -> list[Exercise]:
    """Return all exercises in the order of their ids."""
    found = []
    for folder in stages.glob("[0-9][0-9]-*/exercises/*-*"):
        stage, number = folder.parts[-3][:2], folder.name.partition("-")[0]
        if number.isdecimal() and folder.is_dir():
            found.append((stage, int(number), folder))
    return [Exercise(f"{stage}.{k}", folder) for stage, k, folder in sorted(found)]


def promises_of(checks: bytes) -> dict[str, Text]:
    """Return the promise of each test, in the order of the file."""
    return {
        test.name: _both_languages(_paragraphs(test))
        for case in ast.parse(checks).body
        if isinstance(case, ast.ClassDef)
        for test in case.body
        if isinstance(test, ast.FunctionDef) and test.name.startswith("test")
    }


def _paragraphs(node: ast.Module | ast.FunctionDef) -> list[str]:
    return re.split(r"\n\s*\n", ast.get_docstring(node) or "")


def _both_languages(paragraphs: list[str]) -> Text:
    english, chinese = [*paragraphs, "", ""][:2]
    return " ".join(english.split()), "".join(chinese.split("\n"))


if __name__ == "__main__":
    records = [
        exercise.record(file, exercise.read(file))
        for exercise in find_exercises()
        for file in ("checks.py", "exercise.py")
    ]
    (STAGES / DIGESTS).write_bytes("".join(f"{one}\n" for one in records).encode())
