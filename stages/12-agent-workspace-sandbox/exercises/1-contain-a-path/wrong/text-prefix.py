"""Rejected by: test_a_sibling_with_the_same_beginning_is_outside
Also: test_coming_back_does_not_help

A string that begins with another need not be a place below it. Where does the name
of the root end in your comparison?

一个字符串以另一个开头，不代表位置在它下面。在你的比较里，根目录的名字到哪里算结束？
"""

import posixpath
from collections.abc import Callable


class OutsideError(ValueError):
    pass


def place_inside(root: str, relative: str, is_link: Callable[[str], bool]) -> str:
    if relative.startswith("/"):
        raise OutsideError("absolute")
    place = posixpath.normpath(f"{root}/{relative}")
    if not place.startswith(root):
        raise OutsideError("outside")
    step = place
    while step != posixpath.dirname(step):
        if is_link(step):
            raise OutsideError("link")
        step = posixpath.dirname(step)
    return place
