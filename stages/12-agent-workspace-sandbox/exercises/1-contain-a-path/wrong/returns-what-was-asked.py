"""Rejected by: test_an_ordinary_path_is_placed_under_the_root
Also: test_going_up_and_back_stays_inside, test_coming_back_does_not_help

You worked out one spelling and checked it. Which spelling will the caller open?

你算出了一种写法，也检查了它。调用方打开的会是哪一种写法？
"""

import posixpath
from collections.abc import Callable


class OutsideError(ValueError):
    pass


def place_inside(root: str, relative: str, is_link: Callable[[str], bool]) -> str:
    if relative.startswith("/"):
        raise OutsideError("absolute")
    place = posixpath.normpath(f"{root}/{relative}")
    if not place.startswith(f"{root}/"):
        raise OutsideError("outside")
    step = place
    while step != posixpath.dirname(step):
        if is_link(step):
            raise OutsideError("link")
        step = posixpath.dirname(step)
    return f"{root}/{relative}"
