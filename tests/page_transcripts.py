"""Run the console blocks of the pages and compare, or rewrite, their output.

    .venv/bin/python tests/page_transcripts.py

runs every command of every page and writes what it printed into the page, in both
languages. Look at the difference before you commit it.

A block holds `$ command` lines, each followed by its output. In the output `[...]`
stands for any text on its line, and a line that is only `[...]` for any lines. The
commands of a page run in order, in one scratch copy of the repository, and `cd` lasts.

A block with the title "needs Docker", "needs bubblewrap", "needs Landlock" or "needs
dash" runs only where that is; elsewhere it is neither compared nor rewritten. Docker
needs an engine that answers and the variable SANDBOX_IMAGE with the name of an image
(`tests/engine/start.sh` makes both).
"""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from page_text import CHINESE, ROOT, Page, all_pages, english_twin, read_page

TIME_LIMIT_SECONDS = 120
ANYTHING = "[...]"


@dataclass(frozen=True)
class Step:
    """One command of a console block and the output that the page shows for it."""

    line: int
    command: str
    shown: str
    needs: str


def steps_of(page: Page) -> list[Step]:
    """The commands of a page's console blocks, in their order.

    A block that does not begin with a command, or needs what we do not know, is a
    ValueError.
    """
    steps = []
    for fence in page.fences:
        if fence.language != "console":
            continue
        if not fence.text.startswith("$ "):
            raise ValueError(f"{page.name}:{fence.line}: begin the block with `$ `")
        lines = fence.text.split("\n")
        number = 0
        while number < len(lines):
            first = number
            command = lines[number][2:]
            while command.endswith("\\"):
                number += 1
                command += "\n" + lines[number]
            output = []
            number += 1
            while number < len(lines) and not lines[number].startswith("$ "):
                output.append(lines[number])
                number += 1
            shown = "\n".join(output)
            at = fence.line + 1 + first
            needs = fence.title.removeprefix("needs ").removeprefix("需要 ")
            if needs and needs not in WHY_MISSING:
                known = ", ".join(WHY_MISSING)
                raise ValueError(f"{page.name}:{fence.line}: needs one of {known}")
            steps.append(Step(at, command, shown, needs))
    return steps


def matches(shown: str, seen: str) -> bool:
    """Whether the output that a page shows is the output that was seen."""
    pattern = "\n".join(
        r"[\s\S]*?" if line.strip() == ANYTHING else _line_pattern(line)
        for line in shown.rstrip().split("\n")
    )
    # Blanks at the end of a line are not to be seen, and not kept in a page.
    lines = "\n".join(line.rstrip() for line in seen.rstrip().split("\n"))
    return re.fullmatch(pattern, lines) is not None


def _line_pattern(line: str) -> str:
    pieces = line.rstrip().split(ANYTHING)
    return r"[^\n]*".join(re.escape(piece) for piece in pieces)


def _left_out(folder: str, names: list[str]) -> set[str]:
    """What is not copied: caches, and what a reader's own commands left in `code`."""
    patterns = ["__pycache__", ".*"]
    if Path(folder).name == "code":
        patterns += ["*.md", "delivered*"]
    return shutil.ignore_patterns(*patterns)(folder, names)


@contextmanager
def scratch_copy() -> Iterator[tuple[Path, dict[str, str]]]:
    """A copy of the repository's stages to run in, and the environment for it."""
    with tempfile.TemporaryDirectory(
        prefix="pages-", ignore_cleanup_errors=True
    ) as top:
        copy = Path(top) / "host-first"
        shutil.copytree(ROOT / "stages", copy / "stages", ignore=_left_out)
        commands = Path(top) / "bin"
        commands.mkdir()
        for name in ("python", "python3"):
            # A link to the interpreter would lose the virtual environment around it.
            launcher = commands / name
            text = f'#!/bin/sh\nexec "{sys.executable}" "$@"\n'
            launcher.write_text(text, encoding="utf-8")
            launcher.chmod(0o755)
        kept = {"DOCKER_HOST", "SANDBOX_IMAGE", "HOME"} & os.environ.keys()
        yield (
            copy,
            {name: os.environ[name] for name in kept}
            | {
                "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}",
                "LANG": "C.UTF-8",
                "TERM": "dumb",
                "NO_COLOR": "1",
                "COLUMNS": "80",
                "PYTHONHASHSEED": "0",
                "PYTHONDONTWRITEBYTECODE": "1",
            },
        )


@cache
def why_no_docker() -> str:
    """Why blocks that need Docker cannot run here, or nothing when they can."""
    if "SANDBOX_IMAGE" not in os.environ:
        return "SANDBOX_IMAGE names no image; see tests/engine/start.sh"
    if shutil.which("docker") is None:
        return "docker is not installed"
    asked = subprocess.run(["docker", "info"], capture_output=True)
    return "" if asked.returncode == 0 else "no Docker Engine answers"


@cache
def why_no_bubblewrap() -> str:
    """Why blocks that need bubblewrap cannot run here, or nothing when they can."""
    if shutil.which("bwrap") is None:
        return "bubblewrap is not installed"
    fence = ["bwrap", "--ro-bind", "/", "/", "--unshare-all", "true"]
    tried = subprocess.run(fence, capture_output=True)
    return "" if tried.returncode == 0 else "bubblewrap makes no fence here"


def why_no_landlock() -> str:
    """Why blocks that need Landlock cannot run here, or nothing when they can."""
    asked = -1
    if sys.platform == "linux":
        asked = ctypes.CDLL(None).syscall(444, None, 0, 1)  # which version it is
    return "" if asked > 0 else "this kernel has no Landlock, or it is switched off"


def why_no_dash() -> str:
    """Why blocks that need dash cannot run here, or nothing when they can."""
    return "" if shutil.which("dash") else "dash is not installed"


WHY_MISSING = {
    "Docker": why_no_docker,
    "bubblewrap": why_no_bubblewrap,
    "Landlock": why_no_landlock,
    "dash": why_no_dash,
}


def run_steps(steps: list[Step]) -> list[str | None]:
    """Run commands one after the other in a scratch copy; what each printed.

    None stands for a command that needs what is not here.
    """
    outputs: list[str | None] = []
    with scratch_copy() as (copy, environment):
        place = copy.with_name("place")
        place.write_text(f"{copy}\n", encoding="utf-8")
        for step in steps:
            if step.needs and WHY_MISSING[step.needs]():
                outputs.append(None)
                continue
            done = subprocess.run(
                ["bash", "-c", f"trap 'pwd >\"$PLACE\"' EXIT\n{step.command}"],
                cwd=place.read_text(encoding="utf-8").rstrip("\n"),
                env=environment | {"PLACE": str(place)},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                encoding="utf-8",
                errors="replace",
                timeout=TIME_LIMIT_SECONDS,
            )
            outputs.append(done.stdout.rstrip("\n"))
    return outputs


def differences(page: Page, outputs: list[str | None]) -> list[str]:
    """Where a page shows something else than its commands printed."""
    wrong = []
    for step, seen in zip(steps_of(page), outputs, strict=True):
        if seen is not None and not matches(step.shown, seen):
            wrong.append(
                f"{page.name}:{step.line}: $ {step.command}\n"
                f"--- the page shows\n{step.shown}\n--- the command printed\n{seen}"
            )
    return wrong


def rewritten(page: Page, outputs: list[str | None]) -> str:
    """The page's text with each output that does not match replaced by the seen one."""
    lines = page.text.split("\n")
    for step, seen in reversed(list(zip(steps_of(page), outputs, strict=True))):
        if seen is None or matches(step.shown, seen):
            continue
        first = step.line + step.command.count("\n")
        length = len(step.shown.split("\n")) if step.shown else 0
        indent = re.match(" *", lines[step.line - 1])[0]
        lines[first : first + length] = [
            (indent + line).rstrip() for line in (seen.split("\n") if seen else [])
        ]
    return "\n".join(lines)


def main() -> None:
    """Bring the console blocks of every page up to date."""
    known: dict[Path, tuple[list[str], list[str | None]]] = {}
    for path in all_pages():
        page = read_page(path)
        steps = steps_of(page)
        if not steps:
            continue
        commands = [step.command for step in steps]
        source = english_twin(path) if path.name.endswith(CHINESE) else path
        if known.get(source, ([], []))[0] != commands:
            known[source] = commands, run_steps(steps)
        text = rewritten(page, known[source][1])
        if text != page.text:
            path.write_text(text, encoding="utf-8", newline="\n")
            print("rewritten:", page.name)
    for needed, why_missing in WHY_MISSING.items():
        if reason := why_missing():
            print(f"left as they were: blocks that need {needed}; {reason}")


if __name__ == "__main__":
    main()
