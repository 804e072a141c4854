"""A review receipt: the checker's verdict, bound to the bytes it is about.

The Host started the checker, yet its answer is only bytes from a pipe. It
becomes a receipt when everything that we know about the run says the same, and
nothing at all when one thing disagrees.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import PurePosixPath

from relative_path import RelativePath
from report_check import REQUIRED_SECTIONS
from runner import CommandResult

_NOT_BELIEVED = "the checker's answer is not to be believed"
_LONGEST_REASON = 200


@dataclass(frozen=True)
class ReportReview:
    """One draft's verdict. `passed=False` means: checked, and found wanting.

    `sha256` is the digest of the bytes checked, as 64 lower-case hex digits. The
    receipt is no approval, and it is not signed: whoever can make the object can
    write any verdict into it. `export_report` therefore checks again.
    """

    relative_path: str
    passed: bool
    missing_sections: tuple[str, ...]
    sha256: str


class ReportCheckError(RuntimeError):
    """The check did not come to a verdict; it says neither yes nor no."""


def report_path(text: str) -> str:
    """`text` in its plain form, if it names a `.md` file in `work/`.

    Raises what `RelativePath.parse` raises, `PermissionError` for a file
    elsewhere and `ValueError` for one that is no `.md`.
    """
    path = RelativePath.parse(text)
    if path.parts[0] != "work":
        raise PermissionError(f"{path} is no draft; a report lies in work/")
    if PurePosixPath(path.parts[-1]).suffix != ".md":
        raise ValueError(f"{path} is no report; its name ends in .md")
    return str(path)


def read_verdict(
    result: CommandResult, relative_path: str, sha256: str
) -> ReportReview:
    """The receipt for the bytes with digest `sha256`, from the checker's run.

    Raises `ReportCheckError` when the run was ended or cut short, when the
    checker says that it could not check (its reason is in the message), and
    when exit code, answer and digest do not agree.
    """
    if result.timed_out:
        raise ReportCheckError("the checker did not finish in time")
    if result.truncated or not result.output_complete or not result.cleanup_complete:
        raise ReportCheckError("the checker's run is not known to its end")
    answer = _read_answer(result.stdout)
    if result.returncode == 3 and set(answer) == {"error"}:
        raise ReportCheckError(f"the report could not be checked{_reason(answer)}")
    if set(answer) != {"passed", "missing_sections", "sha256"}:
        raise ReportCheckError(_NOT_BELIEVED)
    passed, missing = answer["passed"], answer["missing_sections"]
    agrees = (
        type(missing) is list
        and missing == [name for name in REQUIRED_SECTIONS if name in missing]
        and passed is (not missing)  # `is`: 1 is no verdict
        and result.returncode == (0 if passed else 2)
    )
    if not agrees:
        raise ReportCheckError(_NOT_BELIEVED)
    if answer["sha256"] != sha256:
        raise ReportCheckError("the draft changed while it was checked; check again")
    return ReportReview(relative_path, passed, tuple(missing), sha256)


def _read_answer(stdout: str) -> dict[str, object]:
    """The one JSON object in the one line of ASCII that the checker prints."""
    line = stdout.removesuffix("\n")
    if line == stdout or not line.isprintable() or not line.isascii():
        raise ReportCheckError(_NOT_BELIEVED)
    try:
        answer = json.loads(line, object_pairs_hook=_without_twins)
    except (ValueError, RecursionError):
        raise ReportCheckError(_NOT_BELIEVED) from None
    if type(answer) is not dict:
        raise ReportCheckError(_NOT_BELIEVED)
    return answer


def _without_twins(pairs: list[tuple[str, object]]) -> dict[str, object]:
    # Two answers under one key: json would silently take the last.
    if len({key for key, _ in pairs}) != len(pairs):
        raise ValueError("a key stands twice")
    return dict(pairs)


def _reason(answer: dict[str, object]) -> str:
    reason = answer["error"]
    if type(reason) is str and reason.isprintable() and len(reason) <= _LONGEST_REASON:
        return f": {reason}"
    return ""
