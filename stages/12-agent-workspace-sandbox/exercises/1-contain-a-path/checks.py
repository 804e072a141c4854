"""Checks of exercise 12.1."""

import unittest

from exercise import OutsideError, place_inside

ROOT = "/srv/run"
LINKS = {"/srv/run/work/notes", "/srv/run/work/latest.md"}


def is_link(place: str) -> bool:
    """Answer as the file system of these checks would."""
    return place in LINKS


class ContainChecks(unittest.TestCase):
    def placed(self, relative: str, expected: str, root: str = ROOT) -> None:
        try:
            place = place_inside(root, relative, is_link)
        except OutsideError:
            raise AssertionError(
                f"{relative!r} was refused", f"{relative!r} 被拒绝了"
            ) from None
        if type(place) is not str or place != expected:
            raise AssertionError(
                f"{relative!r} gave {place!r}, expected {expected!r}",
                f"{relative!r} 得到 {place!r}，应该是 {expected!r}",
            )

    def refused(self, relative: str) -> None:
        try:
            place = place_inside(ROOT, relative, is_link)
        except OutsideError:
            return
        raise AssertionError(
            f"{relative!r} was let through and gave {place!r}",
            f"{relative!r} 没有被拒绝，得到 {place!r}",
        )

    def test_an_ordinary_path_is_placed_under_the_root(self):
        """An ordinary path is placed under the root, without `.` and empty parts.

        普通路径落在根目录之下，其中的 `.` 和空的段会去掉。
        """
        self.placed("work/report.md", "/srv/run/work/report.md")
        self.placed("./work//report.md", "/srv/run/work/report.md")
        self.placed("report.md", "/srv/run-2/report.md", root="/srv/run-2")

    def test_dots_inside_a_name_are_ordinary(self):
        """Two dots inside a name are ordinary characters.

        名字里的两个点只是普通字符。
        """
        self.placed("work/src..old/notes..md", "/srv/run/work/src..old/notes..md")
        self.placed("..work/a", "/srv/run/..work/a")

    def test_going_up_and_back_stays_inside(self):
        """A path that goes up and stays inside is the place where it ends.

        路径往上走、但没有走出根目录时，结果就是它最后到达的位置。
        """
        self.placed("work/../inputs/brief.txt", "/srv/run/inputs/brief.txt")
        self.placed("work/latest.md/../a.md", "/srv/run/work/a.md")
        self.placed("work/..", "/srv/run")

    def test_an_absolute_path_is_refused(self):
        """An absolute path is refused, also one that lies inside the root.

        绝对路径一律拒绝，即使它就在根目录之内。
        """
        self.refused("/etc/passwd")
        self.refused("/srv/run/work/report.md")

    def test_going_above_the_root_is_refused(self):
        """A path that ends above the root is refused, wherever it turned up.

        路径最后落在根目录之上就要拒绝，不管是在哪一步往上走的。
        """
        self.refused("../canary.txt")
        self.refused("work/../../canary.txt")

    def test_coming_back_does_not_help(self):
        """A path that goes above the root is refused, even if it comes back.

        路径只要有一步走到根目录之上就要拒绝，哪怕后来又回来了。
        """
        self.refused("../run/work/report.md")
        self.refused("work/../../run/work/report.md")

    def test_a_sibling_with_the_same_beginning_is_outside(self):
        """A neighbour whose name begins like the root is outside.

        相邻目录的名字开头与根目录相同，也仍然在外面。
        """
        self.refused("../run-copy/work/report.md")

    def test_a_link_on_the_way_is_refused(self):
        """A link is refused as the last component and on the way to it.

        无论链接是最后一段还是中间某一段，都要拒绝。
        """
        self.refused("work/latest.md")
        self.refused("work/notes/2026/12/monday.md")
        self.refused("inputs/../work/notes/monday.md")


if __name__ == "__main__":
    unittest.main()
