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


class DeliverChecks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.destination = self.folder / "report.md"

    def held(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in self.folder.iterdir()}

    def failing(self):
        yield b"# Rep"
        raise OSError("the source is gone")

    def test_the_bytes_arrive_as_they_are(self):
        """All bytes arrive, in order and unchanged, and nothing else is left.

        字节全部按顺序到达，一个不变，也没有留下别的东西。
        """
        deliver(iter([b"one\r\n", b"", b"\xff\x00two\n"]), self.destination)
        self.assertEqual(self.held(), {"report.md": b"one\r\n\xff\x00two\n"})

    def test_an_existing_file_is_left_alone(self):
        """An existing file keeps its bytes, and FileExistsError says so.

        已有的文件内容不变，并抛出 FileExistsError。
        """
        self.destination.write_bytes(b"delivered yesterday")
        with self.assertRaises(FileExistsError):
            deliver([b"# Report"], self.destination)
        self.assertEqual(self.held(), {"report.md": b"delivered yesterday"})

    def test_a_file_that_appears_at_the_last_moment_is_left_alone(self):
        """A file that another program creates at the last moment keeps its bytes.

        别的程序在最后一刻建好的文件，内容也不变。
        """
        rivals.append(self.destination)
        with self.assertRaises(FileExistsError):
            deliver([b"# Report"], self.destination)
        self.assertEqual(self.held(), {"report.md": b"delivered by somebody else"})

    def test_a_failed_delivery_leaves_nothing(self):
        """A delivery that fails half way leaves no file and does not block the next.

        交付到一半失败时不留下任何文件，也不妨碍下一次。
        """
        with contextlib.suppress(OSError):
            deliver(self.failing(), self.destination)
        self.assertEqual(self.held(), {})
        deliver([b"# Report"], self.destination)
        self.assertEqual(self.held(), {"report.md": b"# Report"})

    def test_a_failure_is_told(self):
        """The error of a failed delivery reaches the caller.

        交付失败的错误要传到调用方。
        """
        with self.assertRaisesRegex(OSError, "the source is gone"):
            deliver(self.failing(), self.destination)


if __name__ == "__main__":
    unittest.main()
