"""A link that comes and goes while we look: python race_demo.py

One process keeps swapping `work/report.md` between a draft and a link to a file
outside. Two readers meet it, half a second each: one that resolves the path, compares
it with the root and then opens it, and after it the workspace. The counts differ at
each run; "refused" counts the moments at which the link was seen.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from demo_exit import exit_after
from workspace import AgentWorkspace, WorkspaceError

SECONDS = 0.5
CANARY = b"SYNTHETIC CANARY"

SWAP = """\
import os, sys
draft, link, name = sys.argv[1:]
print("swapping", flush=True)
while True:
    for source in (link, draft):
        os.link(source, name + ".new", follow_symlinks=False)
        os.replace(name + ".new", name)
"""


def resolve_then_open(root: Path, relative: str) -> bytes:
    """The obvious way: ask where the path leads, then open the path."""
    path = root / relative
    if not path.resolve().is_relative_to(root):
        raise PermissionError("outside the workspace")
    return path.read_bytes()


def count(read: Callable[[], bytes]) -> str:
    """Read for a while, and on a busy machine until it worked once.

    Says how often it worked, and how often with outside bytes.
    """
    reads = outside = refused = 0
    start = time.monotonic()
    while (passed := time.monotonic() - start) < SECONDS or (not reads and passed < 9):
        try:
            outside += read() == CANARY
            reads += 1
        except (OSError, WorkspaceError):
            refused += 1
    return f"{reads} reads, {outside} of them from outside, {refused} refused"


def compare_readers(workspace: AgentWorkspace) -> None:
    """Let both readers read the same path, one after the other."""
    name = "work/report.md"
    plain = count(lambda: resolve_then_open(workspace.root, name))
    print("resolve, then open:", plain)
    print("the workspace:", count(lambda: workspace.read_bytes(name)))


def main() -> int:
    """Let both readers meet the swapping process."""
    with tempfile.TemporaryDirectory(prefix="race-") as parent:
        canary = Path(parent).resolve() / "host-canary.txt"
        canary.write_bytes(CANARY)
        workspace = AgentWorkspace.create(canary.with_name("run"))
        work = workspace.root / "work"
        workspace.write_text("work/draft.md", "a draft\n")
        workspace.write_text("work/report.md", "a draft\n")
        (work / "link").symlink_to(canary)
        swap = [sys.executable, "-I", "-S", "-c", SWAP]
        swap += [str(work / name) for name in ("draft.md", "link", "report.md")]
        # In a session of its own: a Ctrl-C at the terminal is for us, who end it.
        with subprocess.Popen(
            swap, stdout=subprocess.PIPE, start_new_session=True
        ) as attacker:
            try:
                attacker.stdout.readline()
                compare_readers(workspace)
            finally:
                attacker.kill()
                attacker.wait()
    return 0


if __name__ == "__main__":
    exit_after(main)
