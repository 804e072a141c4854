"""Rejected by: test_a_link_on_the_way_is_refused

The file at the end can be an honest one and still lie somewhere else. Which other
places does the path pass?

最后那个文件可以没有问题，却仍然在别的地方。这条路径还经过了哪些位置？
"""

from collections.abc import Callable


class OutsideError(ValueError):
    pass


def place_inside(root: str, relative: str, is_link: Callable[[str], bool]) -> str:
    if relative.startswith("/"):
        raise OutsideError("absolute")
    parts = []
    for part in relative.split("/"):
        if part == "..":
            if not parts:
                raise OutsideError("outside")
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    place = "/".join([root, *parts])
    if is_link(place):
        raise OutsideError("link")
    return place
