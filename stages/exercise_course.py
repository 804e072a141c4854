"""The exercises of the course: their files, promises, hints and digests.

Run as a program it records the digests anew, for whoever changed a check or a
starter:  python stages/exercise_course.py
"""

from __future__ import annotations

import ast
import hashlib
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

STAGES = Path(__file__).resolve().parent
DIGESTS = "exercises.sha256"

Text = tuple[str, str]  # the same in English and in Chinese


class CourseError(Exception):
    """Something the learner can put right; `args` are the two texts that say how."""


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
    def stage(self) -> str:
        """The name of the stage's folder."""
        return self.folder.parent.parent.name

    def name_of(self, file: str) -> str:
        """Return the path of `file` from `stages/`, with `/` on every system."""
        return "/".join((*self.folder.parts[-3:], file))

    def read(self, file: str) -> bytes:
        """Return the bytes of `file`; raises CourseError when it cannot be read."""
        try:
            return (self.folder / file).read_bytes()
        except OSError:
            raise _not_ours(self.name_of(file)) from None

    def trusted_checks(self) -> bytes:
        """Return the checks; raises CourseError when they are not those recorded."""
        checks = self.read("checks.py")
        if self.recorded_digest("checks.py") != digest(checks):
            raise _not_ours(self.name_of("checks.py"))
        return checks

    def recorded_digest(self, file: str) -> str | None:
        """Return what the course's list says of `file`; None when it is silent."""
        try:
            recorded = (self.folder.parents[2] / DIGESTS).read_text("utf-8", "replace")
        except OSError:
            raise _not_ours(DIGESTS) from None
        for line in recorded.splitlines():
            value, _, name = line.partition("  ")
            if name == self.name_of(file):
                return value
        return None

    def starter(self) -> bytes:
        """Return the starter, from the newest commit in which `exercise.py` is it."""
        wanted = self.recorded_digest("exercise.py")
        for commit in self._git("rev-list", "HEAD", "--", "exercise.py").split():
            starter = self._git("show", f"{commit.decode()}:./exercise.py")
            if digest(starter) == wanted:
                return starter
        name = self.name_of("exercise.py")
        raise CourseError(
            f"Git does not have the starter here; copy stages/{name} from the course",
            f"这里的 Git 里没有初始文件；请从课程里复制一份 stages/{name}",
        )

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
                raise _not_ours(self.name_of(file)) from None
            rejected_by = tuple(re.findall(r"\btest_\w+", head))
            found.append(WrongAnswer(file, rejected_by, _both_languages(hint)))
        return found

    def hints(self, check: str, failed: set[str]) -> list[Text]:
        """Return the hints for `check`, best first, if it is among those `failed`."""
        if check not in failed:
            return []
        fitting = [one for one in self.wrong_answers() if check in one.rejected_by]
        fitting.sort(
            key=lambda one: (
                set(one.rejected_by) != failed,
                one.rejected_by[0] != check,
            )
        )
        return [one.hint for one in fitting]

    def _git(self, *arguments: str) -> bytes:
        try:
            return subprocess.run(
                ["git", *arguments],
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=60,
                check=True,
            ).stdout
        except (OSError, subprocess.SubprocessError):
            # No Git, or no clone: there is nothing to list.
            return b""


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


def digest(payload: bytes) -> str:
    """Return the SHA-256 of a text, whichever line ends Git has checked out."""
    return hashlib.sha256(payload.replace(b"\r\n", b"\n")).hexdigest()


def _not_ours(name: str) -> CourseError:
    return CourseError(
        f"stages/{name} is not as the course has it, so it is not used; "
        f"bring it back: git restore stages/{name}",
        f"stages/{name} 与课程里的不一致，不会使用；"
        f"请恢复它：git restore stages/{name}",
    )


def _paragraphs(node: ast.Module | ast.FunctionDef) -> list[str]:
    return re.split(r"\n\s*\n", ast.get_docstring(node) or "")


def _both_languages(paragraphs: list[str]) -> Text:
    english, chinese = [*paragraphs, "", ""][:2]
    return " ".join(english.split()), "".join(chinese.split("\n"))


def _record_digests() -> None:
    # In the format of sha256sum, so that `sha256sum -c` compares them too.
    lines = [
        f"{digest(exercise.read(file))}  {exercise.name_of(file)}\n"
        for exercise in find_exercises()
        for file in ("checks.py", "exercise.py")
    ]
    (STAGES / DIGESTS).write_bytes("".join(lines).encode())


if __name__ == "__main__":
    _record_digests()
