"""Four attempts to deliver a report, one of which is right: python receipt_demo.py

A draft that passed its check is changed, then put back; a receipt is made by hand for
a draft that never passed; and a name is used twice.
"""

from __future__ import annotations

import hashlib
import tempfile
from pathlib import Path

from demo import FIRST_DRAFT, PROPOSAL, SECOND_DRAFT
from demo_exit import exit_after
from report_tools import ArtifactError, ReportReview, ReportTools, export_report
from workspace import AgentWorkspace


def deliver(workspace: AgentWorkspace, review: ReportReview, destination: Path) -> str:
    """Try to export the draft, and say what came of it."""
    try:
        artifact = export_report(workspace, review, destination)
    except ArtifactError as error:
        return f"refused: {error}"
    return f"delivered, {artifact.size_bytes} bytes"


def main() -> int:
    """Show the four attempts."""
    with (
        tempfile.TemporaryDirectory(prefix="receipt-") as outside,
        AgentWorkspace.temporary() as workspace,
    ):
        destination = Path(outside) / "report.md"
        workspace.write_text("work/report.md", SECOND_DRAFT)
        review = ReportTools(workspace).execute(PROPOSAL)

        changed = SECOND_DRAFT.replace("Twenty", "Thirty")
        workspace.write_text("work/report.md", changed)
        print("a word was changed:", deliver(workspace, review, destination))

        workspace.write_text("work/report.md", FIRST_DRAFT)
        digest = hashlib.sha256(FIRST_DRAFT.encode("utf-8")).hexdigest()
        forged = ReportReview("work/report.md", True, (), digest)
        print("a forged receipt:", deliver(workspace, forged, destination))

        workspace.write_text("work/report.md", SECOND_DRAFT)
        print("the checked bytes:", deliver(workspace, review, destination))
        print("the same name again:", deliver(workspace, review, destination))
    return 0


if __name__ == "__main__":
    exit_after(main)
