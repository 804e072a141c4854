"""Rejected by: test_going_up_and_back_stays_inside

Going up is not leaving. Keep the components passed so far, and think about what one
step up does to them.

往上走不等于走出去。记下已经走过的各段，想想往上一步会对它们做什么。
"""

from collections.abc import Callable


class OutsideError(ValueError):
    pass


def place_inside(root: str, relative: str, is_link: Callable[[str], bool]) -> str:
    parts = [part for part in relative.split("/") if part not in ("", ".")]
    if relative.startswith("/") or ".." in parts:
        raise OutsideError("outside")
    place = root
    for part in parts:
        place = f"{place}/{part}"
        if is_link(place):
            raise OutsideError("link")
    return place
