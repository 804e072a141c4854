"""What a working directory does not take away: python boundary_demo.py

The Host keeps a file beside the workspace and a variable in its own environment. The
workspace refuses to read the file, and the runner hands the variable to no child. A
child gets both all the same, with the rights that every program of this user has.

Both are made for this demo. Nothing of the reader's own is opened, and nothing stays.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from demo_exit import exit_after
from runner import CommandRunner
from workspace import AgentWorkspace, WorkspaceEscapeError

CANARY = "SYNTHETIC CANARY"
SECRET_NAME = "HOST_FIRST_SYNTHETIC_SECRET"

READ_FILE = """\
import pathlib, sys
print(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
"""

READ_OWN_ENVIRONMENT = """\
import os, sys
print(os.environ.get(sys.argv[1], "absent"))
"""

READ_PARENT_ENVIRONMENT = """\
import os, pathlib, sys
entries = pathlib.Path(f"/proc/{os.getppid()}/environ").read_bytes().split(b"\\0")
found = dict(entry.partition(b"=")[::2] for entry in entries)
print(found.get(sys.argv[1].encode(), b"absent").decode())
"""


def ask_child(runner: CommandRunner, code: str, argument: str) -> str:
    """What a child prints that runs `code`, or the last line of its complaint."""
    command = ["python", "-I", "-S", "-B", "-c", code, argument]
    result = runner.run(command, timeout_seconds=20)
    printed = result.stdout if result.returncode == 0 else result.stderr
    return printed.strip().splitlines()[-1]


def show_file(workspace: AgentWorkspace, runner: CommandRunner) -> None:
    """The same file, asked for through the workspace and by a child."""
    canary = workspace.root.parent / "host-canary.txt"
    canary.write_text(CANARY, encoding="utf-8")
    try:
        print(
            "workspace, ../host-canary.txt:", workspace.read_text("../" + canary.name)
        )
    except WorkspaceEscapeError as error:
        print("workspace, ../host-canary.txt: refused,", type(error).__name__)
    print("child, its absolute path:", ask_child(runner, READ_FILE, str(canary)))


def show_environment(runner: CommandRunner) -> None:
    """The same variable, looked for in the child's environment and in the Host's."""
    own = ask_child(runner, READ_OWN_ENVIRONMENT, SECRET_NAME)
    print("child, its own environment:", own)
    if not Path("/proc/self/environ").exists():
        print("child, the Host's /proc entry: this system has none")
        return
    parent = ask_child(runner, READ_PARENT_ENVIRONMENT, SECRET_NAME)
    print("child, the Host's /proc entry:", parent)


def act_as_host() -> None:
    """Be the Host that holds a file and a secret, and show who can read them."""
    with tempfile.TemporaryDirectory(prefix="boundary-") as parent:
        workspace = AgentWorkspace.create(Path(parent) / "run")
        runner = CommandRunner(workspace, executables={"python": sys.executable})
        show_file(workspace, runner)
        show_environment(runner)
    print("everything removed:", not Path(parent).exists())


def main() -> int:
    """Start the Host with an environment made for the demo, and return its status.

    A process's /proc entry shows the environment it was started with. Setting a
    variable later would not appear there, and the reader's own variables would.
    """
    if SECRET_NAME in os.environ:
        act_as_host()
        return 0
    kept = {"PATH", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR"}
    kept |= {"PYTHONIOENCODING", "PYTHONUNBUFFERED"}
    environment = {name: os.environ[name] for name in kept if name in os.environ}
    environment[SECRET_NAME] = CANARY
    # A Ctrl-C reaches the Host too, which cleans up; we only wait for it.
    signal.signal(signal.SIGINT, lambda *_: None)
    program = [sys.executable, "-B", str(Path(__file__).resolve())]
    return subprocess.run(program, env=environment, stdin=subprocess.DEVNULL).returncode


if __name__ == "__main__":
    exit_after(main)
