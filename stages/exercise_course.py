"""The exercises: their files, promises, hints, digests, and which are passed."""

from __future__ import annotations

import ast
import hashlib
import itertools
import json
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

STAGES = Path(__file__).resolve().parent
DIGESTS = "exercises.sha256"
PROGRESS = STAGES.parent / "exercises-progress.txt"
TASKS = ("task.md", "task.zh-CN.md")
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
            key = "no answer" if file == "exercise.py" else "not ours"
            name, command = self.name_of(file), f"{PROGRAM} reset {self.id}"
            raise CourseError(key, file=name, command=command) from None

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
        command = ["git", *arguments]
        try:
            return subprocess.run(command, cwd=self.folder, capture_output=True).stdout
        except OSError:
            return b""

    def title(self) -> Text:
        """Return the first heading of the task, without its anchor."""
        tasks = (self.read(file).decode("utf-8", "replace") for file in TASKS)
        english, chinese = (re.match("#* *([^{\r\n]*)", task)[1] for task in tasks)
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
        Where none fails in just this way, the hints say that they guess.
        """
        fits: dict[float, list[Text]] = {}
        for one in self.wrong_answers():
            if check in one.rejected_by:
                both, either = failed & {*one.rejected_by}, failed | {*one.rejected_by}
                fits.setdefault(len(both) / len(either), []).append(one.hint)
        best = max(fits, default=0)
        hints = fits.get(best, [])[:MOST_HINTS]
        return hints if best == 1 else [words("guess", hint=hint) for hint in hints]


def find_exercises(stages: Path = STAGES) -> list[Exercise]:
    """Return all exercises in the order of their ids."""
    found = []
    for folder in stages.glob("[0-9][0-9]-*/exercises/*-*"):
        number = folder.name.partition("-")[0]
        if number.isdecimal() and folder.is_dir():
            found.append((folder.parts[-3][:2], int(number), folder))
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


def read_progress() -> dict[str, str]:
    """Return the exercises passed, by id, with the day of the first time.

    The file is the learner's own note and proves nothing. To reopen an exercise,
    delete its line. A file that is no such note raises OSError or ValueError.
    """
    try:
        lines = PROGRESS.read_text(encoding="utf-8-sig").splitlines()
    except FileNotFoundError:
        return {}
    notes = [line for line in lines if line.strip() and line[0] != "#"]
    # A line that is no pair of words raises ValueError.
    return dict(note.split() for note in notes)


def write_progress(passed: dict[str, str]) -> None:
    """Write what `read_progress` returns."""
    lines = [f"{name} {date}\n" for name, date in passed.items()]
    # A second file and a rename: an interrupt leaves the old notes whole.
    draft = PROGRESS.with_suffix(".new.txt")
    heading = "# Exercises passed. 已通过的练习。\n"
    draft.write_text(heading + "".join(lines), encoding="utf-8")
    draft.replace(PROGRESS)


def set_aside(file: Path, word: str) -> str:
    """Rename `file` to a free name with `word` in it, and return that name."""
    for number in itertools.count(1):
        aside = file.with_suffix(f".{word}-{number}{file.suffix}")
        if not os.path.lexists(aside):
            break
    file.rename(aside)
    return aside.name


def _paragraphs(node: ast.Module | ast.FunctionDef) -> list[str]:
    return re.split(r"\n\s*\n", ast.get_docstring(node) or "")


def _both_languages(paragraphs: list[str]) -> Text:
    english, chinese = [*paragraphs, "", ""][:2]
    return " ".join(english.split()), "".join(chinese.split("\n"))
