"""The three limits of a workspace, and the refusals when one is exceeded."""

from __future__ import annotations

from dataclasses import dataclass

from relative_path import RelativePath
from workspace_errors import FileBudgetError
from workspace_inventory import Listing, totals


@dataclass(frozen=True)
class FileBudget:
    """Limits that are whole numbers above 0, or a `FileBudgetError`."""

    max_file_bytes: int
    max_files: int
    max_total_bytes: int

    def __post_init__(self) -> None:
        for name, limit in vars(self).items():
            # True is an int in Python and would pass for a limit of 1.
            if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
                raise FileBudgetError(
                    f"{name} must be a whole number above 0, not {limit!r}"
                )

    def refuse_too_large(self, path: RelativePath, payload: bytes) -> None:
        """Refuse more than `max_file_bytes` bytes for one file."""
        if len(payload) > self.max_file_bytes:
            raise FileBudgetError(
                f"{path} would have {len(payload)} bytes; "
                f"the limit is {self.max_file_bytes}, so write less"
            )

    def refuse_over_total(self, listing: Listing, entries: int, size: int) -> None:
        """Refuse `entries` and `size` bytes more than `listing` if over a total.

        A workspace that a child process filled beyond a total takes no write but
        one that brings it back within. What cannot be counted could be anything:
        then no write is admitted at all.
        """
        if not listing.complete:
            raise FileBudgetError(
                "the workspace cannot be counted; see the problems of its inventory"
            )
        count, total = totals(listing)
        if count + entries > self.max_files:
            raise FileBudgetError(
                f"the workspace would hold {count + entries} files and directories; "
                f"the limit is {self.max_files}, so replace a draft instead"
            )
        if total + size > self.max_total_bytes:
            raise FileBudgetError(
                f"the workspace would hold {total + size} bytes; "
                f"the limit is {self.max_total_bytes}, so write less"
            )
