"""Checks of exercise 12.3."""

import hashlib
import unittest

from exercise import ReleaseRefusedError, release, review

PATH = "work/report.md"
GOOD = b"## Risks\nNo results yet.\n"
# As long as GOOD, so that a size gives nothing away.
BAD = b"## Plans\nNo results yet.\n"


def has_risks(payload: bytes) -> bool:
    return b"## Risks" in payload


class Folder:
    """One file; somebody else saves the next content right after each read."""

    def __init__(self, *contents: bytes):
        self.contents = list(contents)
        self.time = 1000.0

    def read(self, path: str) -> bytes:
        held = self.contents[0]
        if len(self.contents) > 1:
            del self.contents[0]
            self.time += 1
        return held

    def modified(self, path: str) -> float:
        return self.time

    def save(self, *contents: bytes, same_time: bool = False) -> None:
        self.contents = list(contents)
        if not same_time:
            self.time += 1


class VerdictChecks(unittest.TestCase):
    def reviewed(self, content: bytes) -> tuple:
        folder = Folder(content)
        return folder, review(folder, PATH, has_risks)

    def expect(self, found: object, wanted: object, what: str) -> None:
        if type(found) is not type(wanted) or found != wanted:
            raise AssertionError(
                f"{what} is {found!r}, expected {wanted!r}",
                f"{what} 是 {found!r}，应该是 {wanted!r}",
            )

    def released(self, folder: Folder, receipt: object, expected: bytes) -> None:
        try:
            payload = release(folder, receipt)
        except ReleaseRefusedError:
            raise AssertionError(
                "the bytes that passed were refused", "通过了检查的字节被拒绝了"
            ) from None
        self.expect(payload, expected, "release(...)")

    def refused(self, folder: Folder, receipt: object, *what: str) -> None:
        english, chinese = what
        try:
            release(folder, receipt)
        except ReleaseRefusedError:
            return
        raise AssertionError(f"{english} was released", f"{chinese}被放行了")

    def test_the_same_bytes_are_released(self):
        """The reviewed bytes are released, also when the file was saved again.

        检查过的字节可以放行，文件原样再保存一次也一样。
        """
        folder, receipt = self.reviewed(GOOD)
        self.expect(receipt.passed, True, "passed")
        self.released(folder, receipt, GOOD)
        folder.save(GOOD)
        self.released(folder, receipt, GOOD)

    def test_every_byte_counts(self):
        """The receipt carries the SHA-256 of exactly the bytes, line ends included.

        回执里的 SHA-256 对应的就是那些字节，换行符也算在内。
        """
        windows = GOOD.replace(b"\n", b"\r\n")
        folder, receipt = self.reviewed(windows)
        digest = hashlib.sha256(windows).hexdigest()
        self.expect(receipt.sha256, digest, "sha256")
        folder.save(GOOD)
        self.refused(folder, receipt, "a file with other line ends", "换行符不同的文件")

    def test_a_changed_file_is_refused(self):
        """A file that changed after its review is refused.

        检查之后又改过的文件要拒绝。
        """
        folder, receipt = self.reviewed(GOOD)
        folder.save(BAD)
        self.refused(folder, receipt, "a changed file", "改过的文件")

    def test_a_change_that_keeps_time_and_length_is_refused(self):
        """A change that keeps the file's time and length is refused too.

        修改之后时间和长度都没变，也要拒绝。
        """
        folder, receipt = self.reviewed(GOOD)
        folder.save(BAD, same_time=True)
        self.refused(
            folder,
            receipt,
            "a changed file of the same time",
            "时间没变、内容改过的文件",
        )

    def test_verdict_and_digest_are_about_the_same_bytes(self):
        """Verdict and digest are about the same bytes when somebody saves meanwhile.

        检查途中有人保存，结论和摘要说的仍然是同一份字节。
        """
        folder = Folder(GOOD, BAD)
        receipt = review(folder, PATH, has_risks)
        self.refused(
            folder, receipt, "a file that was never checked", "从来没检查过的文件"
        )

    def test_what_is_delivered_is_what_was_compared(self):
        """The bytes returned are those compared when somebody saves meanwhile.

        放行途中有人保存，返回的仍然是比较过的那份字节。
        """
        folder, receipt = self.reviewed(GOOD)
        folder.save(GOOD, BAD)
        self.released(folder, receipt, GOOD)

    def test_a_verdict_of_no_is_never_released(self):
        """A file that did not pass is refused, however unchanged it is.

        没有通过检查的文件要拒绝，哪怕它一点没变。
        """
        folder, receipt = self.reviewed(BAD)
        self.expect(receipt.passed, False, "passed")
        self.refused(folder, receipt, "a file that did not pass", "没有通过检查的文件")


if __name__ == "__main__":
    unittest.main()
