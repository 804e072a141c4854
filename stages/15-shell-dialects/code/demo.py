"""Two shells, one description, and every sentence of it asked: python demo.py

The commands are fixed, so no model is asked. The workspace is a folder made for this
run. Where there is no PowerShell, a stand-in that knows its phrasebook takes its
place, and each line that rests on it says so.
"""

from __future__ import annotations

import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from asking import outside_folder, script
from contract import FULL_ACCESS, MODES, READ_ONLY, WORKSPACE_WRITE, Policy
from demo_close import close_after
from dialects import BASH, Dialect, powershell
from fences import BWRAP, LANDLOCK, NO_FENCE, Fence
from file_tool import write_file
from promises import check, promises_of
from render import render
from shell_tool import ShellTool

SIDE_BY_SIDE = 4


def named(dialect: Dialect) -> str:
    """The dialect's name, and what it is when it is not the real one."""
    return f"{dialect.name} ({dialect.label})" if dialect.label else dialect.name


def best_fence() -> Fence:
    """The first of the fences that holds on this system."""
    holding = [fence for fence in (LANDLOCK, BWRAP) if not fence.why_not()]
    return holding[0] if holding else NO_FENCE


def show_descriptions(first: ShellTool, second: ShellTool) -> None:
    """The sentences of both tools, marked with who has them."""
    names = [first.dialect.name, second.dialect.name]
    width = max(map(len, names))
    lines, others = (one.description().splitlines() for one in (first, second))
    for line in lines:
        print(f"{'both' if line in others else names[0]:{width}}  {line}")
    for line in others:
        if line not in lines:
            print(f"{names[1]:{width}}  {line}")


def show(title: str, text: str, hidden: dict[str, str]) -> None:
    """What was asked and what came of it, with short names for random paths."""
    lines = [title, *(f"    {line}" for line in text.splitlines())]
    shown = "\n".join(lines)
    for path, name in hidden.items():
        shown = shown.replace(path, name)
    print(shown)


def show_calls(tool: ShellTool, outside: Path, hidden: dict[str, str]) -> None:
    """A folder that does not stay, a write that is refused, and how calls end."""
    target = str(outside / "note")
    for phrases in (
        [("go to", str(outside)), ("where",)],
        [("where",)],
        [("write a file", "note", "x"), ("print", "written")],
        [("write a file", target, "x")],
        [("swallow", target, "x")],
        [("print", "begun"), ("fail with", 3)],
    ):
        command = script(tool, *phrases)
        outcome = tool.run(command)
        show(f"{named(tool.dialect)}> {command}", render(outcome), hidden)


def show_promises(tools: list[ShellTool]) -> int:
    """Ask every tool for all that it promises; how many promises are broken."""
    with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        answers = list(pool.map(check, tools))
    for tool, broken in zip(tools, answers, strict=True):
        kind = f"{named(tool.dialect)}, {tool.policy.mode}, fence {tool.fence.name}"
        stated = len(promises_of(tool))
        print(f"{kind}: {stated} stated, {len(broken)} findings against them")
        for finding in broken:
            print(f"    {finding}")
    return sum(map(len, answers))


def run(folder: Path, outside: Path) -> int:
    """Show both tools; the status of the demo."""
    fence = best_fence()
    workspace = folder / "workspace"
    workspace.mkdir()
    policies = {mode: Policy(mode, workspace) for mode in MODES}
    hidden = {str(outside): "OUTSIDE", str(policies[READ_ONLY].workspace): "WORKSPACE"}
    dialects = [d for d in (BASH, powershell()) if d.command_line()]
    if len(dialects) < 2:
        print("demo.py: needs bash, and pwsh or its stand-in", file=sys.stderr)
        return 1
    mode = WORKSPACE_WRITE if fence is not NO_FENCE else FULL_ACCESS
    first, second = (ShellTool(d, policies[mode], fence) for d in dialects)
    show_descriptions(first, second)
    for tool in (first, second):
        show_calls(tool, outside, hidden)
    denied = render(write_file(str(outside / "note"), "x", policies[WORKSPACE_WRITE]))
    show("write_file(OUTSIDE/note), in the Host's own process", denied, hidden)
    return 1 if show_promises([first, second]) else 0


def main() -> int:
    """0 when every promise was kept, else 1."""
    with tempfile.TemporaryDirectory() as name, outside_folder() as outside:
        return run(Path(name), outside)


if __name__ == "__main__":
    close_after(main)
