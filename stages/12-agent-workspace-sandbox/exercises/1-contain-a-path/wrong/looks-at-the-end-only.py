"""Rejected by: test_coming_back_does_not_help

You look at where the path ends. Where has it been on the way, and what does coming back
depend on?

你看的是路径最后到了哪里。它中途到过哪里？能回来靠的又是什么？
"""

import posixpath
from collections.abc import Callable


class OutsideError(ValueError):
    pass


def place_inside(root: str, relative: str, is_link: Callable[[str], bool]) -> str:
    if relative.startswith("/"):
        raise OutsideError("absolute")
    place = posixpath.normpath(f"{root}/{relative}")
    if not f"{place}/".startswith(f"{root}/"):
        raise OutsideError("outside")
    step = place
    while step != posixpath.dirname(step):
        if is_link(step):
            raise OutsideError("link")
        step = posixpath.dirname(step)
    return place
