"""What the checks of this stage share: processes seen from outside, and waiting."""

from __future__ import annotations

import contextlib
import functools
import io
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import FrameType, ModuleType
from typing import ClassVar

CODE = Path(__file__).resolve().parent
# As it is before a check changes it for a moment, with others running beside it.
ENVIRONMENT = dict(os.environ)


class Beside:
    """Work that takes its time, done once, in a thread beside the checks.

    A check that runs alone starts what it needs. Before all checks, `start_all`
    starts everything, in the order in which it was named.
    """

    _pool = ThreadPoolExecutor(3)
    _named: ClassVar[list[Beside]] = []

    def __init__(self, work: Callable[..., object], *arguments: object) -> None:
        self._begun = functools.cache(lambda: self._pool.submit(work, *arguments))
        self._named.append(self)

    def result(self):
        """What the work returned, once it is done; its exceptions are raised here."""
        return self._begun().result()

    @classmethod
    def start_all(cls) -> None:
        for one in cls._named:
            one._begun()

    @classmethod
    def stop(cls) -> None:
        """Do not begin what nobody waits for."""
        cls._pool.shutdown(cancel_futures=True)


def run_script(
    name: str,
    *arguments: str,
    cwd: str | None = None,
    temporary: str | None = None,
    encoding: str = "utf-8",
    path: str | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run one of this stage's programs as a reader would, and return its result.

    `temporary` is the folder that the program takes for the system's temporary one,
    `encoding` that of the terminal it believes to write to, `path` its PATH.
    """
    environment = script_environment(temporary) | {"PYTHONIOENCODING": encoding}
    if path is not None:
        environment["PATH"] = path
    return subprocess.run(
        script_command(name, *arguments),
        cwd=cwd,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding=encoding,
        timeout=60,
    )


def script_command(name: str, *arguments: str) -> list[str]:
    """How a program of the stage is started; `-S`, as it needs nothing installed."""
    return [sys.executable, "-S", str(CODE / name), *arguments]


def script_environment(temporary: str | None) -> dict[str, str]:
    """Our own environment, perhaps with another folder for temporary files."""
    environment = dict(ENVIRONMENT)
    # Some build systems set it; a reader's output waits in a buffer.
    environment.pop("PYTHONUNBUFFERED", None)
    if temporary is not None:
        environment |= dict.fromkeys(("TMPDIR", "TEMP", "TMP"), temporary)
    return environment


def wait_until(condition: Callable[[], object], seconds: float = 10) -> bool:
    """Ask `condition` again and again; False when it did not hold in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() >= deadline:
            return False
        time.sleep(0.01)
    return True


def is_interrupted(
    action: Callable[[], object], moment: int, *modules: ModuleType
) -> bool:
    """Do `action`, with a Ctrl-C after call number `moment` in the code of `modules`.

    Where a call returns is where Python looks for signals. False when the action
    made fewer calls and came to its end.
    """
    files = [module.__file__ for module in modules]

    def interrupt(frame: FrameType, event: str, result: object) -> None:
        nonlocal moment
        if event not in ("return", "c_return"):
            return
        caller = frame if event == "c_return" else frame.f_back
        if caller is None or caller.f_code.co_filename not in files:
            return
        # An open file that nobody has yet would stay open in this process.
        if isinstance(result, (int, io.IOBase)) or frame.f_code.co_name == "__del__":
            return
        moment -= 1
        if moment == 0:
            raise KeyboardInterrupt

    before = sys.getprofile()
    sys.setprofile(interrupt)
    try:
        action()
    except KeyboardInterrupt:
        return True
    finally:
        sys.setprofile(before)
    return False


def is_running(pid: int) -> bool:
    """Whether `pid` still executes. A zombie does not, whoever ought to reap it."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        if Path("/proc/self/stat").exists():
            return False
        return _exists(pid)
    # The name in parentheses may hold spaces and parentheses of its own.
    return stat.rpartition(")")[2].split()[0] not in ("Z", "X")


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def counts() -> tuple[int, int, int, int]:
    """Descriptors, threads of Python, threads of the system, and children."""
    children = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = stat.read_text(encoding="utf-8", errors="replace")
            children += int(fields.rpartition(")")[2].split()[1]) == os.getpid()
    descriptors, tasks = (
        len(list(Path("/proc/self", kind).iterdir())) for kind in ("fd", "task")
    )
    return descriptors, threading.active_count(), tasks, children


def counts_after(before: tuple[int, ...]) -> tuple[int, ...]:
    """The counts, as soon as they are those from before, or else after a while.

    A thread that was joined may still be on its way out of the system's list.
    """
    wait_until(lambda: counts() == before)
    return counts()


def python(*code: str) -> Sequence[str]:
    """The argument list that makes the runner's alias `python` run `code`."""
    return ["python", "-I", "-S", "-B", "-c", "\n".join(code)]
