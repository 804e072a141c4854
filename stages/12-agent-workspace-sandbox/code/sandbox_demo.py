"""Show the sandbox's profile, or check a report in it.

    python sandbox_demo.py                     print the profile, start nothing
    python sandbox_demo.py --run --image NAME  check a report in a container

With `--run` the exit code is 0 when the report passed, 2 when the checker said
no, 3 when the report could not be checked, and 4 when the checker did not run to
its end; stderr says why in one line. Lost output is 1 and Ctrl-C 130, as in every
demo, and SIGTERM or a terminal that is closed 143: the container is removed then
too. The report is a short one of ours unless `--report` names a file.
"""

from __future__ import annotations

import argparse
import signal
import sys
from pathlib import Path
from typing import NoReturn

from container_profile import Profile, SandboxRefused
from demo_exit import exit_after
from engine_cli import ContainerError
from review_receipt import ReportCheckError
from sandbox import IMAGE, check_in_sandbox, read_report
from workspace import WorkspaceError

REPORT = b"""\
## Background

Twenty support staff will try an assistant that suggests replies.

## Risks

A suggestion can be wrong and still be sent.

## Recommendation

Start, and decide again after four weeks.
"""
PASSED, SAID_NO, NOT_CHECKED, NO_VERDICT = 0, 2, 3, 4
REASON_COLUMN = 37


class CommandLine(argparse.ArgumentParser):
    """argparse ends a wrong command line with 2, which here is a verdict."""

    def error(self, message: str) -> NoReturn:
        """End with the code for "not run"."""
        self.exit(NO_VERDICT, f"{self.prog}: no verdict: {message}\n")


def describe(profile: Profile) -> str:
    """The command that would create the container: a flag and its reason a line."""
    lines = ["PROFILE ONLY", f"{profile.engine} create"]
    for flag in profile.flags():
        if len(flag.option) + 4 > REASON_COLUMN:
            lines += [f"  {flag.option}", f"{'':{REASON_COLUMN}}{flag.reason}"]
        else:
            option = f"  {flag.option}"
            lines.append(f"{option:{REASON_COLUMN}}{flag.reason}")
    lines += [f"  {profile.image}", f"  {' '.join(profile.program())}"]
    return "\n".join(lines)


def preview(engine: str, image: str) -> Profile:
    """A profile to look at: its copies do not exist, and its name is no name."""
    copies = Path(Path.cwd().anchor, "copies")
    return Profile(
        engine,
        image,
        "host-first-0",
        checker=copies / "report_check.py",
        report=copies / "report.md",
    )


def run(report: bytes, engine: str, image: str) -> int:
    """Check `report` in a container, print the verdict, return the exit code."""
    review = check_in_sandbox(report, engine=engine, image=image)
    print("passed in the container:", review.passed)
    print("missing:", review.missing_sections)
    for limit in review.not_proved:
        print(f"not proved: a limit of {limit}")
    print("sha256:", review.sha256)
    return PASSED if review.passed else SAID_NO


def main() -> int:
    """Read the command line; the exit codes are those of the module's docstring."""
    end_on_signals()
    parser = CommandLine(description="Check a report in a container.")
    parser.add_argument("--run", action="store_true", help="start the container")
    parser.add_argument("--engine", default="docker", help="docker or podman")
    parser.add_argument("--image", default=IMAGE, help="an image that is here already")
    parser.add_argument("--report", type=Path, help="the file to check")
    arguments = parser.parse_args()
    try:
        if not arguments.run:
            print(describe(preview(arguments.engine, arguments.image)))
            return 0
        report = read_report(arguments.report) if arguments.report else REPORT
        return run(report, arguments.engine, arguments.image)
    except ReportCheckError as error:
        code, reason = NOT_CHECKED, str(error)
    except (ContainerError, SandboxRefused, WorkspaceError) as error:
        code, reason = NO_VERDICT, f"no verdict: {error}"
    print(f"sandbox_demo.py: {reason}", file=sys.stderr)
    return code


def end_on_signals() -> None:
    """Let SIGTERM unwind what runs, as Ctrl-C does, and a closed terminal likewise."""
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    # Windows has none, and under nohup it stays ignored.
    hangup = getattr(signal, "SIGHUP", None)
    if hangup is not None and signal.getsignal(hangup) == signal.SIG_DFL:
        # Not an exit of its own: what holds SIGTERM back would not hold it.
        signal.signal(hangup, lambda *_: signal.raise_signal(signal.SIGTERM))


if __name__ == "__main__":
    exit_after(main)
