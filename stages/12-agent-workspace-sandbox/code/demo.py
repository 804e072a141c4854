"""One report, from brief to delivered file: python demo.py --output-dir DIR

The drafts are fixed teaching data, so no model is asked and every run says the same.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from demo_exit import exit_after
from report_tools import ArtifactError, ReportCheckError, ReportTools, export_report
from workspace import AgentWorkspace, WorkspaceError

BRIEF = """\
Prepare a report on the support-assistant pilot.
Readers: the product group. Format: Markdown, with the sections
Background, Risks and Recommendation.

Facts: 20 support staff take part. The assistant suggests replies;
it cannot execute refunds. There are no pilot results yet.
"""

FIRST_DRAFT = """\
# Support-assistant pilot

## Background

Twenty support staff will try an assistant that suggests replies.
It cannot execute refunds. The pilot has no results yet.

## Recommendation

Start with the whole group and decide again after four weeks.
"""

RISKS = """\
## Risks

A suggestion can be wrong and still be sent. Staff stay responsible
for every reply, and for every refund, which only they can make.

"""

SECOND_DRAFT = FIRST_DRAFT.replace("## Recommendation", RISKS + "## Recommendation")

PROPOSAL = {"action": "check_report", "path": "work/report.md"}


def free_name(folder: Path) -> Path:
    """The first of report.md, report-2.md, … that `folder` does not hold."""
    number = 1
    while True:
        name = "report.md" if number == 1 else f"report-{number}.md"
        if not (folder / name).exists():
            return folder / name
        number += 1


def output_folder(named: str) -> Path:
    """The folder that `--output-dir` names, made if it is missing."""
    if not named:
        raise ArtifactError("--output-dir is empty; write . for the current folder")
    folder = Path(named).absolute()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = f"--output-dir cannot be made ({error.strerror})"
        raise ArtifactError(f"{reason}; name another folder") from error
    return folder


def run(output_dir: Path) -> None:
    """Work on the report in a workspace of its own and deliver it to `output_dir`."""
    with AgentWorkspace.temporary() as workspace:
        workspace.import_input("inputs/brief.txt", BRIEF)
        tools = ReportTools(workspace)

        workspace.write_text("work/report.md", FIRST_DRAFT)
        review = tools.execute(PROPOSAL)
        print("first check:", review.passed, "missing:", review.missing_sections)

        workspace.write_text("work/report.md", SECOND_DRAFT)
        review = tools.execute(PROPOSAL)
        print("second check:", review.passed)

        for entry in workspace.inventory().files:
            print(f"  {entry.size_bytes:>5} bytes  {entry.path}")
        artifact = export_report(workspace, review, free_name(output_dir))
        root = workspace.root

    print("workspace removed:", not root.exists())
    print("export survives:", artifact.path.is_file())
    print("workspace:", root)
    print("sha256:", artifact.sha256)
    print("exported:", artifact.path)


def main() -> int:
    """Read the command line; 0 when a report was delivered, 1 when none could be."""
    parser = argparse.ArgumentParser(description="Write, check and deliver a report.")
    parser.add_argument(
        "--output-dir",
        required=True,
        help="where the report goes; made if it is missing",
    )
    named = parser.parse_args().output_dir
    try:
        run(output_folder(named))
    except (ArtifactError, ReportCheckError, WorkspaceError) as error:
        print(f"demo.py: no report was delivered: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    exit_after(main)
