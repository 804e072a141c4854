"""The learner's program for the exercises: list, check, hint, watch, reset, solution.

    python3 stages/exercises.py                 what there is, and what is next
    python3 stages/exercises.py check 12.1      try your answer

It is for one's own answers: it runs them with one's own rights, and the progress
file is a note that anybody can edit. It does not grade strangers' code.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import itertools
import json
import locale
import os
import re
import sys
import time
from pathlib import Path
from typing import TextIO
from unicodedata import east_asian_width

from exercise_course import PROGRAM, CourseError, Exercise, find_exercises, words
from exercise_progress import Progress, set_aside
from exercise_trial import Trial, try_answer

COMMANDS = ("list", "check", "hint", "watch", "reset", "solution")
COLOURS = {"passed": "32", "failed": "31", "not_run": "33"}
WATCH_SECONDS = 0.3
COLUMNS = 80
# A line may break before each of these: code, a Han character, another word. Marks
# that open or close stay with what they belong to.
BREAKABLE = re.compile(
    " *[（《「“‘]*(?:`[^`]*`|[\u3400-\u9fff]|[^ \u3000-\u9fff（“‘’”…，：；？！）]+|.)"
    "[，。、：；？！）》」”’…]*"
)


def main() -> int:
    """Run one command; 0: done, or all kept; 1: something not kept; 2: an error."""
    for stream in (sys.stdout, sys.stderr):
        # A console that lacks a character shows `?` for it, and no traceback.
        stream.reconfigure(errors="replace", line_buffering=True)
    options = _options()
    chinese = (options.lang or _language()) == "zh-CN"
    try:
        return Session(options, chinese).run()
    except CourseError as error:
        print(wrapped(error.args[chinese]), file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Nobody reads on, as after `| head`; what is left in the buffer goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _options() -> argparse.Namespace:
    def help_of(name: str) -> str:
        return " · ".join(words(f"help of {name}"))

    parser = argparse.ArgumentParser(
        prog=PROGRAM,
        description=" ".join(words("about")),
        epilog="\n".join(f"  {name:9} {help_of(name)}" for name in COMMANDS),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("command", nargs="?", choices=COMMANDS, default="list")
    parser.add_argument("id", nargs="?", help=help_of("id"))
    parser.add_argument("--lang", choices=("en", "zh-CN"), help=help_of("--lang"))
    for flag in ("--json", "--yes", "--reveal"):
        parser.add_argument(flag, action="store_true", help=help_of(flag))
    options = parser.parse_intermixed_args()
    if options.json and options.command != "check":
        parser.error("--json belongs to check")
    if options.id is None and options.command in ("reset", "solution"):
        parser.error(f"{options.command} needs an id, such as 12.1")
    return options


def _language() -> str:
    named = (os.environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    # Windows sets none of the three.
    chosen = next(filter(None, named), None) or locale.getlocale()[0] or ""
    return "zh-CN" if chosen.lower().startswith(("zh", "chinese")) else "en"


def columns(text: str) -> int:
    """Return how wide a terminal shows `text`; Han characters take two columns."""
    return sum(1 + (east_asian_width(char) in "FWA") for char in text)


def wrapped(text: str, before: str = "") -> str:
    """Return `text` after `before`, in lines of at most 80 columns.

    Later lines are indented as far as the first. Code and long words stay whole.
    """
    indent = " " * columns(before)
    lines = [before]
    for piece in BREAKABLE.findall(text):
        begun = lines[-1] not in (before, indent)
        if begun and columns(lines[-1] + piece) > COLUMNS:
            lines.append(indent + piece.lstrip())
        else:
            lines[-1] += piece
    return "\n".join(lines)


class Session:
    """One command of one learner, in one language. Commands return the exit code."""

    def __init__(self, options: argparse.Namespace, chinese: bool) -> None:
        self.options = options
        self.chinese = chinese
        self.exercises = find_exercises()
        self.progress = Progress(functools.partial(self.say, file=sys.stderr))
        self.colours = (
            sys.stdout.isatty()
            and not os.environ.get("NO_COLOR")
            and os.environ.get("TERM") != "dumb"
            and (os.name != "nt" or "WT_SESSION" in os.environ)
        )

    def words(self, key: str, **values: object) -> str:
        return words(key, **values)[self.chinese]

    def say(self, key: str, file: TextIO | None = None, **values: object) -> None:
        print(wrapped(self.words(key, **values)), file=file)

    def run(self) -> int:
        if self.options.command == "list":
            return self.list()
        by_id = {one.id: one for one in self.exercises}
        wanted = self.options.id
        if wanted and wanted not in by_id:
            raise CourseError("no exercise", id=wanted, program=PROGRAM)
        exercise = by_id[wanted] if wanted else self._next_open()
        if exercise:
            return getattr(self, self.options.command)(exercise)
        if not self.options.json:
            self.say("all done")
        return 0

    def list(self) -> int:
        for stage, group in itertools.groupby(self.exercises, lambda one: one.stage):
            exercises = [*group]
            done = sum(one.id in self.progress.passed for one in exercises)
            bar = "#" * done + "-" * (len(exercises) - done)
            print(f"{stage.name}  [{bar}]  {done}/{len(exercises)}")
            for one in exercises:
                mark = "x" if one.id in self.progress.passed else " "
                print(f"  [{mark}] {one.id}  {one.title()[self.chinese]}")
        print()
        self._say_next()
        return 0

    def check(self, exercise: Exercise) -> int:
        trial, records = self._try(exercise)
        if self.options.json:
            print("\n".join(json.dumps(record) for record in records))
        else:
            print(f"{exercise.id}  {exercise.title()[self.chinese]}")
            self._print_records(records)
            if trial.printed:
                self.say("printed")
                print("\n".join(f"  | {line}" for line in trial.printed))
            kept = sum(one["outcome"] == "passed" for one in records)
            self.say("count", kept=kept, total=len(records))
        if not trial.passed:
            return 1
        self.progress.note(exercise.id, passed=True)
        if not self.options.json:
            self._say_next()
        return 0

    def hint(self, exercise: Exercise) -> int:
        for record in self._try(exercise)[1]:
            if record["outcome"] != "passed":
                print(wrapped(record["promise"]))
                for text in (record["hint"] or record["why"]).splitlines():
                    print(wrapped(text, "  - "))
                return 0
        self.say("kept, not noted", command=f"{PROGRAM} check {exercise.id}")
        return 0

    def watch(self, exercise: Exercise | None) -> int:
        while exercise:
            # A missing file is told at once; later it may be away for a moment.
            exercise.read("exercise.py")
            seen = None
            while seen is None or self.check(exercise) != 0:
                if seen:
                    self.say("waiting")
                seen = _wait_for_change(exercise.folder / "exercise.py", seen)
            exercise = None if self.options.id else self._next_open()
        return 0

    def reset(self, exercise: Exercise) -> int:
        if not self.options.yes:
            self.say("sure", id=exercise.id)
            if sys.stdin.readline().strip().lower() not in ("y", "yes"):
                self.say("unchanged")
                return 1
        starter = exercise.starter()
        answer = exercise.folder / "exercise.py"
        if os.path.lexists(answer):
            self.say("your copy", name=exercise.name_of(set_aside(answer, "kept")))
        answer.write_bytes(starter)
        self.progress.note(exercise.id, passed=False)
        self.say("starter back")
        return 0

    def solution(self, exercise: Exercise) -> int:
        if exercise.id not in self.progress.passed and not self.options.reveal:
            self.say("not passed", id=exercise.id)
            return 1
        print(exercise.read("solution.py").decode().rstrip())
        return 0

    def _next_open(self) -> Exercise | None:
        is_open = (one for one in self.exercises if one.id not in self.progress.passed)
        return next(is_open, None)

    def _say_next(self) -> None:
        following = self._next_open()
        if following is None:
            self.say("all done")
            return
        # One line each, however long: they are there to be copied.
        for key, what in (
            ("next", f"{following.id}  {following.title()[self.chinese]}"),
            ("read", following.name_of(("task.md", "task.zh-CN.md")[self.chinese])),
            ("edit", following.name_of("exercise.py")),
            ("check", f"{PROGRAM} check {following.id}"),
            ("ask", f"{PROGRAM} hint {following.id}"),
        ):
            print(self.words(key) + what)

    def _try(self, exercise: Exercise) -> tuple[Trial, list[dict]]:
        """Try the learner's answer; return what it showed, also as one record a check.

        The records are what `--json` prints, in the language of the session.
        """
        checks = exercise.trusted_checks()
        trial = try_answer(exercise, exercise.read("exercise.py"), checks)
        records = []
        for one in trial.outcomes:
            # An error in the answer says itself what is wrong; a hint would guess.
            fitting = (
                exercise.hints(one.check, trial.failed) if one.by_assertion else []
            )
            records.append(
                {
                    "stage": exercise.id.partition(".")[0],
                    "exercise": exercise.id,
                    "check": one.check,
                    "promise": one.promise[self.chinese],
                    "outcome": one.outcome,
                    "why": one.why[self.chinese],
                    "hint": "\n".join(hint[self.chinese] for hint in fitting),
                }
            )
        return trial, records

    def _print_records(self, records: list[dict]) -> None:
        told = {""}
        for record in records:
            label = self.words(record["outcome"])
            line = wrapped(record["promise"], f"  {label}")
            if self.colours:
                coloured = f"\x1b[{COLOURS[record['outcome']]}m{label}\x1b[0m"
                line = line.replace(label, coloured, 1)
            print(line)
            if record["hint"]:
                # What a check found is told with each. An error, what stopped the
                # run, a hint: the same sentence is worth one reading.
                told.discard(record["why"])
            for key in ("why", "hint"):
                for text in record[key].splitlines():
                    if text not in told:
                        print(wrapped(text, f"      {self.words(key)}"))
                        told.add(text)


def _wait_for_change(answer: Path, seen: object) -> object:
    """Return what tells a save of the file from the one `seen`, once there is one."""
    while True:
        # Many editors save by putting a new file in the place of the old one, so
        # that for a moment there is none.
        with contextlib.suppress(FileNotFoundError):
            now = answer.stat()
            stamp = now.st_mtime_ns, now.st_size, now.st_ino
            if stamp != seen:
                return stamp
        time.sleep(WATCH_SECONDS)


if __name__ == "__main__":
    sys.exit(main())
