"""The learner's program for the exercises: list, check, hint, watch, reset, solution.

    python stages/exercises.py                 what there is, and what is next
    python stages/exercises.py check 12.1      try your answer

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
import sys
import time
from pathlib import Path
from typing import TextIO

from exercise_course import CourseError, Exercise, find_exercises
from exercise_progress import Progress, set_aside
from exercise_trial import Trial, try_answer

COMMANDS = ("list", "check", "hint", "watch", "reset", "solution")
LABELS = {
    "passed": ("32", "kept         ", "通过      "),
    "failed": ("31", "broken       ", "未通过    "),
    "not_run": ("33", "not reached  ", "未执行到  "),
}
PROGRAM = "python stages/exercises.py"
WATCH_SECONDS = 0.3


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
        print(error.args[chinese], file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="The exercises. 本课程的练习。")
    parser.add_argument("command", nargs="?", choices=COMMANDS, default="list")
    parser.add_argument("id", nargs="?", help="such as 12.1; left out: the next one")
    parser.add_argument("--lang", choices=("en", "zh-CN"))
    parser.add_argument("--json", action="store_true", help="check: one line a check")
    parser.add_argument("--yes", action="store_true", help="reset: do not ask")
    parser.add_argument("--reveal", action="store_true", help="solution: show it now")
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

    def say(self, english: str, chinese: str, file: TextIO | None = None) -> None:
        print((english, chinese)[self.chinese], file=file)

    def run(self) -> int:
        if self.options.command == "list":
            return self.list_all()
        exercise = self._chosen() if self.options.id else self._next_open()
        if exercise is None:
            if not self.options.json:
                self._say_next()
            return 0
        return getattr(self, self.options.command)(exercise)

    def list_all(self) -> int:
        by_stage = itertools.groupby(self.exercises, lambda one: one.stage)
        for stage, group in by_stage:
            exercises = list(group)
            done = sum(one.id in self.progress.passed for one in exercises)
            bar = "#" * done + "-" * (len(exercises) - done)
            print(f"{stage}  [{bar}]  {done}/{len(exercises)}")
            for one in exercises:
                mark = "x" if one.id in self.progress.passed else " "
                print(f"  [{mark}] {one.id}  {one.title()[self.chinese]}")
        print()
        self._say_next()
        return 0

    def check(self, exercise: Exercise) -> int:
        trial = _try(exercise)
        if self.options.json:
            self._print_json(exercise, trial)
        else:
            self._print_trial(exercise, trial)
        if not trial.passed:
            return 1
        self.progress.add(exercise.id)
        if not self.options.json:
            self._say_next()
        return 0

    def hint(self, exercise: Exercise) -> int:
        trial = _try(exercise)
        for one in trial.outcomes:
            if one.outcome != "passed":
                print(one.promise[self.chinese])
                for text in exercise.hints(one.check, trial.failed) or [one.why]:
                    print(f"  - {text[self.chinese]}")
                return 0
        self.say("Every promise is kept.", "全部通过。")
        return 0

    def watch(self, exercise: Exercise | None) -> int:
        while exercise:
            seen = None
            while seen is None or self.check(exercise) != 0:
                if seen:
                    self.say("Waiting for the next save.", "等待下一次保存。")
                seen = _wait_for_change(exercise.folder / "exercise.py", seen)
            exercise = None if self.options.id else self._next_open()
        return 0

    def reset(self, exercise: Exercise) -> int:
        if not self.options.yes:
            self.say(
                f"Put back the starter of {exercise.id}? A copy of yours stays. [y/N]",
                f"把 {exercise.id} 恢复成初始文件？你的版本会另存一份。[y/N]",
            )
            if sys.stdin.readline().strip().lower() not in ("y", "yes"):
                self.say("Nothing was changed.", "没有改动。")
                return 1
        starter = exercise.starter()
        file = exercise.folder / "exercise.py"
        if file.exists():
            kept = set_aside(file, "kept")
            self.say(f"Your copy: {kept}", f"你的副本：{kept}")
        file.write_bytes(starter)
        self.progress.remove(exercise.id)
        self.say("The starter is back.", "已恢复成初始文件。")
        return 0

    def solution(self, exercise: Exercise) -> int:
        if exercise.id not in self.progress.passed and not self.options.reveal:
            self.say(
                f"Pass {exercise.id} first, or add --reveal.",
                f"请先通过 {exercise.id}，或者加上 --reveal。",
            )
            return 1
        print(exercise.read("solution.py").decode(), end="")
        return 0

    def _chosen(self) -> Exercise:
        for exercise in self.exercises:
            if exercise.id == self.options.id:
                return exercise
        raise CourseError(
            f"there is no exercise {self.options.id}; all: {PROGRAM}",
            f"没有练习 {self.options.id}；查看全部：{PROGRAM}",
        )

    def _next_open(self) -> Exercise | None:
        is_open = (one for one in self.exercises if one.id not in self.progress.passed)
        return next(is_open, None)

    def _say_next(self) -> None:
        following = self._next_open()
        if following is None:
            self.say("All exercises are passed.", "所有练习都已通过。")
            return
        title = following.title()[self.chinese]
        task = following.name_of("task.zh-CN.md" if self.chinese else "task.md")
        answer = following.name_of("exercise.py")
        self.say(f"Next: {following.id}  {title}", f"下一题：{following.id}  {title}")
        self.say(f"  read   stages/{task}", f"  题目  stages/{task}")
        self.say(f"  edit   stages/{answer}", f"  编辑  stages/{answer}")
        for command, word in (("check", "检查"), ("hint", "提示")):
            line = f"{PROGRAM} {command} {following.id}"
            self.say(f"  {command:5}  {line}", f"  {word}  {line}")

    def _print_trial(self, exercise: Exercise, trial: Trial) -> None:
        print(f"{exercise.id}  {exercise.title()[self.chinese]}")
        why, hint = ("原因：", "提示：") if self.chinese else ("why:  ", "hint: ")
        stopped = None
        for one in trial.outcomes:
            colour, *words = LABELS[one.outcome]
            label = words[self.chinese]
            if self.colours:
                label = f"\x1b[{colour}m{label}\x1b[0m"
            print(f"  {label}{one.promise[self.chinese]}")
            # What stopped a run is the same for all that were not reached.
            if one.outcome == "failed" or one.why not in (("", ""), stopped):
                stopped = one.why
                print(f"      {why}{one.why[self.chinese]}")
            for text in exercise.hints(one.check, trial.failed)[:1]:
                print(f"      {hint}{text[self.chinese]}")
        if trial.printed:
            self.say("What your answer printed:", "你的答案输出的内容：")
            print("\n".join(f"  | {line}" for line in trial.printed))
        kept = sum(one.outcome == "passed" for one in trial.outcomes)
        total = len(trial.outcomes)
        self.say(
            f"{kept} of {total} promises kept.", f"共 {total} 条，通过 {kept} 条。"
        )

    def _print_json(self, exercise: Exercise, trial: Trial) -> None:
        for one in trial.outcomes:
            hints = exercise.hints(one.check, trial.failed)
            record = {
                "stage": exercise.id.partition(".")[0],
                "exercise": exercise.id,
                "check": one.check,
                "promise": one.promise[self.chinese],
                "outcome": one.outcome,
                "why": one.why[self.chinese],
                "hint": hints[0][self.chinese] if hints else "",
            }
            print(json.dumps(record))


def _try(exercise: Exercise) -> Trial:
    return try_answer(exercise.read("exercise.py"), exercise.trusted_checks())


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
    try:
        status = main()
        sys.stdout.flush()
    except BrokenPipeError:
        # Nobody reads on, as after `| head`; what is left in the buffer goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 1
    sys.exit(status)
