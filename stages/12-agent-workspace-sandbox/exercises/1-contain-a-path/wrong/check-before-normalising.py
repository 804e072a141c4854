"""Rejected by: test_going_above_the_root_is_refused
Also: test_a_sibling_with_the_same_beginning_is_outside,
    test_coming_back_does_not_help

Look at the path at the moment you ask whether it is inside: has every step up been
worked out by then, or only later?

你是在哪一步判断路径在不在里面的？到那一步，每次往上走都已经算清了，还是之后才算？
"""

import posixpath
from collections.abc import Callable


class OutsideError(ValueError):
    pass


def place_inside(root: str, relative: str, is_link: Callable[[str], bool]) -> str:
    if relative.startswith("/"):
        raise OutsideError("absolute")
    full = f"{root}/{relative}"
    if not full.startswith(f"{root}/"):
        raise OutsideError("outside")
    place = posixpath.normpath(full)
    step = place
    while step != posixpath.dirname(step):
        if is_link(step):
            raise OutsideError("link")
        step = posixpath.dirname(step)
    return place
