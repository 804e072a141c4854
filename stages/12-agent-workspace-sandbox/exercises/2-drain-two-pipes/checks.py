"""Checks of exercise 12.2."""

import unittest

from exercise import drain

PIPE_HOLDS = 65_536
ONE_READ = 4_096
FIELDS = ("stdout", "stderr", "stdout_truncated", "stderr_truncated")


class Child:
    """A child and its two pipes, played in one thread.

    The child writes its script in order and stands still while a pipe is full, as
    the operating system would have it. Where real programs would wait for each
    other for ever, the read fails at once, and so does a wait after which nothing
    is ever read.
    """

    def __init__(self, *script: tuple[str, bytes]):
        self.script = list(script)
        self.pipes = {"stdout": b"", "stderr": b""}
        self.open = ["stdout", "stderr"]
        self.waits = 0  # since the last read
        self._write()

    def wait(self) -> list[str]:
        self.waits += 1
        if self.waits > 3:
            raise AssertionError(
                "you wait again and again and read nothing",
                "你一次又一次地等，却什么也不读",
            )
        return [name for name in self.open if self.pipes[name] or not self.script]

    def read(self, name: str) -> bytes:
        self.waits = 0
        held = self.pipes[name]
        if not held and self.script:
            full = self.script[0][0]
            raise AssertionError(
                f"nobody moves: you wait for {name}, the child for room in {full}",
                f"谁也动不了：你在等 {name}，子进程在等 {full} 腾出位置",
            )
        self.pipes[name] = held[ONE_READ:]
        if not held and name in self.open:
            self.open.remove(name)
        self._write()
        return held[:ONE_READ]

    def _write(self) -> None:
        while self.script:
            name, data = self.script[0]
            room = PIPE_HOLDS - len(self.pipes[name])
            self.pipes[name] += data[:room]
            if len(data) > room:
                self.script[0] = (name, data[room:])
                return
            del self.script[0]


def brief(value: object) -> str:
    """Return `value` as a learner can read it, with the length of a long text."""
    if isinstance(value, str) and len(value) > 40:
        return f"{value[:6]!r}...{value[-6:]!r} [{len(value)}]"
    return repr(value)


class DrainChecks(unittest.TestCase):
    def kept(self, child: Child, limit: int, *expected: object) -> None:
        output = drain(child, limit)
        for field, wanted in zip(FIELDS, expected, strict=True):
            found = getattr(output, field)
            if type(found) is not type(wanted) or found != wanted:
                raise AssertionError(
                    f"{field} is {brief(found)}, expected {brief(wanted)}",
                    f"{field} 是 {brief(found)}，应该是 {brief(wanted)}",
                )

    def test_a_full_second_pipe_does_not_stop_the_child(self):
        """A child that fills stderr before it writes to stdout comes to its end.

        子进程先写满 stderr、再写 stdout，也能运行到结束。
        """
        child = Child(("stderr", b"e" * 200_000), ("stdout", b"done\n"))
        self.kept(child, 300_000, "done\n", "e" * 200_000, False, False)

    def test_the_child_is_read_to_its_end(self):
        """Reading goes on after the limit, so that the child is never held up.

        到了上限还要继续读，不能让子进程卡住。
        """
        child = Child(("stdout", b"o" * 200_000))
        self.kept(child, 100, "o" * 100, "", True, False)
        if child.wait():
            raise AssertionError(
                "the child still has something to say", "子进程还有话没说完"
            )

    def test_each_pipe_has_a_limit_of_its_own(self):
        """Each pipe has a limit of its own: much on one takes nothing from the other.

        每根管道各有各的上限：一边写得再多，也不会占掉另一边的份额。
        """
        child = Child(("stdout", b"o" * 90), ("stderr", b"e" * 80))
        self.kept(child, 100, "o" * 90, "e" * 80, False, False)
        child = Child(("stderr", b"e" * 150), ("stdout", b"o" * 90))
        self.kept(child, 100, "o" * 90, "e" * 100, False, True)

    def test_exactly_the_limit_is_not_truncated(self):
        """Exactly the limit is complete; one byte more is truncated.

        正好等于上限不算截断，多一个字节才算。
        """
        self.kept(Child(("stdout", b"12345")), 5, "12345", "", False, False)
        self.kept(Child(("stderr", b"123456")), 5, "", "12345", False, True)
        # The same over several reads, which each fit.
        limit, text = ONE_READ * 2, "o" * 8_192
        self.kept(Child(("stdout", b"o" * 8_192)), limit, text, "", False, False)
        self.kept(Child(("stdout", b"o" * 8_193)), limit, text, "", True, False)

    def test_a_character_cut_by_the_limit_is_dropped(self):
        """A character that the limit cuts in two is left out.

        被上限从中间切开的字符不要保留。
        """
        self.kept(Child(("stdout", "报告".encode())), 5, "报", "", True, False)
        self.kept(Child(("stderr", "ok 报告".encode())), 5, "", "ok ", False, True)

    def test_a_character_split_between_two_reads_stays_whole(self):
        """A character whose bytes arrive in two reads stays whole.

        一个字符的字节分两次读到，仍然是完整的字符。
        """
        text = "." * (ONE_READ - 1) + "林"
        self.kept(Child(("stdout", text.encode())), 10_000, text, "", False, False)

    def test_bytes_that_are_no_text_stay_visible(self):
        """A byte that is not UTF-8 shows as U+FFFD and does not vanish.

        不是 UTF-8 的字节显示为 U+FFFD，不能悄悄消失。
        """
        child = Child(("stdout", b"a\xffb"), ("stderr", b"end \xe6\x8a"))
        self.kept(child, 100, "a\ufffdb", "end \ufffd", False, False)
        # Also where the limit cuts: no character begins with this byte.
        self.kept(Child(("stdout", b"ab\xffcd")), 3, "ab\ufffd", "", True, False)


if __name__ == "__main__":
    unittest.main()
