"""Rejected by: test_going_up_and_back_stays_inside

You ask about links while you walk. Which of the components that you have asked about
does a later `..` take back?

你一边走，一边问是不是链接。问过的那些段里，有哪些会被后面的 `..` 收回去？
"""

from collections.abc import Callable


class OutsideError(ValueError):
    pass


def place_inside(root: str, relative: str, is_link: Callable[[str], bool]) -> str:
    if relative.startswith("/"):
        raise OutsideError(relative)
    place = root
    for part in relative.split("/"):
        if part == "..":
            if place == root:
                raise OutsideError(relative)
            place = place.rpartition("/")[0]
        elif part not in ("", "."):
            place += "/" + part
            if is_link(place):
                raise OutsideError(relative)
    return place
