"""What the Host imported, remembered so that a change can be noticed.

Read-only input is a rule of the workspace's interface alone. A child process can
edit, replace or remove the file. It cannot change what is remembered here: the
digests are in the Host's memory, not in the workspace.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from workspace_errors import WorkspaceError
from workspace_inventory import Inventory


class ImportedInputs:
    """The SHA-256 digest of each imported input, by its path."""

    def __init__(self) -> None:
        self._digests: dict[str, bytes] = {}

    def remember(self, relative: str, payload: bytes) -> None:
        """Take `payload` for what `relative` ought to hold from now on."""
        self._digests[relative] = hashlib.sha256(payload).digest()

    def take_up(self, inventory: Inventory, read: Callable[[str], bytes]) -> None:
        """Remember all inputs as they are now, or raise a `WorkspaceError`."""
        for problem in inventory.problems:
            # An input that is hidden behind it would never be compared.
            hides = problem.kind in ("unreadable", "limit")
            if hides and f"{problem.path}/".startswith(("inputs/", "./")):
                raise WorkspaceError(
                    f"{problem.path} cannot be listed, so the inputs are not known; "
                    "let its owner list it"
                )
        for entry in inventory.files:
            if entry.path.startswith("inputs/"):
                self.remember(entry.path, read(entry.path))

    def changed(self, read: Callable[[str], bytes]) -> tuple[str, ...]:
        """Paths that `read` refuses or gives other bytes for, sorted."""
        # A copy, since another thread may import meanwhile.
        return tuple(
            relative
            for relative, digest in sorted(self._digests.copy().items())
            if not _holds(relative, digest, read)
        )


def _holds(relative: str, digest: bytes, read: Callable[[str], bytes]) -> bool:
    try:
        return hashlib.sha256(read(relative)).digest() == digest
    except WorkspaceError:
        # Missing, replaced by a link, too large: not what was imported.
        return False
