"""What the checks of dialects and promises share: every tool that there can be here."""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
import shutil
import signal
import tempfile
import unittest
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from contract import FULL_ACCESS, MODES, Policy
from dialects import BASH, Dialect, powershell
from fence_check_support import AWKWARD
from fences import BWRAP, LANDLOCK, NO_FENCE, Fence
from promises import promises_of
from shell_tool import ShellTool

POSIX = os.name == "posix"
# Several processes wait more than they work.
SIDE_BY_SIDE = 10
FENCES = (NO_FENCE, LANDLOCK, BWRAP)
# A bash of Windows writes paths in a way of its own.
DIALECTS = tuple(
    dialect
    for dialect in (BASH, powershell())
    if dialect.command_line() and (POSIX or dialect is not BASH)
)
needs_bash = unittest.skipUnless(BASH in DIALECTS, "needs bash, on a POSIX system")
needs_posix = unittest.skipUnless(POSIX, "needs a POSIX system")
needs_a_fence = unittest.skipUnless(
    any(not fence.why_not() for fence in (LANDLOCK, BWRAP)),
    "needs Linux with Landlock, or bubblewrap",
)


@functools.cache
def scratch() -> Path:
    """A folder for all checks, which is gone when they are over."""
    # Resolved, because the system's own may be reached by a link (macOS).
    folder = Path(tempfile.mkdtemp(prefix=f"{AWKWARD} ")).resolve()
    atexit.register(shutil.rmtree, folder)
    return folder


@contextlib.contextmanager
def stdin_has(data: bytes) -> Iterator[None]:
    """Within the block, whoever inherits our stdin finds this in it."""
    read_end, write_end = os.pipe()
    os.write(write_end, data)
    os.close(write_end)
    before = os.dup(0)
    os.dup2(read_end, 0)
    os.close(read_end)
    try:
        yield
    finally:
        os.dup2(before, 0)
        os.close(before)


@contextlib.contextmanager
def chain_of_links(
    folder: Path, length: int = 1100, end: str = "missing"
) -> Iterator[str]:
    """Within the block there are links in a row; the name of the first."""
    names = [f"link-{number}" for number in range(length)]
    for name, target in zip(names, [*names[1:], end], strict=True):
        (folder / name).symlink_to(target)
    try:
        yield names[0]
    finally:
        for name in names:
            (folder / name).unlink()


@contextlib.contextmanager
def handling(number: int, handler: object) -> Iterator[None]:
    """Handle a signal so within the block."""
    before = signal.signal(number, handler)
    try:
        yield
    finally:
        signal.signal(number, before)


@functools.cache
def tool(dialect: Dialect, mode: str, fence: Fence) -> ShellTool:
    """The one tool of this kind, with a workspace of its own."""
    workspace = scratch() / f"{dialect.name} {mode} {fence.name}"
    workspace.mkdir()
    return ShellTool(dialect, Policy(mode, workspace), fence)


def tools() -> Iterator[ShellTool]:
    """One of every dialect, mode and fence; where no fence is used, one is enough."""
    for dialect in DIALECTS:
        yield tool(dialect, FULL_ACCESS, NO_FENCE)
        for fence in FENCES:
            for mode in MODES:
                if mode != FULL_ACCESS:
                    yield tool(dialect, mode, fence)


def name_of(one: ShellTool) -> str:
    """What a failed check calls a tool."""
    label = f" ({one.dialect.label})" if one.dialect.label else ""
    return f"{one.dialect.name}{label}, {one.policy.mode}, {one.fence.name}"


def broken_everywhere(key: str) -> dict[str, list[str]]:
    """What of the promise `key` is not so, for every tool that states it."""
    asked = [
        (name_of(one), one, promise)
        for one in tools()
        for promise in promises_of(one)
        if promise.key == key
    ]
    with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        answers = pool.map(lambda each: each[2].broken(each[1]), asked)
        return {name: broken for (name, *_), broken in zip(asked, answers, strict=True)}


def end_by_mark(mark: str) -> None:
    """End the process with `mark` among its arguments, which a check let go."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if mark.encode() in path.read_bytes():
                os.kill(int(path.parent.name), signal.SIGKILL)
        except OSError:
            continue
