"""Starting a command, and knowing whether it began.

"It failed" and "it never ran" read alike on stderr, and a fence that could not be
built is no refusal of the command's. So the evidence comes over a descriptor.
"""

from __future__ import annotations

import errno
import io
import os
import re
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import DEVNULL, PIPE

from session_end import await_exit, end_group, end_session

Variables = Mapping[str, str]


class FenceError(RuntimeError):
    """Nothing was started; the message says why, and names no path of the Host."""


@dataclass(frozen=True)
class Launch:
    """A process that was started, and the evidence whether the command began.

    process: has a session of its own, which `os.killpg(process.pid, …)` reaches,
        unbuffered pipes as stdout and stderr, and nothing to read on stdin. Whoever
        launched it reads the pipes, ends it and waits for it.
    report: what bubblewrap says about the command; None where there is no program
        between. With bubblewrap ends whatever runs behind it.
    """

    process: subprocess.Popen[bytes]
    report: io.FileIO | None = None
    _said: bytearray = field(default_factory=bytearray)

    def started(self) -> bool:
        """Whether the command itself began. Ask once, after the process has ended.

        Without a report `Popen` has made sure: it waits at a close-on-exec pipe,
        and raises what comes through it. bubblewrap reports an exit code only for
        a command that began. Killed by the Host, it cannot: then the command counts
        as begun if its process was there.
        """
        if self.report is None:
            return True
        with self.report:
            self._read_report()
        killed = (self.process.returncode or 0) < 0
        return b'"exit-code"' in self._said or (killed and self._child() is not None)

    def end(self) -> None:
        """Kill the process and what it has started, as far as `end_session` can.

        Call it before the process is waited for. On Windows only the process ends.
        """
        if os.name != "posix":
            self.process.kill()
        elif self.report is None:
            end_session(self.process.pid)
        else:
            end_group(self.process.pid)
            self._read_report()
            if (child := self._child()) is not None:
                # The first process of a space of their own. Linux ends the others
                # with it, and it is the last: nobody writes after that.
                await_exit(child)

    def _read_report(self) -> None:
        # Something that the Host has not ended yet may still hold the other end.
        os.set_blocking(self.report.fileno(), False)
        self._said.extend(self.report.read() or b"")

    def _child(self) -> int | None:
        found = re.search(rb'"child-pid": *(\d+)', self._said)
        return int(found[1]) if found else None


def start(
    argv: Sequence[str],
    workdir: Path,
    environment: Variables,
    inherited: Sequence[int] = (),
) -> subprocess.Popen[bytes]:
    """Start a program in a new session; of our descriptors it gets `inherited` alone.

    Words are passed as UTF-8, whatever the locale. Raises `OSError` when there is no
    such program or folder, or when SIGCHLD is ignored, as a parent can hand it down;
    and `ValueError` for what no system can pass on.
    """
    if os.name == "posix" and signal.getsignal(signal.SIGCHLD) == signal.SIG_IGN:
        # The system would throw each exit code away, and Python read it as 0.
        raise OSError(
            errno.ECHILD, "SIGCHLD is ignored here, so that no exit code is known"
        )
    return subprocess.Popen(
        [_encode(word) for word in argv],
        cwd=workdir,
        env={_encode(name): _encode(value) for name, value in environment.items()},
        stdin=DEVNULL,
        stdout=PIPE,
        stderr=PIPE,
        bufsize=0,
        start_new_session=True,
        pass_fds=inherited,
    )


def _encode(word: str) -> str | bytes:
    # Windows takes text. Elsewhere a surrogate stands for a byte of a file's name.
    return word if os.name == "nt" else word.encode("utf-8", "surrogateescape")
