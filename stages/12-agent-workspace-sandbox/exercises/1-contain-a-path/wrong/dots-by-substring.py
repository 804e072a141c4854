"""Rejected by: test_dots_inside_a_name_are_ordinary
Also: test_going_up_and_back_stays_inside

The two dots you look for are a whole component. What else can contain the same two
characters?

要找的两个点是完整的一段。还有什么地方会出现同样的两个字符？
"""

from collections.abc import Callable


class OutsideError(ValueError):
    pass


def place_inside(root: str, relative: str, is_link: Callable[[str], bool]) -> str:
    if relative.startswith("/") or ".." in relative:
        raise OutsideError("outside")
    place = root
    for part in relative.split("/"):
        if part in ("", "."):
            continue
        place = f"{place}/{part}"
        if is_link(place):
            raise OutsideError("link")
    return place
