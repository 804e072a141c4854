"""Rejected by: test_an_absolute_path_is_refused
Also: test_coming_back_does_not_help

Joining a root and an absolute path gives the absolute path; the root is gone. When do
you look at the first character?

把根目录和一条绝对路径拼起来，得到的是那条绝对路径，根目录不见了。你是在什么时候看第一个字符的？
"""

import posixpath
from collections.abc import Callable


class OutsideError(ValueError):
    pass


def place_inside(root: str, relative: str, is_link: Callable[[str], bool]) -> str:
    place = posixpath.normpath(posixpath.join(root, relative))
    if posixpath.commonpath([root, place]) != root:
        raise OutsideError("outside")
    step = place
    while step != posixpath.dirname(step):
        if is_link(step):
            raise OutsideError("link")
        step = posixpath.dirname(step)
    return place
