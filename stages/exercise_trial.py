"""One answer tried against the checks of its exercise, in a child process.

A child process is not a sandbox: an answer can delete files, open connections and,
written for the purpose, forge a verdict. This is for one's own answers, against
mistakes and the usual tricks; strangers' answers need a fence around it.
"""

from __future__ import annotations

import os
import re
import secrets
import sys
import warnings
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "12-agent-workspace-sandbox" / "code"))

from exercise_course import Exercise, Text, promises_of, words
from runner import CommandNotStarted, CommandRefused, CommandResult, CommandRunner
from workspace import AgentWorkspace, WorkspaceCleanupWarning, WorkspaceError

CHILD = Path(__file__).resolve().with_name("exercise_child.py")
RUN_SECONDS = 10.0
OUTPUT_BYTES = 65_536
PRINTED_LINES = 20
PRINTED_CHARACTERS = 200

Record = tuple[str, str, Text]  # outcome, check, why


@dataclass(frozen=True)
class Outcome:
    """What became of one check: `passed`, `failed` or `not_run`, and why.

    by_assertion: it failed because the check said so, not by an error in the answer.
    """

    check: str
    promise: Text
    outcome: str
    why: Text = ("", "")
    by_assertion: bool = False


@dataclass(frozen=True)
class Trial:
    """What one run showed.

    printed: the first lines that the answer printed, made harmless for a terminal.
    """

    outcomes: tuple[Outcome, ...]
    printed: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether the run came to its end and every promise was kept."""
        kept = [one.outcome == "passed" for one in self.outcomes]
        return bool(kept) and all(kept)

    @property
    def failed(self) -> set[str]:
        """The checks that failed."""
        return {one.check for one in self.outcomes if one.outcome == "failed"}


def try_answer(
    exercise: Exercise, answer: bytes, checks: bytes, seconds: float = RUN_SECONDS
) -> Trial:
    """Run `checks` on `answer` for at most `seconds`, and judge what comes back.

    `checks` must be the course's own bytes. What an answer prints does not count,
    but is bounded: an answer that prints more than 65,536 bytes does not pass.
    """
    key = secrets.token_bytes(32)
    try:
        with warnings.catch_warnings(), AgentWorkspace.temporary() as workspace:
            # An answer may lock or remove what the clean-up wants to remove.
            warnings.simplefilter("ignore", WorkspaceCleanupWarning)
            workspace.import_input("inputs/exercise.py", answer)
            workspace.import_input("inputs/checks.py", checks)
            workspace.import_input("inputs/key", key)
            result = _run(workspace, exercise.stage / "code", seconds)
            records = _records(workspace, key, exercise.name_of("exercise.py"))
    except (WorkspaceError, CommandNotStarted, CommandRefused) as error:
        return Trial(_judge(checks, [], words("not started", error=error)))
    printed = _visible(result.stdout + result.stderr).splitlines()
    if len(printed) > PRINTED_LINES:
        printed[PRINTED_LINES:] = ["[...]"]
    return Trial(
        _judge(checks, records, _problem(records, result, seconds)),
        tuple(line[:PRINTED_CHARACTERS] for line in printed),
    )


def _run(workspace: AgentWorkspace, code: Path, seconds: float) -> CommandResult:
    # Temporary files of checks and answer go when the workspace goes.
    scratch = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(workspace.root / "work"))
    runner = CommandRunner(
        workspace,
        executables={"python": sys.executable},
        max_output_bytes=OUTPUT_BYTES,
        environment={"PATH": os.environ.get("PATH", os.defpath), **scratch},
    )
    flags = ["-I", "-S", "-B", "-u", "-X", "utf8"]
    command = ["python", *flags, str(CHILD), str(code)]
    return runner.run(command, timeout_seconds=seconds)


def _records(workspace: AgentWorkspace, key: bytes, name: str) -> list[Record]:
    """Return the records that were signed with `key`, and nothing else.

    `name` is what they call the learner's file.
    """
    try:
        lines = workspace.read_bytes("work/verdict").splitlines()
    except WorkspaceError:
        # The answer removed or replaced it; without records nothing passes.
        return []
    records = []
    for line in lines:
        signature, _, body = line.partition(b" ")
        expected = blake2b(body, key=key).hexdigest().encode()
        if secrets.compare_digest(signature, expected):
            outcome, check, number, *told = body.decode().split(" ")
            english, chinese = (_told(one, workspace.root, name) for one in told)
            why = english, chinese
            if number != "0":
                why = words("at", why=why, file=name, line=number)
            records.append((outcome, check, why))
    return records


def _told(text: str, root: Path, name: str) -> str:
    """Return a text of the child, in a learner's words: names of files and types."""
    told = bytes.fromhex(text).decode("utf-8", "ignore").strip().partition("\n")[0]
    told = told.replace(str(root / "inputs" / "exercise.py"), name)
    told = re.sub(r"<class '([\w.]+)'>", r"\1", told.replace(str(root), ""))
    return _visible(told)


def _visible(text: str) -> str:
    """Return `text` without what moves a cursor or a reading direction."""
    return "".join(
        char if char.isprintable() or char in "\t\n" else ascii(char)[1:-1]
        for char in text.replace("\r\n", "\n")
    )


def _problem(
    records: list[Record], result: CommandResult, seconds: float
) -> Text | None:
    """Say why the run as a whole does not count; None when it does."""
    notes = {outcome: why for outcome, _, why in records}
    ended = [check for outcome, check, _ in records if outcome != "started"]
    if "import" in notes:
        return words("import", why=notes["import"])
    if "tampered" in notes:
        return words("tampered")
    if len(ended) != len(set(ended)):
        return words("twice")
    if result.truncated:
        return words("flooded", limit=f"{OUTPUT_BYTES:,}")
    if result.timed_out:
        return words("held" if "finished" in notes else "late", seconds=f"{seconds:g}")
    if "finished" not in notes:
        return words("early")
    if result.returncode != 0 or not result.cleanup_complete:
        return words("badly")
    return None


def _judge(
    checks: bytes, records: list[Record], problem: Text | None
) -> tuple[Outcome, ...]:
    """Give every check an outcome; with a problem, at least one is not `passed`."""
    promises = promises_of(checks)
    found: dict[str, tuple] = {}
    running = None
    for outcome, check, why in records:
        running = check if outcome == "started" else None
        if outcome in ("passed", "not_run"):
            found[check] = outcome, why
        elif outcome in ("refused", "raised"):
            found[check] = "failed", why, outcome == "refused"
    if problem and running in promises:
        found[running] = "failed", problem
    elif problem:
        # No single check is at fault, so none that passed is believed either.
        found = {}
    missing = "not_run", problem or words("no verdict")
    return tuple(
        Outcome(check, promise, *found.get(check, missing))
        for check, promise in promises.items()
    )
