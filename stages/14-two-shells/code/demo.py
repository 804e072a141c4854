"""The same two tool calls in two shells: python demo.py

The model's message is fixed, so no model is asked. The workspace is a folder made
for this run; your home is not looked at. The cloud side is a bubblewrap fence,
or the container of an image that you name, and where there is neither it is
simulated, which each line that rests on it says.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import tempfile
from pathlib import Path

from agent_turn import run_turn
from container_executor import ENGINES, started_container
from demo_end import tell
from executors import Executor, ExecutorError, LocalExecutor, second_shell
from scripted_client import Answer, ScriptedClient, ToolUse
from twoshell_guard import CONTRACT, UNKNOWN, WS_NAME, fingerprint

NOTES = f'"$HOME/mnt/{WS_NAME}/notes.txt"'
READ = ToolUse("toolu_1", "run_on_desktop", {"command": f"cat {NOTES}"})
# The exit code of a pipeline is that of its last command, and head finds no fault.
FIND = ToolUse(
    "toolu_2",
    "run_in_sandbox",
    {"command": 'ls "$HOME/mnt" 2>/dev/null | head -n 1'},
)
SCRATCH = ToolUse(
    "toolu_3",
    "run_in_sandbox",
    {"command": f'cd "$HOME/mnt/{WS_NAME}"; touch scratch; echo $(ls)'},
)


def show(
    label: str, calls: list[ToolUse], executor: Executor, fingerprint_of: Executor
) -> None:
    """One turn with every tool wired to `executor`; a line for each result."""
    client = ScriptedClient(Answer(calls, "tool_use"))
    messages = [{"role": "user", "content": "What is in my notes?"}]
    fps = dict.fromkeys(CONTRACT, fingerprint(fingerprint_of))
    run_turn(client, messages, fps, dict.fromkeys(CONTRACT, executor))
    for call, result in zip(calls, messages[-1]["content"], strict=True):
        verdict = "error" if result.get("is_error") else "ok"
        text = "; ".join(result["content"].splitlines())
        print(f"{label} ({executor.name}), {call.name}: {verdict}: {text}")


def run(cloud: Executor, desktop: Executor) -> None:
    """Both sides as they should be, and two ways in which they are not."""
    show("cloud side", [READ, FIND], cloud, cloud)
    show("desktop side", [READ, FIND], desktop, desktop)
    print("A wiring mistake, which the guard cannot see:")
    show("desktop side", [SCRATCH], desktop, desktop)
    print("The other shell behind the desktop's fingerprint:")
    show("cloud side", [READ], cloud, desktop)
    if cloud.name == "simulated":
        print("simulated: one host name for both, so this swap was not seen")


def choose_cloud(
    stack: contextlib.ExitStack, arguments: argparse.Namespace, scratch: Path
) -> Executor:
    """The container that was asked for, or the best second shell there is."""
    if arguments.engine:
        container = started_container(arguments.engine, arguments.image)
        return stack.enter_context(container)
    empty_home = scratch / "empty"
    empty_home.mkdir()
    cloud = second_shell(empty_home)
    if cloud.name == "simulated":
        print(f"The cloud side is simulated: {cloud.reason}")
    return cloud


def story(arguments: argparse.Namespace) -> int:
    """Make a workspace for this run, choose the cloud side, and tell it all."""
    with contextlib.ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        home = scratch / "home"
        workspace = home / "mnt" / WS_NAME
        workspace.mkdir(parents=True)
        notes = workspace / "notes.txt"
        notes.write_text("Call the printer.\n", encoding="utf-8")
        desktop = LocalExecutor(home)
        if fingerprint(desktop)["host"] == UNKNOWN:
            raise ExecutorError("no shell answers here; is sh on the PATH?")
        run(choose_cloud(stack, arguments, scratch), desktop)
    return 0


def main() -> int:
    """Read the command line; 0 when the story was told to its end, else 1."""
    parser = argparse.ArgumentParser(description="Two tool calls in two shells.")
    parser.add_argument("--engine", choices=ENGINES, help="needs --image")
    parser.add_argument("--image", help="one that is here and has a shell")
    arguments = parser.parse_args()
    if bool(arguments.engine) != bool(arguments.image):
        parser.error("--engine and --image go together")
    if os.name != "posix":
        print("demo.py: needs a POSIX shell, as in WSL", file=sys.stderr)
        return 1
    try:
        return tell(lambda: story(arguments))
    except ExecutorError as error:
        print(f"demo.py: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
