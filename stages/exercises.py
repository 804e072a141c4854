"""The learner's program for the exercises: list, check, hint, watch, reset, solution.

    python3 stages/exercises.py                 what there is, and what is next
    python3 stages/exercises.py check 12.1      try your answer

It is for one's own answers: it runs them with one's own rights, and the progress
file is a note that anybody can edit. It does not grade strangers' code.
"""

from __future__ import annotations

import argparse
import datetime
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

from exercise_course import (
    PROGRAM,
    PROGRESS,
    TASKS,
    CourseError,
    Exercise,
    find_exercises,
    read_progress,
    set_aside,
    words,
    write_progress,
)
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
        told = error.args
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Nobody reads on, as after `| head`; what is left in the buffer goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        told = words("system", error=error)
    print(wrapped(told[chinese]), file=sys.stderr)
    return 2


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
        try:
            self.passed = read_progress()
        except (OSError, ValueError):
            self.passed = {}
            self.say("notes broken", sys.stderr, name=set_aside(PROGRESS, "broken"))

    def words(self, key: str, **values: object) -> str:
        return words(key, **values)[self.chinese]

    def say(self, key: str, file: TextIO | None = None, **values: object) -> None:
        print(wrapped(self.words(key, **values)), file=file)

    def title(self, exercise: Exercise) -> str:
        return f"{exercise.id}  {exercise.title()[self.chinese]}"

    def run(self) -> int:
        if self.options.command == "list":
            return self.list()
        exercise = self._next_open()
        if wanted := self.options.id:
            exercise = {one.id: one for one in self.exercises}.get(wanted)
            if exercise is None:
                raise CourseError("no exercise", id=wanted, program=PROGRAM)
        if exercise:
            return getattr(self, self.options.command)(exercise)
        if not self.options.json:
            self.say("all done")
        return 0

    def list(self) -> int:
        for stage, group in itertools.groupby(self.exercises, lambda one: one.stage):
            exercises = [*group]
            done = sum(one.id in self.passed for one in exercises)
            bar = "#" * done + "-" * (len(exercises) - done)
            print(f"{stage.name}  [{bar}]  {done}/{len(exercises)}")
            for one in exercises:
                print(f"  [{'x' if one.id in self.passed else ' '}] {self.title(one)}")
        print()
        self._say_next()
        return 0

    def check(self, exercise: Exercise) -> int:
        trial = self._try(exercise)
        if trial.passed:
            self.passed.setdefault(exercise.id, str(datetime.date.today()))
            self._keep_progress()
        if self.options.json:
            print("\n".join(json.dumps(record) for record in trial.records))
        else:
            self._print(exercise, trial)
        return 0 if trial.passed else 1

    def hint(self, exercise: Exercise) -> int:
        for record in self._try(exercise).records:
            if record["outcome"] != "passed":
                print(wrapped(record["promise"]))
                for text in (record["hint"] or record["why"]).splitlines():
                    print(wrapped(text, "  - "))
                return 0
        noted = "kept" if exercise.id in self.passed else "kept, not noted"
        self.say(noted, command=f"{PROGRAM} check {exercise.id}")
        return 0

    def watch(self, exercise: Exercise | None) -> int:
        while exercise:
            answer = exercise.folder / "exercise.py"
            seen = _stamp(answer)
            while self.check(exercise) != 0:
                self.say("waiting")
                while (stamp := _stamp(answer)) in (None, seen):
                    time.sleep(WATCH_SECONDS)
                seen = stamp
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
        self.passed.pop(exercise.id, None)
        self._keep_progress()
        self.say("starter back")
        return 0

    def solution(self, exercise: Exercise) -> int:
        if exercise.id not in self.passed and not self.options.reveal:
            self.say("not passed", id=exercise.id)
            return 1
        print(exercise.read("solution.py").decode().rstrip())
        return 0

    def _next_open(self) -> Exercise | None:
        return next((one for one in self.exercises if one.id not in self.passed), None)

    def _say_next(self) -> None:
        following = self._next_open()
        if following is None:
            self.say("all done")
            return
        # Not wrapped: the lines are there to be copied.
        task, answer = map(following.name_of, (TASKS[self.chinese], "exercise.py"))
        values = {"title": self.title(following), "task": task, "answer": answer}
        print(self.words("next", id=following.id, program=PROGRAM, **values))

    def _try(self, exercise: Exercise) -> Trial:
        checks, answer = exercise.trusted_checks(), exercise.read("exercise.py")
        return try_answer(exercise, answer, checks, chinese=self.chinese)

    def _print(self, exercise: Exercise, trial: Trial) -> None:
        print(self.title(exercise))
        told = set()
        for record in trial.records:
            label = self.words(record["outcome"])
            line = wrapped(record["promise"], f"  {label}")
            if _coloured():
                colour = COLOURS[record["outcome"]]
                line = line.replace(label, f"\x1b[{colour}m{label}\x1b[0m", 1)
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
        if trial.printed:
            self.say("printed")
            print("\n".join(f"  | {line}" for line in trial.printed))
        kept = sum(one["outcome"] == "passed" for one in trial.records)
        self.say("count", kept=kept, total=len(trial.records))
        if trial.passed:
            self.say("compare", command=f"{PROGRAM} solution {exercise.id}")
            self._say_next()

    def _keep_progress(self) -> None:
        try:
            write_progress(self.passed)
        except OSError as error:
            self.say("notes not kept", sys.stderr, error=error.strerror)


def _coloured() -> bool:
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    # Not every console of Windows knows colours; its Terminal does.
    unsure = os.name == "nt" and "WT_SESSION" not in os.environ
    return sys.stdout.isatty() and not plain and not unsure


def _stamp(answer: Path) -> tuple[int, int, int] | None:
    """Return what tells a save from another; None while an editor swaps the file."""
    try:
        now = answer.stat()
    except FileNotFoundError:
        return None
    return now.st_mtime_ns, now.st_size, now.st_ino


if __name__ == "__main__":
    sys.exit(main())
