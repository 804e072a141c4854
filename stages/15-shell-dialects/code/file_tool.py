"""A file tool in the Host's own process, under the same policy as the shell.

No fence holds the Host, so here its own code keeps the policy. To the model that is
one boundary: the same refusal, in the same words.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path

from contract import READ_ONLY, Outcome, Policy

# To pass through a folder nobody needs the right to list it; Linux knows that.
PASS_THROUGH = (
    getattr(os, "O_PATH", os.O_RDONLY)
    | getattr(os, "O_DIRECTORY", 0)
    | getattr(os, "O_NOFOLLOW", 0)
)
NOT_A_FILE = "that is no regular file"
NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL


def write_file(path: str, text: str, policy: Policy) -> Outcome:
    """Create or replace a file with `text`, as UTF-8, in one step.

    path: from a model; absolute, or relative to the workspace. Its folder has to be
        there. Links and `..` count as the place to which they lead.

    Returns an `Outcome`, as a shell tool does. In it `denied` is set where the
    policy refuses and nowhere else; `refused` says what else is in the way, as a
    missing folder is, or a right that the Host itself lacks. With either of them
    the old file is as it was. A folder or file for which someone puts a link in the
    meantime is refused.

    Not promised: an old file's owner, attributes and other names; that the text is
    on the disk already; a folder that is moved out of the workspace meanwhile. On
    Windows, where a path cannot be walked so, every call is refused.
    """
    if policy.mode == READ_ONLY:
        return _denied(policy)
    if os.open not in os.supports_dir_fd:
        return Outcome(refused="this system cannot keep links out of a path")
    try:
        payload = text.encode("utf-8")
        # Where Python's own encoding is ASCII, a path still is UTF-8.
        words = os.fsdecode(path.encode("utf-8"))
        target = Path(os.path.realpath(policy.workspace / words))
        root = policy.workspace if policy.confined else Path(target.anchor)
        if not target.is_relative_to(root):
            return _denied(policy)
        if target == root:
            return Outcome(refused=NOT_A_FILE)
        with _folder(root, target.relative_to(root).parts[:-1]) as folder:
            _replace(folder, target.name, payload)
    except (AttributeError, ValueError):
        return Outcome(
            refused="path and text must be valid Unicode, and the path without NUL"
        )
    except RecursionError:
        # Before Python 3.13 that is how a thousand links in a row are resolved.
        return Outcome(refused=os.strerror(errno.ELOOP))
    except OSError as error:
        return Outcome(refused=error.strerror or "the system gave no reason")
    return Outcome(stdout=f"bytes written: {len(payload)}", exit_code=0)


def _denied(policy: Policy) -> Outcome:
    return Outcome(stdout="nothing was written", denied=policy.mode)


@contextlib.contextmanager
def _folder(root: Path, names: tuple[str, ...]) -> Iterator[int]:
    """The folder at the end of `names`, each looked up in the one before.

    The path was resolved a moment ago. Looked up as a whole, a folder in it could
    have become a link by now; one by one, a link is not followed.
    """
    folder = os.open(root, PASS_THROUGH)
    try:
        for name in names:
            inner = os.open(name, PASS_THROUGH, dir_fd=folder)
            os.close(folder)
            folder = inner
        yield folder
    finally:
        os.close(folder)


def _replace(folder: int, name: str, payload: bytes) -> None:
    """Write beside the old file, then take its place and its permissions."""
    mode = _mode_of_file(folder, name)
    beside = f".{secrets.token_hex(8)}.new"
    descriptor = os.open(beside, NEW_FILE, 0o666, dir_fd=folder)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(payload)
            if mode is not None:
                os.fchmod(descriptor, mode)
        os.replace(beside, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(beside, dir_fd=folder)
        raise


def _mode_of_file(folder: int, name: str) -> int | None:
    """The permissions of a file, None for none; `OSError` for anything else."""
    try:
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    # Replacing a device such as /dev/null would take it from everyone.
    if not stat.S_ISREG(found.st_mode):
        raise OSError(0, NOT_A_FILE)
    return stat.S_IMODE(found.st_mode) & 0o777
