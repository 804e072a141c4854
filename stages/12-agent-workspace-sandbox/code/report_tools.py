"""What a model may ask for in this stage: one operation, "check this draft".

A proposal is data. The Host reads it against the rules below, builds the command
itself, and answers with a receipt or an error. Delivery (`export_report`) is the
Host's own step and no proposal asks for it.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

from artifact_export import Artifact, ArtifactError, export_report
from report_check import MAX_REPORT_BYTES
from review_receipt import ReportCheckError, ReportReview, read_verdict, report_path
from runner import CommandNotStarted, CommandRefused, CommandRunner
from workspace import AgentWorkspace, FileBudgetError

__all__ = [
    "Artifact",
    "ArtifactError",
    "ReportCheckError",
    "ReportReview",
    "ReportTools",
    "export_report",
    "read_verdict",
]

# Beside this file and never in the workspace, where an agent could replace it.
CHECKER = Path(__file__).resolve().with_name("report_check.py")
CHECK_SECONDS = 10.0


class ReportTools:
    """The model-facing operation on one workspace.

    runner: what starts the alias `python`; by default the Python that runs us.
    The checker is our own program. It runs with all rights of the Host's user.
    """

    def __init__(
        self, workspace: AgentWorkspace, runner: CommandRunner | None = None
    ) -> None:
        if runner is None:
            runner = CommandRunner(workspace, executables={"python": sys.executable})
        self._workspace = workspace
        self._runner = runner

    def execute(self, proposal: object) -> ReportReview:
        """Check one draft: `{"action": "check_report", "path": "work/report.md"}`.

        Before anything is started, raises

        - `ValueError` for another shape: exactly these keys, in a plain `dict`
          with plain `str` values, and a path that ends in `.md`;
        - `PermissionError` for another action and for a path outside `work/`;
        - the `WorkspaceError` that says what is wrong with the path or the file:
          malformed, a link, missing, no regular file, over 65,536 bytes.

        Raises `ReportCheckError` when the check came to no verdict that can be
        believed. A draft that was checked and does not meet its contract is no
        error: the receipt then has `passed=False`.
        """
        path = report_path(_proposed_path(proposal))
        payload = self._workspace.read_bytes(path)
        if len(payload) > MAX_REPORT_BYTES:
            raise FileBudgetError(
                f"{path} is over {MAX_REPORT_BYTES} bytes; shorten it"
            )
        command = ["python", "-I", "-S", "-B", str(CHECKER), path]
        try:
            result = self._runner.run(command, timeout_seconds=CHECK_SECONDS)
        except (CommandRefused, CommandNotStarted) as error:
            raise ReportCheckError("the checker could not be started") from error
        return read_verdict(result, path, hashlib.sha256(payload).hexdigest())


def _proposed_path(proposal: object) -> str:
    # By exact type: a subclass could answer differently each time it is asked.
    if type(proposal) is not dict or any(type(key) is not str for key in proposal):
        raise ValueError("a proposal is an object with the keys action and path")
    if set(proposal) != {"action", "path"}:
        raise ValueError("a proposal has exactly the keys action and path")
    action, path = proposal["action"], proposal["path"]
    if type(action) is not str or type(path) is not str:
        raise ValueError("action and path are strings")
    if action != "check_report":
        raise PermissionError("the only action is check_report")
    return path
