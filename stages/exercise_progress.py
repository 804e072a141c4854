"""Which exercises a learner has passed: a text file at the root of the repository.

It is the learner's own note and proves nothing. The file holds one line such as
`12.1 2026-11-30` for each exercise; to reopen an exercise, delete its line.
"""

from __future__ import annotations

import datetime
import os
from collections.abc import Callable
from pathlib import Path

from exercise_course import STAGES, CourseError

PROGRESS = STAGES.parent / "exercises-progress.txt"


class Progress:
    """The exercises passed, by id, with the day of the first time.

    `warn` is told what could not be read or kept: a key of exercise_words.json and
    the values for it.
    """

    def __init__(self, warn: Callable[..., None]) -> None:
        self._warn = warn
        self.passed: dict[str, str] = {}
        try:
            lines = PROGRESS.read_text(encoding="utf-8-sig").splitlines()
            notes = [line for line in lines if line.strip() and line[0] != "#"]
            # A line that is no pair of words raises ValueError.
            self.passed = dict(note.split() for note in notes)
        except FileNotFoundError:
            pass
        except (OSError, ValueError):
            warn("notes broken", name=set_aside(PROGRESS, "broken"))

    def note(self, exercise_id: str, passed: bool) -> None:
        """Note that the exercise is passed, unless that was known, or reopen it."""
        if passed:
            self.passed.setdefault(exercise_id, str(datetime.date.today()))
        else:
            self.passed.pop(exercise_id, None)
        lines = ["# Exercises passed. 已通过的练习。"]
        lines += [f"{name} {date}" for name, date in self.passed.items()]
        # A second file and a rename: an interrupt leaves the old notes whole.
        draft = PROGRESS.with_suffix(".new.txt")
        try:
            draft.write_text("\n".join(lines) + "\n", encoding="utf-8")
            draft.replace(PROGRESS)
        except OSError as error:
            self._warn("notes not kept", error=error.strerror)


def set_aside(file: Path, word: str) -> str:
    """Rename `file` to a free name with `word` in it, and return that name."""
    number = 1
    while os.path.lexists(
        aside := file.with_suffix(f".{word}-{number}{file.suffix}"),
    ):
        number += 1
    try:
        file.rename(aside)
    except OSError as error:
        raise CourseError(
            "cannot rename", file=file.name, error=error.strerror
        ) from None
    return aside.name
