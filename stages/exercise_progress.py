"""Which exercises a learner has passed: a text file at the root of the repository.

It is the learner's own note and proves nothing. The file holds one line such as
`12.1 2026-11-30` for each exercise; to reopen an exercise, delete its line.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from pathlib import Path

from exercise_course import STAGES, CourseError

PROGRESS = STAGES.parent / "exercises-progress.txt"


class Progress:
    """The exercises passed, by id, with the day of the first time.

    `warn` is told, in both languages, what could not be read or kept.
    """

    def __init__(self, warn: Callable[[str, str], None]) -> None:
        self._warn = warn
        try:
            self.passed = _parse(PROGRESS.read_text(encoding="utf-8-sig"))
        except FileNotFoundError:
            self.passed = {}
        except (OSError, ValueError):
            self.passed = {}
            aside = set_aside(PROGRESS, "broken")
            warn(
                f"the progress file could not be read and is now {aside}",
                f"进度文件读不出来，已改名为 {aside}",
            )

    def add(self, exercise_id: str) -> None:
        """Note that the exercise is passed, unless that was known."""
        self.passed.setdefault(exercise_id, str(datetime.date.today()))
        self._save()

    def remove(self, exercise_id: str) -> None:
        """Reopen the exercise."""
        self.passed.pop(exercise_id, None)
        self._save()

    def _save(self) -> None:
        lines = ["# Exercises passed. 已通过的练习。"]
        lines += [f"{name} {date}" for name, date in self.passed.items()]
        # A second file and a rename: an interrupt leaves the old notes whole.
        draft = PROGRESS.with_suffix(".new.txt")
        try:
            draft.write_text("\n".join(lines) + "\n", encoding="utf-8")
            draft.replace(PROGRESS)
        except OSError as error:
            self._warn(
                f"the progress file cannot be written: {error.strerror}",
                f"进度文件写不进去：{error.strerror}",
            )


def _parse(text: str) -> dict[str, str]:
    """Return the notes in `text`; raises ValueError for a line that is none."""
    passed = {}
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            note = re.fullmatch(r"(\d\d\.\d+) (\d{4}-\d\d-\d\d)\s*", line)
            if note is None:
                raise ValueError("not a note of an exercise passed")
            passed[note[1]] = note[2]
    return passed


def set_aside(file: Path, word: str) -> str:
    """Rename `file` to a free name with `word` in it, and return that name."""
    number = 1
    while (aside := file.with_suffix(f".{word}-{number}{file.suffix}")).exists():
        number += 1
    try:
        file.rename(aside)
    except OSError as error:
        raise CourseError(
            f"{file.name} cannot be renamed: {error.strerror}",
            f"{file.name} 无法改名：{error.strerror}",
        ) from None
    return aside.name
