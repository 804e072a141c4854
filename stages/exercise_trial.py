"""One answer tried against the checks of its exercise, in a child process.

A child process is not a sandbox: an answer can delete files, open connections and,
written for the purpose, forge a verdict. This is for one's own answers, against
mistakes and the usual tricks; strangers' answers need a fence around it.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import sys
import warnings
from dataclasses import dataclass
from hashlib import blake2b
from importlib.util import decode_source
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

Note = tuple[str, str, Text]  # of the child: event, check, why


@dataclass(frozen=True)
class Trial:
    """What one run showed, in one language.

    records: one for each check; `--json` prints them.
    failed, asserted: the checks that failed, and those of them that failed because
        the check said so, not by an error in the answer.
    printed: the first lines that the answer printed, made harmless for a terminal.
    """

    records: list[dict[str, str]]
    failed: set[str]
    asserted: set[str]
    printed: list[str]

    @property
    def passed(self) -> bool:
        """Whether the run came to its end and every promise was kept."""
        return {record["outcome"] for record in self.records} == {"passed"}


def try_answer(
    exercise: Exercise,
    answer: bytes,
    checks: bytes,
    *,
    chinese: bool = False,
    seconds: float = RUN_SECONDS,
) -> Trial:
    """Run `checks` on `answer` for at most `seconds`, and judge what comes back.

    `checks` must be the course's own bytes. What an answer prints does not count,
    but is bounded: an answer that prints more than 65,536 bytes does not pass.
    """
    key = secrets.token_bytes(32)
    try:
        decode_source(answer)
        with warnings.catch_warnings(), AgentWorkspace.temporary() as workspace:
            # An answer may lock or remove what the clean-up wants to remove.
            warnings.simplefilter("ignore", WorkspaceCleanupWarning)
            workspace.import_input("inputs/exercise.py", answer)
            workspace.import_input("inputs/checks.py", checks)
            workspace.import_input("inputs/key", key)
            result = _run(workspace, exercise.stage / "code", seconds)
            notes = _notes(workspace, key, exercise.name_of("exercise.py"))
        problem = _problem(notes, result, seconds)
        lines = _visible(result.stdout + result.stderr).splitlines()
        printed = [line[:PRINTED_CHARACTERS] for line in lines]
    except (SyntaxError, UnicodeError):
        # Whether Python takes such a file depends on where in it the bytes are.
        notes, problem, printed = [], words("no text"), []
    except (WorkspaceError, CommandNotStarted, CommandRefused) as error:
        notes, problem, printed = [], words("not started", error=error), []
    if len(printed) > PRINTED_LINES:
        printed[PRINTED_LINES:] = ["[...]"]
    promises = promises_of(checks)
    found = _judge(promises, notes, problem)
    asserted = {check for check in promises if found[check][0] == "refused"}
    failed = asserted | {check for check in promises if found[check][0] == "raised"}
    records = []
    for check, promise in promises.items():
        event, why = found[check]
        # An error in the answer says itself what is wrong; a hint would guess.
        hints = exercise.hints(check, failed) if check in asserted else []
        records.append(
            {
                "stage": exercise.id.partition(".")[0],
                "exercise": exercise.id,
                "check": check,
                "promise": promise[chinese],
                "outcome": "failed" if check in failed else event,
                "why": why[chinese],
                "hint": "\n".join(hint[chinese] for hint in hints),
            }
        )
    return Trial(records, failed, asserted, printed)


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


def _notes(workspace: AgentWorkspace, key: bytes, name: str) -> list[Note]:
    """Return what the child has signed with `key`, and nothing else.

    `name` is what the learner's file is called in it.
    """
    try:
        lines = workspace.read_bytes("work/verdict").splitlines()
    except WorkspaceError:
        # The answer removed or replaced it; without notes nothing passes.
        return []
    notes = []
    for line in lines:
        signature, _, body = line.partition(b" ")
        expected = blake2b(body, key=key).hexdigest().encode()
        if secrets.compare_digest(signature, expected):
            event, check, number, *told = json.loads(body)
            english, chinese = (_told(text, workspace.root, name) for text in told)
            why = english, chinese
            if number != "0":
                why = words("at", why=why, file=name, line=number)
            notes.append((event, check, why))
    return notes


def _told(text: str, root: Path, name: str) -> str:
    """Return a text of the child, in a learner's words: names of files and types."""
    told = text.strip().partition("\n")[0]
    told = told.replace(str(root / "inputs" / "exercise.py"), name)
    told = re.sub(r"<class '([\w.]+)'>", r"\1", told.replace(str(root), ""))
    return _visible(told)


def _visible(text: str) -> str:
    """Return `text` without what moves a cursor or a reading direction."""
    return "".join(
        char if char.isprintable() or char in "\t\n" else ascii(char)[1:-1]
        for char in text.replace("\r\n", "\n")
    )


def _problem(notes: list[Note], result: CommandResult, seconds: float) -> Text | None:
    """Say why the run as a whole does not count; None when it does."""
    told = {event: why for event, _, why in notes}
    ended = [check for event, check, _ in notes if event != "started"]
    if "import" in told:
        return words("import", why=told["import"])
    if "tampered" in told:
        return words("tampered")
    if len(ended) != len(set(ended)):
        return words("twice")
    if result.truncated:
        return words("flooded", limit=f"{OUTPUT_BYTES:,}")
    if result.timed_out:
        return words("held" if "finished" in told else "late", seconds=f"{seconds:g}")
    if "finished" not in told:
        return words("early")
    if result.returncode != 0 or not result.cleanup_complete:
        return words("badly")
    return None


def _judge(
    promises: dict[str, Text], notes: list[Note], problem: Text | None
) -> dict[str, tuple[str, Text]]:
    """Return how each check ended; with a problem, at least one did not pass."""
    ended = {check: (event, why) for event, check, why in notes if event != "started"}
    last, running, _ = notes[-1] if notes else ("finished", "-", "")
    if problem and last == "started" and running in promises:
        ended[running] = "raised", problem
    elif problem:
        # No single check is at fault, so none that passed is believed either.
        ended = {}
    missing = "not_run", problem or words("no verdict")
    return {check: ended.get(check, missing) for check in promises}
