"""One answer tried against the checks of its exercise, in a child process.

A child process is not a sandbox: an answer can delete files, open connections and,
written for the purpose, forge a verdict. This is for one's own answers, against
mistakes and the usual tricks; strangers' answers need a fence around it.
"""

from __future__ import annotations

import secrets
import sys
import warnings
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "12-agent-workspace-sandbox" / "code"))

from exercise_course import Text, promises_of
from runner import CommandNotStarted, CommandRefused, CommandResult, CommandRunner
from workspace import AgentWorkspace, WorkspaceCleanupWarning, WorkspaceError

CHILD = Path(__file__).resolve().with_name("exercise_child.py")
RUN_SECONDS = 10.0
OUTPUT_BYTES = 65_536
PRINTED_LINES = 20
PRINTED_CHARACTERS = 200

Record = tuple[str, str, str]  # outcome, check, why


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


def try_answer(answer: bytes, checks: bytes, seconds: float = RUN_SECONDS) -> Trial:
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
            result = _run(workspace, seconds)
            records = _records(workspace, key)
    except (WorkspaceError, CommandNotStarted, CommandRefused) as error:
        problem = f"it could not be started: {error}", f"没能启动：{error}"
        return Trial(_judge(checks, [], problem))
    problem = _problem(records, result, seconds)
    printed = _visible(result.stdout + result.stderr).splitlines()
    if len(printed) > PRINTED_LINES:
        printed[PRINTED_LINES:] = ["[...]"]
    return Trial(
        _judge(checks, records, problem),
        tuple(line[:PRINTED_CHARACTERS] for line in printed),
    )


def _run(workspace: AgentWorkspace, seconds: float) -> CommandResult:
    # Temporary files of checks and answer go when the workspace goes.
    scratch = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(workspace.root / "work"))
    runner = CommandRunner(
        workspace,
        executables={"python": sys.executable},
        max_output_bytes=OUTPUT_BYTES,
        environment=scratch,
    )
    command = ["python", "-I", "-S", "-B", "-u", "-X", "utf8", str(CHILD)]
    return runner.run(command, timeout_seconds=seconds)


def _records(workspace: AgentWorkspace, key: bytes) -> list[Record]:
    """Return the records that were signed with `key`, and nothing else."""
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
            outcome, check, why = body.decode().split(" ")
            text = bytes.fromhex(why).decode("utf-8", "replace")
            text = text.replace(str(workspace.root), "").partition("\n")[0]
            records.append((outcome, check, _visible(text)))
    return records


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
    if "import" in notes:
        why = notes["import"]
        return f"the answer cannot be imported: {why}", f"这份答案无法导入：{why}"
    if "tampered" in notes:
        return (
            "the answer changed `unittest`, `builtins` or the checks themselves",
            "这份答案改动了 `unittest`、`builtins` 或检查本身",
        )
    ended = [check for outcome, check, _ in records if outcome != "started"]
    if len(ended) != len(set(ended)):
        return (
            "a check was reported twice: is there a fork that does not end?",
            "有检查报告了两次：是不是 fork 出来的进程没有结束？",
        )
    if result.truncated:
        return (
            f"the answer printed more than {OUTPUT_BYTES:,} bytes",
            f"这份答案输出了超过 {OUTPUT_BYTES:,} 字节",
        )
    if result.timed_out and "finished" in notes:
        return (
            f"something that the answer started still held its output after "
            f"{seconds:g} s; end it, or wait for it",
            f"{seconds:g} 秒后，答案启动的程序还占着它的输出；请结束它，或等它结束",
        )
    if result.timed_out:
        return (
            f"no end after {seconds:g} s: a loop that never ends, or a wait for "
            f"something that never comes",
            f"{seconds:g} 秒还没有结束：循环停不下来，或者在等不会来的东西",
        )
    if "finished" not in notes:
        return (
            "the program ended before the checks did",
            "检查还没做完，程序就结束了",
        )
    if result.returncode != 0 or not result.cleanup_complete:
        return "the program did not end as it should", "程序没有正常结束"
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
            found[check] = outcome, (why, why)
        elif outcome in ("refused", "raised"):
            found[check] = "failed", (why, why), outcome == "refused"
    if problem and running in promises:
        found[running] = "failed", problem
    elif problem:
        # No single check is at fault, so none that passed is believed either.
        found = {}
    missing = "not_run", problem or ("no verdict came back", "没有得到结论")
    return tuple(
        Outcome(check, promise, *found.get(check, missing))
        for check, promise in promises.items()
    )
