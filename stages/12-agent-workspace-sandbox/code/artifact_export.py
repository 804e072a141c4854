"""Deliver a checked report: one file outside the workspace, complete or absent."""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from relative_path import name_fault
from report_check import UnsupportedReport, analyze_report
from review_receipt import ReportReview, report_path
from workspace import AgentWorkspace, WorkspaceError


class ArtifactError(ValueError):
    """The report was not delivered, and nothing was left at the destination."""


@dataclass(frozen=True)
class Artifact:
    """What was delivered: absolute path, digest and size of the bytes in it."""

    path: Path
    sha256: str
    size_bytes: int


def export_report(
    workspace: AgentWorkspace, review: ReportReview, destination: Path
) -> Artifact:
    """Write the draft that `review` passed to the new file `destination`.

    The draft is read once more. Its digest must be the receipt's, and those
    bytes are checked again here, so that a receipt made by hand delivers nothing
    that the checker would refuse. The same bytes, from memory, are written.

    The parent of `destination` must exist and lie outside the workspace; the
    name must be portable and free. The file gets the ordinary mode under the
    umask. Every refusal is an `ArtifactError`.

    Where the file system has hard links the file is there complete or not at
    all, also when this process is killed; a kill can leave a second file whose
    name begins with `.host-first-` beside it, never under its name. Elsewhere
    (FAT, some network shares) a kill while writing can leave an incomplete
    file. Nobody keeps others from changing the file later, or from moving the
    destination's folder while we work.
    """
    payload = _checked_bytes(workspace, review)
    target = _new_place(workspace, destination)
    try:
        _write_new(target, payload)
    except FileExistsError:
        raise ArtifactError("the destination exists; choose another name") from None
    except UnicodeEncodeError:
        raise ArtifactError(
            "the destination's name has a character that no file name can have in "
            "this process; start it with PYTHONUTF8=1"
        ) from None
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else "unknown reason"
        raise ArtifactError(f"the report cannot be written ({reason})") from error
    return Artifact(target, hashlib.sha256(payload).hexdigest(), len(payload))


def _checked_bytes(workspace: AgentWorkspace, review: ReportReview) -> bytes:
    if type(review) is not ReportReview or review.passed is not True:
        raise ArtifactError("only a report that passed its check is delivered")
    try:
        payload = workspace.read_bytes(report_path(review.relative_path))
    except (WorkspaceError, ValueError, PermissionError) as error:
        raise ArtifactError(f"the draft cannot be read again: {error}") from error
    if hashlib.sha256(payload).hexdigest() != review.sha256:
        raise ArtifactError("the draft is not the one that was checked; check it again")
    try:
        passed = analyze_report(payload)["passed"]
    except UnsupportedReport as error:
        raise ArtifactError(f"the draft cannot be checked: {error}") from None
    if not passed:
        raise ArtifactError("the draft does not pass, whatever the receipt says")
    return payload


def _new_place(workspace: AgentWorkspace, destination: Path) -> Path:
    if not isinstance(destination, Path):
        raise ArtifactError("the destination is given as a pathlib.Path")
    fault = name_fault(destination.name)
    if fault:
        raise ArtifactError(f"the destination's name {fault}")
    try:
        parent = Path(os.path.realpath(destination.parent, strict=True))
        inside = any(
            # By identity: the same folder may be spelled in another case.
            folder.samefile(workspace.root)
            for folder in (parent, *parent.parents)
        )
    except (OSError, ValueError) as error:
        raise ArtifactError("the destination's folder is not there; make it") from error
    if not parent.is_dir():
        raise ArtifactError("the destination's folder is no folder")
    if inside:
        raise ArtifactError("the destination is inside the workspace; choose another")
    return parent / destination.name


def _write_new(target: Path, payload: bytes) -> None:
    """Give `target` its bytes and its name in one step, if the name is free."""
    temporary = target.with_name(f".host-first-{secrets.token_hex(8)}")
    try:
        _write_exclusively(temporary, payload)
        try:
            os.link(temporary, target)
        except FileExistsError:
            raise
        except (OSError, NotImplementedError):
            # No hard links here: the name itself has to be created first.
            _write_exclusively(target, payload)
    finally:
        _remove(temporary)


def _write_exclusively(path: Path, payload: bytes) -> None:
    file = path.open("xb")
    try:
        with file:
            file.write(payload)
            file.flush()
            # Before the name is seen: after a power cut it must not be empty.
            os.fsync(file.fileno())
    except BaseException:
        _remove(path)
        raise


def _remove(path: Path) -> None:
    # The outcome is decided by now, and a second error would hide it.
    with contextlib.suppress(OSError):
        path.unlink()
