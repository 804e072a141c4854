"""Try what the container must refuse, and report what really happened.

    python -I -S -B probe.py TARGETS

TARGETS is a JSON file that says what to try and on what; the program takes the
place of the checker and the file that of the report, so both are mounted
exactly as those are. stdout is one JSON object. Each value is an effect: a word
in capitals for what worked, else the name of the error. A probe that never
gets anything done would look like a perfect sandbox, so every one is also run
in a plain child process, where it must succeed.

It asks only for listeners, files and processes that the test made, and never
for an outside address. It is written for Linux.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

MIB = 2**20
PR_GET_SECCOMP = 21
PR_GET_NO_NEW_PRIVS = 39
CLONE_NEWUSER = 0x10000000


def effect(attempt: Callable[[], object]) -> object:
    """What `attempt` returned, or the name of the error that stopped it."""
    try:
        return attempt()
    except TimeoutError:
        return "ETIMEDOUT"
    except OSError as error:
        return errno.errorcode.get(error.errno, "OSError")


def environment_of(pid: int, secret: str) -> str:
    """Look for the planted secret where the kernel shows a process's start."""
    block = Path(f"/proc/{pid}/environ").read_bytes()
    return "FOUND" if secret.encode() in block else "absent"


def connect(family: int, address: object) -> str:
    """Open a stream to a listener of the test."""
    with socket.socket(family, socket.SOCK_STREAM) as stream:
        stream.settimeout(2)
        stream.connect(address)
    return "CONNECTED"


def send(address: tuple[str, int]) -> str:
    """Send one datagram. Whether it arrived is for its receiver to say."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagram:
        datagram.sendto(b"probe", address)
    return "SENT"


def append(path: Path) -> str:
    """Open a file for writing, or make it; nothing is written."""
    path.open("ab").close()
    return "OPENED"


@contextlib.contextmanager
def first_line(folder: str) -> Iterator[str]:
    """What a script begins with that our Python runs, by a link in `folder`."""
    # The interpreter's own path may be too long for a first line, or have a space.
    link = Path(folder, f"probe-{os.getpid()}.python")
    link.symlink_to(sys.executable)
    try:
        yield f"#!{link}\n"
    finally:
        link.unlink()


def execute_from(folder: str) -> str:
    """Write a program into `folder` and start it."""
    program = Path(folder, f"probe-{os.getpid()}")
    with first_line(folder) as line:
        program.write_text(line, encoding="utf-8")
        program.chmod(0o755)
        try:
            subprocess.run([program], check=True)
        finally:
            program.unlink()
    return "EXECUTED"


def execute_from_memory() -> str:
    """Write a program into a file that is in no folder, and start it."""
    number = os.memfd_create("probe")
    with first_line("/tmp") as line, os.fdopen(number, "wb", 0) as file:
        file.write(line.encode())
        subprocess.run([f"/proc/self/fd/{number}"], pass_fds=[number], check=True)
    return "EXECUTED"


def become_root_of_a_namespace() -> str:
    """Ask for a user namespace, in a child of its own: it would change us."""
    child = os.fork()
    if child == 0:
        libc = ctypes.CDLL(None, use_errno=True)
        os._exit(ctypes.get_errno() if libc.unshare(CLONE_NEWUSER) else 0)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return errno.errorcode[code] if code else "ALLOWED"


def signal_to(pid: int) -> str:
    """End a process of the test."""
    os.kill(pid, signal.SIGTERM)
    return "SIGNALLED"


def fill(folder: str, limit: int) -> str:
    """Write up to `limit` MiB into `folder`."""
    with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
        for written in range(limit):
            try:
                if file.write(bytes(MIB)) < MIB:
                    return f"stopped in MiB {written + 1}"
            except OSError as error:
                return f"{errno.errorcode[error.errno]} after {written} MiB"
    return "NOT LIMITED"


def fork_many(count: int) -> str:
    """Have up to `count` children at the same time."""
    children = []
    try:
        while len(children) < count:
            child = os.fork()
            if child == 0:
                signal.pause()
            children.append(child)
        return "NOT LIMITED"
    except OSError as error:
        return f"{errno.errorcode[error.errno]} after {len(children)}"
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


def processor_share(seconds: float, workers: int = 8) -> float:
    """Let children compute: the processors that all of them together got."""
    start = time.monotonic()
    children = []
    for _ in range(workers):
        child = os.fork()
        if child == 0:
            # Linux may share processors out by session: one each, for a fair part.
            os.setsid()
            while time.monotonic() < start + seconds:
                pass
            os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return round((used.ru_utime + used.ru_stime) / (time.monotonic() - start), 2)


def look(targets: dict) -> dict[str, object]:
    """Try everything that leaves us alive."""
    libc = ctypes.CDLL(None)
    report = Path(sys.argv[1])
    tcp = ("127.0.0.1", targets["tcp_port"])
    return {
        "read a Host file": effect(
            lambda: Path(targets["host_file"]).read_text(encoding="utf-8")
        ),
        "secret in own environment": (
            "FOUND" if targets["secret"] in os.environ.values() else "absent"
        ),
        "secret in the first process": effect(
            lambda: environment_of(os.getppid(), targets["secret"])
        ),
        "connect by TCP": effect(lambda: connect(socket.AF_INET, tcp)),
        "connect to a path": effect(
            lambda: connect(socket.AF_UNIX, targets["unix_path"])
        ),
        "connect to an abstract name": effect(
            lambda: connect(socket.AF_UNIX, "\0" + targets["abstract_name"])
        ),
        "send by UDP": effect(lambda: send(("127.0.0.1", targets["udp_port"]))),
        "write the report": effect(lambda: append(report)),
        "write beside it": effect(lambda: append(report.with_name("beside.txt"))),
        "execute from /tmp": effect(lambda: execute_from("/tmp")),
        "execute from memory": effect(execute_from_memory),
        "write to /dev/shm": effect(
            lambda: tempfile.TemporaryFile(dir="/dev/shm").close() or "OPENED"
        ),
        "signal a Host process": effect(lambda: signal_to(targets["victim_pid"])),
        "user namespace": effect(become_root_of_a_namespace),
        "user id": os.getuid(),
        "no new privileges": libc.prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0),
        "seccomp": libc.prctl(PR_GET_SECCOMP, 0, 0, 0, 0),
        "fill /tmp": effect(lambda: fill("/tmp", 24)),
        "fork 100": fork_many(100),
    }


def take_memory() -> dict[str, object]:
    """Touch 300 MiB; the kernel gives memory only when it is used."""
    block = bytearray(300 * MIB)
    block[::4096] = b"\1" * len(block[::4096])
    return {"memory": "TAKEN"}


def take_memory_in_a_child() -> dict[str, object]:
    """Let a child take it and end well ourselves."""
    child = os.fork()
    if child == 0:
        take_memory()
        os._exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return {"memory": code if code else "TAKEN"}


def outlive(marker: str) -> dict[str, object]:
    """Leave a grandchild in a session of its own, and stay past the deadline."""
    sleeper = [sys.executable, "-I", "-S", "-c", "import time; time.sleep(600)"]
    subprocess.Popen([*sleeper, marker], start_new_session=True)
    time.sleep(600)
    return {}


def flood() -> dict[str, object]:
    """Print 50 MiB, a little at a time."""
    for _ in range(50):
        sys.stdout.write("x" * MIB)
    return {}


def main() -> None:
    targets = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    actions = {
        "look": lambda: look(targets),
        "share": lambda: {"processor share": processor_share(1.0)},
        "memory": take_memory,
        "memory in a child": take_memory_in_a_child,
        "outlive": lambda: outlive(targets["marker"]),
        "flood": flood,
    }
    print(json.dumps(actions[targets["action"]]()))


if __name__ == "__main__":
    main()
