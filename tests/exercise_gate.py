"""What every exercise must be. A complaint is one line; no complaint is the goal.

tests/test_exercises.py asks for them under pytest. Run as a program, with any Python
that the stages support, this prints them:  python tests/exercise_gate.py

With --record, whoever changed a check or a starter records the digests anew.
"""

import ast
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "stages"))

from exercise_course import (
    DIGESTS,
    STAGES,
    TASKS,
    CourseError,
    Exercise,
    find_exercises,
    promises_of,
)
from exercise_trial import Trial, try_answer

FILES = (*TASKS, "exercise.py", "checks.py", "solution.py")
RECORD = "python3 tests/exercise_gate.py --record"
# An answer that agrees with everything: no check may take its word.
YES = """
class Yes(type(Exception)):
    def __call__(cls, *a, **k): return cls
    def __getattr__(cls, name): return cls
    def __eq__(cls, other): return True
    def __ne__(cls, other): return False
    def __lt__(cls, other): return True
    __le__ = __gt__ = __ge__ = __contains__ = __lt__
    def __bool__(cls): return True
    def __hash__(cls): return 0
    def __iter__(cls): return iter(())
    def __len__(cls): return 0
class yes(Exception, metaclass=Yes): pass
def __getattr__(name):
    if name.startswith("__"): raise AttributeError(name)
    return yes
"""


def complaints(exercise: Exercise) -> list[str]:
    """Return everything that is wrong with one exercise, each as one line."""
    missing = [file for file in FILES if not (exercise.folder / file).is_file()]
    if missing:
        return [f"{file} is missing" for file in missing]
    try:
        # Not `exercise.py` itself: a learner may have solved it.
        starter = exercise.starter()
    except CourseError as error:
        return [f"{error.args[0]} (a new one: {RECORD})"]
    return [*_in_files(exercise, starter), *_in_runs(exercise, starter)]


def _in_files(exercise: Exercise, starter: bytes) -> list[str]:
    found = []
    if not re.fullmatch(r"[1-9]\d?(-[a-z0-9]+)+", exercise.folder.name):
        found.append("the folder is not named K-<slug>")
    if not exercise.is_recorded("checks.py", exercise.read("checks.py")):
        found.append(f"checks.py is not as recorded: {RECORD}")
    if "TODO" not in starter.decode():
        found.append("exercise.py has no TODO")
    tasks = [exercise.read(name).decode() for name in TASKS]
    minutes = [
        re.findall(pattern, task)
        for pattern, task in zip((r"(\d+) minutes", r"(\d+) 分钟"), tasks, strict=True)
    ]
    if len(minutes[0]) != 1 or minutes[0] != minutes[1]:
        found.append("the two tasks must tell the minutes, once and alike")
    texts = {"the title": exercise.title()}
    names = [
        node.name
        for node in ast.walk(ast.parse(exercise.read("checks.py")))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    ]
    promises = promises_of(exercise.read("checks.py"))
    if sorted(promises) != sorted(name for name in names if name.startswith("test")):
        found.append("a test is nested, asynchronous, or has another's name")
    if {"tearDown", "setUpClass", "setUpModule"} & set(names):
        found.append("only setUp and addCleanup work: each test runs for itself")
    texts |= {f"the promise of {name}": text for name, text in promises.items()}
    for wrong in exercise.wrong_answers():
        texts[f"the hint of {wrong.file}"] = wrong.hint
    for what, (english, chinese) in texts.items():
        if not english or re.search("[一-鿿]", english):
            found.append(f"{what} has no English text")
        if not re.search("[一-鿿]", chinese):
            found.append(f"{what} has no Chinese text")
    return found


def _in_runs(exercise: Exercise, starter: bytes) -> list[str]:
    checks = exercise.read("checks.py")
    promises = promises_of(checks)
    found = []

    begun = try_answer(exercise, starter, checks)
    if not begun.asserted:
        found.append(f"the starter fails no check by assertion: {_story(begun)}")
    solution = try_answer(exercise, exercise.read("solution.py"), checks)
    if not solution.passed:
        found.append(f"the solution does not pass: {_story(solution)}")
    if try_answer(exercise, YES.encode(), checks).passed:
        found.append("an answer that agrees with everything passes")

    idle = set(promises)
    alone = False
    for wrong in exercise.wrong_answers():
        trial = try_answer(exercise, exercise.read(wrong.file), checks)
        named = set(wrong.rejected_by)
        if unknown := named - set(promises):
            found.append(f"{wrong.file} names no check of this exercise: {unknown}")
        if not named or trial.failed != named:
            found.append(
                f"{wrong.file} must fail {sorted(named)} and nothing else: "
                f"{_story(trial)}"
            )
        if errors := sorted(trial.failed - trial.asserted):
            # Then no hint is shown, for an error explains itself.
            found.append(f"{wrong.file} fails by an error, not by assertion: {errors}")
        if any(one["outcome"] == "not_run" for one in trial.records):
            found.append(f"{wrong.file} does not come to its end: {_story(trial)}")
        idle -= trial.failed
        alone |= len(trial.failed) == 1
    found += [f"{name} is idle: it rejects no wrong answer" for name in sorted(idle)]
    if len(exercise.wrong_answers()) < 3:
        found.append("there are fewer than three wrong answers")
    if not alone:
        found.append("no wrong answer passes all checks but one")
    return found


def _story(trial: Trial) -> str:
    return "; ".join(
        f"{one['check']} {one['outcome']} {one['why']}".strip()
        for one in trial.records
        if one["outcome"] != "passed"
    )


def record_digests(stages: Path = STAGES) -> None:
    """Write the list of what the course trusts: checks and starters as they are."""
    records = [
        exercise.record(file, exercise.read(file))
        for exercise in find_exercises(stages)
        for file in ("checks.py", "exercise.py")
    ]
    (stages / DIGESTS).write_bytes("".join(f"{one}\n" for one in records).encode())


if __name__ == "__main__":
    if sys.argv[1:] == ["--record"]:
        record_digests()
        sys.exit()
    found = [
        f"{exercise.id}: {complaint}"
        for exercise in find_exercises()
        for complaint in complaints(exercise)
    ]
    print("\n".join(found) or "no complaint")
    sys.exit(bool(found))
