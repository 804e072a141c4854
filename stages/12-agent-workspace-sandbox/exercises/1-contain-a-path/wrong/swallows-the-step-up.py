"""Rejected by: test_going_above_the_root_is_refused
Also: test_a_sibling_with_the_same_beginning_is_outside,
    test_coming_back_does_not_help

What do you do with one more `..` at the root? Leaving it out gives a place inside. Is it
the place that was asked for?

已经在根目录了，再来一个 `..`，你怎么办？略过它，得到的位置确实在里面。可那是对方要的位置吗？
"""

from collections.abc import Callable


class OutsideError(ValueError):
    pass


def place_inside(root: str, relative: str, is_link: Callable[[str], bool]) -> str:
    if relative.startswith("/"):
        raise OutsideError(relative)
    parts: list[str] = []
    for part in relative.split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in ("", "."):
            parts.append(part)
    place = root
    for part in parts:
        place += "/" + part
        if is_link(place):
            raise OutsideError(relative)
    return place
