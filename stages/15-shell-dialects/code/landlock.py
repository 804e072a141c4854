"""Landlock, through ctypes: a thread gives up writing, and its children with it.

Landlock is a part of Linux by which a thread restricts itself, for good, without
being root. What it starts afterwards inherits that; the other threads of its
process do not. So a thread made for the purpose restricts itself, starts the child
and ends, and the Host stays as free as it was. No launcher program stands between
them, and so nothing waits for a second Python to start. (`preexec_fn` would restrict
the child itself, but runs Python after a fork, which can deadlock beside threads.)

What is not promised: that no other code of the Host runs restricted. Python may
collect garbage in that thread, so a finalizer that wants to remove a file can be
refused in those milliseconds.

Source: Linux, Documentation/userspace-api/landlock.rst.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import struct
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

Result = TypeVar("Result")

# The numbers are the same on every architecture but alpha.
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
ASK_FOR_VERSION = 1
PATH_BENEATH = 1
NO_NEW_PRIVILEGES = 38
CAPABILITY_VERSION = 0x20080522

WRITE_FILE = 1 << 1
# To remove a folder or a file, and to make a folder, file, socket, fifo or link.
CHANGE_FOLDER = sum(1 << bit for bit in (4, 5, 7, 8, 9, 10, 12))
# Who may make the disk's device in a folder and write to it needs no other right.
MAKE_DEVICE = 1 << 6 | 1 << 11
MOVE = 1 << 13
TRUNCATE = 1 << 14
CONTROL_DEVICE = 1 << 15
SCOPE_SIGNAL = 1 << 1
# The version with which each came. Before 2, moving between folders was refused.
MOVE_ABI, TRUNCATE_ABI, DEVICE_ABI, SIGNAL_ABI = 2, 3, 5, 6


class LandlockError(RuntimeError):
    """The kernel restricted nothing; the message says at which step."""


@functools.cache
def kernel_abi() -> int:
    """The version of Landlock that this kernel speaks; 0 where it speaks none."""
    if sys.platform != "linux":
        return 0
    try:
        return _call("asking the version", CREATE_RULESET, None, 0, ASK_FOR_VERSION)
    except LandlockError:
        return 0


def change_rights(abi: int) -> int:
    """The rights to change files that this version can take away, as a bit mask.

    Reading and executing are not among them: those stay as they are.
    """
    rights = WRITE_FILE | CHANGE_FOLDER | MAKE_DEVICE
    for since, right in (
        (MOVE_ABI, MOVE),
        (TRUNCATE_ABI, TRUNCATE),
        (DEVICE_ABI, CONTROL_DEVICE),
    ):
        if abi >= since:
            rights |= right
    return rights


def in_restricted_thread(
    action: Callable[[], Result], writable: Iterable[Path], abi: int
) -> Result:
    """Do `action` in a thread of its own, which can change nothing but `writable`.

    writable: folders, with all below them, and single files. Links are followed
        once, now.
    abi: from 1 to `kernel_abi()`; a lower one restricts as an older kernel would.

    The thread also gives up root's capabilities, if it had them: with them it
    could load a module into the kernel.

    Returns what `action` returned and raises what it raised. Raises
    `LandlockError`, or `OSError` for a path that is not there, before `action`.
    """

    def restricted() -> Result:
        with _ruleset(writable, abi) as ruleset:
            _give_up_privileges()
            _call("restricting the thread", RESTRICT_SELF, ruleset, 0)
        return action()

    with ThreadPoolExecutor(max_workers=1) as own_thread:
        return _submit(own_thread, restricted).result()


def _submit(
    own_thread: ThreadPoolExecutor, action: Callable[[], Result]
) -> Future[Result]:
    try:
        return own_thread.submit(action)
    except RuntimeError:
        # The system has only so many threads, and so has a user.
        raise LandlockError("Landlock failed at starting a thread") from None


@contextlib.contextmanager
def _ruleset(writable: Iterable[Path], abi: int) -> Iterator[int]:
    rights = change_rights(abi)
    # What is restricted at all: files, network, scopes. An old kernel takes the
    # first field alone.
    fields = (rights, 0, SCOPE_SIGNAL) if abi >= SIGNAL_ABI else (rights,)
    restricted = struct.pack(f"={len(fields)}Q", *fields)
    step = "making the ruleset"
    ruleset = _call(step, CREATE_RULESET, restricted, len(restricted), 0)
    try:
        for path in writable:
            _allow(ruleset, path, rights & ~MAKE_DEVICE)
        yield ruleset
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: Path, rights: int) -> None:
    descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        if not path.is_dir():
            # The other rights are about folders; the kernel refuses them for a file.
            rights &= WRITE_FILE | TRUNCATE | CONTROL_DEVICE
        rule = struct.pack("=Qi", rights, descriptor)
        _call("adding a rule", ADD_RULE, ruleset, PATH_BENEATH, rule, 0)
    finally:
        os.close(descriptor)


def _give_up_privileges() -> None:
    """For this thread: no more from setuid programs, and none of root's own."""
    libc = _libc()
    # The kernel lets only root restrict itself without this.
    if libc.prctl(NO_NEW_PRIVILEGES, *map(ctypes.c_ulong, (1, 0, 0, 0))) != 0:
        raise LandlockError(_failed("giving up new privileges"))
    this_thread = struct.pack("=Ii", CAPABILITY_VERSION, 0)
    none_at_all = bytes(24)
    if libc.capset(this_thread, none_at_all) != 0:
        raise LandlockError(_failed("giving up capabilities"))


def _call(step: str, number: int, *arguments: int | bytes | None) -> int:
    # An int alone would be passed with 32 bits, whatever is in the other half.
    words = [ctypes.c_long(one) if isinstance(one, int) else one for one in arguments]
    result = _libc().syscall(ctypes.c_long(number), *words)
    if result < 0:
        raise LandlockError(_failed(step))
    return result


@functools.cache
def _libc() -> ctypes.CDLL:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    return libc


def _failed(step: str) -> str:
    return f"Landlock failed at {step}: {os.strerror(ctypes.get_errno())}"
