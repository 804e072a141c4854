"""Starting a command, and knowing whether it began.

"It failed" and "it never ran" read alike on stderr, and a fence that could not be
built is no refusal of the command's. So the evidence comes over a descriptor.
"""

from __future__ import annotations

import io
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from subprocess import DEVNULL, PIPE

from session_end import end_group, end_session

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

    def started(self) -> bool:
        """Whether the command itself began. Ask once, after the process has ended.

        Without a report `Popen` has made sure: it waits at a close-on-exec pipe,
        and raises what comes through it. bubblewrap reports an exit code only for
        a command that began. Killed by the Host, it cannot: then the command counts
        as begun if its process was there.
        """
        if self.report is None:
            return True
        # Something that the Host has not ended yet may still hold the other end.
        os.set_blocking(self.report.fileno(), False)
        with self.report:
            said = self.report.read() or b""
        killed = (self.process.returncode or 0) < 0
        return b'"exit-code"' in said or (killed and b'"child-pid"' in said)

    def end(self) -> None:
        """Kill the process and what it has started, as far as `end_session` can.

        Call it before the process is waited for. On Windows only the process ends.
        """
        if os.name != "posix":
            self.process.kill()
        elif self.report is None:
            end_session(self.process.pid)
        else:
            # The kernel ends the rest with the first process behind bubblewrap. To
            # search for them, as `end_session` does, would take a tenth of the call.
            end_group(self.process.pid)


def start(
    argv: Sequence[str],
    workdir: Path,
    environment: Variables,
    inherited: Sequence[int] = (),
) -> subprocess.Popen[bytes]:
    """Start a program in a new session; of our descriptors it gets `inherited` alone.

    Words are passed as UTF-8, whatever the locale. Raises `OSError` when there is no
    such program or folder, and `ValueError` for what no system can pass on.
    """
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
