"""Checks of exercise 12.4."""

import contextlib
import os
import sys
import tempfile
import unittest
from pathlib import Path

from exercise import deliver

# Where another program delivers at the last moment. Nobody else is there: empty.
rivals: list[Path] = []


def audit(event: str, arguments: tuple) -> None:
    """Let the rival write just before the system call that creates a file."""
    if not rivals or event not in ("open", "os.link", "os.rename"):
        return
    name = arguments[0] if event == "open" else arguments[1]
    if event == "open" and not arguments[2] & (os.O_WRONLY | os.O_RDWR):
        return
    if isinstance(name, int) or Path(os.fsdecode(name)).name != rivals[0].name:
        return
    rivals.pop().write_bytes(b"delivered by somebody else")


sys.addaudithook(audit)


class Interrupted(BaseException):
    """What a Ctrl-C is: an error that is no `Exception`."""


class DeliverChecks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.destination = self.folder / "report.md"

    def delivered(self, *chunks: bytes, then: BaseException | None = None) -> None:
        """Deliver; let the source fail with `then` after the last of `chunks`."""

        def source():
            yield from chunks
            if then:
                raise then

        deliver(source(), self.destination)

    def refused(self, *chunks: bytes) -> None:
        try:
            self.delivered(*chunks)
        except FileExistsError:
            return
        raise AssertionError(
            "no FileExistsError was raised", "没有抛出 FileExistsError"
        )

    def left(self, expected: dict[str, bytes]) -> None:
        found = {
            path.name: path.read_bytes() if path.is_file() else "a folder"
            for path in self.folder.iterdir()
        }
        if found != expected:
            raise AssertionError(
                f"the folder holds {found}, expected {expected}",
                f"文件夹里是 {found}，应该是 {expected}",
            )

    def test_the_bytes_arrive_as_they_are(self):
        """All bytes arrive, in order and unchanged, and nothing else is left.

        字节全部按顺序到达，一个不变，也没有留下别的东西。
        """
        self.delivered(b"one\r\n", b"", b"\xff\x00two\n")
        self.left({"report.md": b"one\r\n\xff\x00two\n"})

    def test_a_name_that_is_taken_is_refused(self):
        """When something has the name already, FileExistsError is raised.

        这个名字已经有了，就抛出 FileExistsError。
        """
        self.destination.write_bytes(b"delivered yesterday")
        self.refused(b"# Report")

    def test_an_existing_file_keeps_its_bytes(self):
        """A file that was there before keeps its bytes.

        原来就有的文件，内容不变。
        """
        self.destination.write_bytes(b"delivered yesterday")
        with contextlib.suppress(FileExistsError):
            self.delivered(b"# Report")
        self.left({"report.md": b"delivered yesterday"})

    def test_a_failed_source_harms_no_existing_file(self):
        """A file that was there before keeps its bytes also when `chunks` fails.

        就算 `chunks` 中途出错，原来就有的文件内容也不变。
        """
        self.destination.write_bytes(b"delivered yesterday")
        with contextlib.suppress(OSError):
            self.delivered(b"# Rep", then=OSError("the source is gone"))
        self.left({"report.md": b"delivered yesterday"})

    def test_a_file_that_appears_at_the_last_moment_is_left_alone(self):
        """A file that another program creates at the last moment is treated alike.

        别的程序在最后一刻建好的文件，也一样：抛出错误，内容不变。
        """
        rivals.append(self.destination)
        self.refused(b"# Report")
        self.left({"report.md": b"delivered by somebody else"})

    def test_a_failed_delivery_leaves_nothing(self):
        """A delivery that fails half way leaves no file and does not block the next.

        交付到一半失败时不留下任何文件，也不妨碍下一次。
        """
        (self.folder / "other.md").write_bytes(b"another report")
        for failure in (OSError("the source is gone"), Interrupted()):
            with contextlib.suppress(OSError, Interrupted):
                self.delivered(b"# Rep", then=failure)
            self.left({"other.md": b"another report"})
        self.delivered(b"# Report")
        self.left({"other.md": b"another report", "report.md": b"# Report"})

    def test_a_failure_is_told(self):
        """The error of a failed delivery reaches the caller.

        交付失败的错误要传到调用方。
        """
        gone = OSError("the source is gone")
        try:
            self.delivered(b"# Rep", then=gone)
        except OSError as error:
            if error is gone:
                return
            raise
        raise AssertionError("the caller was told nothing", "错误没有传到调用方")


if __name__ == "__main__":
    unittest.main()
