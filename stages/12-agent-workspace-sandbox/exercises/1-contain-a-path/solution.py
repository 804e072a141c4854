"""Exercise 12.1: one good answer."""

from __future__ import annotations

from collections.abc import Callable


class OutsideError(ValueError):
    """The path leaves the workspace, or meets a link."""


def place_inside(root: str, relative: str, is_link: Callable[[str], bool]) -> str:
    """Return the place that `relative` names inside `root`, or raise OutsideError."""
    if relative.startswith("/"):
        raise OutsideError("use a path that begins inside the workspace")
    parts: list[str] = []
    for part in relative.split("/"):
        if part in ("", "."):
            continue
        if part != "..":
            parts.append(part)
        elif parts:
            parts.pop()
        else:
            # At this step, not at the end: `../run/a` would come back, but only by
            # the accident of the root's own name.
            raise OutsideError("the path goes above the workspace")
    # Only now, with `..` worked out, are these the components that will be opened.
    place = root
    for part in parts:
        place = f"{place}/{part}"
        if is_link(place):
            raise OutsideError("the path meets a link")
    return place
