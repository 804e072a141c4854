"""A value comes back empty and every status says 0: python empty_value_demo.py

Real shells run the three steps of the story, then the line that stops them. What the
third step would have named for `rm -rf` is printed by a stand-in; nothing is removed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from demo_end import tell

FIND = 'WS="$(ls -d /sessions/*/mnt/Workspace 2>/dev/null | head -1)"'
SHOW = 'echo "status $?, WS=[$WS]"'
PIPEFAIL = "set -o pipefail"
READ = 'cat "$WS/_skills/x/SKILL.md"'
STAND_IN = 'would_run() { echo "would run: $*"; }'
REMOVE = 'would_run rm -rf "$WS/tmp"'
STOP = ': "${WS:?no workspace here}"'
NEXT = 'echo "next line: $WS/tmp"'


def run(shell: str, *lines: str) -> subprocess.CompletedProcess[str]:
    """Run lines in a shell that speaks English, and return what came of it."""
    return subprocess.run(
        [shell, "-c", "\n".join(lines)],
        env={**os.environ, "LC_ALL": "C"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=20,
    )


def why_not_here(bash: str | None) -> str:
    """Why the story cannot be shown on this computer, or nothing."""
    # Windows has a program of this name that is no shell until Linux is installed.
    if bash is None or run(bash, "echo ready").stdout != "ready\n":
        return "This demo needs bash, and there is none here. Nothing was shown."
    if run(bash, FIND, 'echo "[$WS]"').stdout != "[]\n":
        return "There is a workspace below /sessions here: no value comes back empty."
    return ""


def show_failure(bash: str) -> None:
    """The three steps: a status that is lost, a value that is empty, its use."""
    print("1.", FIND)
    print("  ", run(bash, FIND, SHOW).stdout.strip())
    print("2.", PIPEFAIL, "and the same")
    print("  ", run(bash, PIPEFAIL, FIND, SHOW).stdout.strip())
    print("3.", READ)
    read = run(bash, FIND, READ)
    print(f"   status {read.returncode}, {read.stderr.strip()}")
    print("  ", REMOVE)
    removed = run(bash, FIND, STAND_IN, REMOVE)
    print(f"   status {removed.returncode}, {removed.stdout.strip()}")


def show_fix(shells: dict[str, str]) -> None:
    """The line that ends a shell without a value, and lets one with a value pass."""
    print("The fix:", STOP)
    for name, path in shells.items():
        empty = run(path, "WS=", STOP, NEXT)
        # What stands before the name differs from one version of a shell to another.
        said = (empty.stdout + empty.stderr.rpartition("WS: ")[2]).strip()
        print(f"   {name}, empty: status {empty.returncode}, {said}")
        found = run(path, "WS=/found", STOP, NEXT)
        said = (found.stdout + found.stderr).strip()
        print(f"   {name}, found: status {found.returncode}, {said}")


def story() -> int:
    """Show the failure in bash, and the fix in bash and, if there is one, in dash.

    Returns 0 when it was told to its end, else 1.
    """
    found = {name: shutil.which(name) for name in ("bash", "dash")}
    if reason := why_not_here(found["bash"]):
        print(reason)
        return 1
    show_failure(found["bash"])
    show_fix({name: path for name, path in found.items() if path})
    if found["dash"] is None:
        print("   dash: there is none here")
    return 0


if __name__ == "__main__":
    sys.exit(tell(story))
