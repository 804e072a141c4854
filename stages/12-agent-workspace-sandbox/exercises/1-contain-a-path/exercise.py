"""Exercise 12.1: contain a path. The task is in task.md."""

from __future__ import annotations

from collections.abc import Callable


class OutsideError(ValueError):
    """The path leaves the workspace, or meets a link."""


def place_inside(root: str, relative: str, is_link: Callable[[str], bool]) -> str:
    """Return the place that `relative` names inside `root`, or raise OutsideError.

    `root` is absolute and already worked out, such as `/srv/run`. `relative` comes
    from a model. `is_link("/srv/run/work")` tells whether that place is a link.
    Separators are `/` on every system; no file is opened.
    """
    # TODO: refuse what is absolute, work out `.` and `..`, refuse what leaves
    # `root`, refuse a link anywhere below `root`, return what is left.
    return f"{root}/{relative}"
