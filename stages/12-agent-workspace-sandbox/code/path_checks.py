"""Checks of relative_path.py: what a path may say. No file is touched."""

from __future__ import annotations

import os
import unicodedata
import unittest
from pathlib import Path

from relative_path import RelativePath
from workspace_errors import PathNameError, WorkspaceError, WorkspaceEscapeError

__all__ = ["PathMeaningChecks", "PathRefusalChecks", "PathValueChecks"]

CAFE = "caf\N{LATIN SMALL LETTER E WITH ACUTE}.md"


class PathMeaningChecks(unittest.TestCase):
    """Paths that are accepted, and what they name."""

    def assert_names(self, text: str, expected: str) -> None:
        self.assertEqual(str(RelativePath.parse(text)), expected)

    def test_ordinary_names_stay_as_they_are(self) -> None:
        """Names with dots, spaces, tildes, dashes and Han letters are accepted."""
        for text in (
            "work/report.md",
            "work/src..old/notes..md",
            "work/...hidden",
            "work/.hidden",
            "~/report.md",
            "work/~lin/x~",
            "work/two words.md",
            "work/ leading",
            "work/-rf",
            "work/试点报告.md",
            "work/" + CAFE,
            "work/a&b;c$d'e(f)[g]{h}%i!j#k@l=m+n,o^p`q",
            "report.md",
        ):
            with self.subTest(text):
                self.assert_names(text, text)

    def test_dots_and_slashes_are_resolved_by_component(self) -> None:
        """`.` and repeated `/` are dropped; `..` takes back the name before it."""
        for text, expected in {
            "./work//x.md": "work/x.md",
            "work/./x.md": "work/x.md",
            "work/x.md/.": "work/x.md",
            "work/../inputs/brief.txt": "inputs/brief.txt",
            "work/link/../x": "work/x",
            "a/b/../../c": "c",
            "work/a..b/../x": "work/x",
        }.items():
            with self.subTest(text):
                self.assert_names(text, expected)

    def test_compatible_letters_are_ordinary(self) -> None:
        """Ligatures, full-width letters and superscripts are NFC and stay."""
        for name in ("ﬁndings.md", "Ａ案.md", "x².md", "報告（二）.md"):
            with self.subTest(name):
                self.assert_names(f"work/{name}", f"work/{name}")

    def test_names_near_a_device_are_ordinary(self) -> None:
        """Only the exact device names are devices, not names that begin so."""
        for name in ("console.md", "COM", "COM10", "nul_", "xCON", "lpt.md", "com1x"):
            with self.subTest(name):
                self.assert_names(f"work/{name}", f"work/{name}")

    def test_exactly_the_limits_are_accepted(self) -> None:
        """255 bytes a name, 1,024 bytes and 32 components a path are accepted."""
        name = "试" * 85
        self.assertEqual(len(name.encode("utf-8")), 255)
        self.assert_names(name, name)
        deep = "/".join("a" * 32)
        self.assert_names(deep, deep)
        long = "/".join(["b" * 255] * 3 + ["b" * 253, "c" * 2])
        self.assertEqual(len(long), 1_024)
        self.assert_names(long, long)


class PathRefusalChecks(unittest.TestCase):
    """Paths that are refused, each with the class of its reason."""

    def assert_refused(self, error: type[Exception], *texts: object) -> None:
        for text in texts:
            with self.subTest(ascii(text)), self.assertRaises(error):
                RelativePath.parse(text)

    def test_a_path_that_leaves_is_an_escape(self) -> None:
        """Absolute paths, drives, and going above the root are escapes."""
        self.assert_refused(
            WorkspaceEscapeError,
            *("/etc/passwd", "/", "//host/share", "C:/x", "C:x", "c:", "z:/../x"),
            *("..", "../x", "work/../../x", "work/../..", "a/../../a/x", "./.."),
        )

    def test_a_path_without_a_file_is_refused(self) -> None:
        """The empty path, the root itself and a trailing slash name no file."""
        self.assert_refused(
            PathNameError, "", ".", "./.", "work/..", "work/", "work//", "a/./"
        )

    def test_backslashes_are_refused(self) -> None:
        """A backslash separates on one system only, so it is refused on all."""
        self.assert_refused(PathNameError, "work\\x", "\\\\host\\x", "..\\x", "\\")

    def test_what_is_no_text_is_refused(self) -> None:
        """A path that is bytes, a `Path`, a number or None is no path from a model."""
        self.assert_refused(PathNameError, b"work/x", Path("work/x"), 5, None, ["x"])

    def test_invisible_characters_are_refused(self) -> None:
        """Controls, lone surrogates, bidi and zero-width characters are refused."""
        for letter in (
            *"\x00\t\n\r\x1b\x7f\x85\x9f",
            *"\ud800\udfff\u2028\u2029",
            *"\u061c\u200e\u200f\u202a\u202e\u2066\u2069",
            *"\u200b\u200c\u200d\u2060\ufeff\u00ad\ufe0f\u3164\U000e0041",
        ):
            self.assert_refused(PathNameError, f"work/a{letter}b", f"a{letter}/../x")

    def test_names_that_windows_cannot_hold_are_refused(self) -> None:
        """Reserved characters and a trailing dot or space are refused everywhere."""
        self.assert_refused(PathNameError, *(f"work/a{c}b" for c in '<>:"|?*'))
        self.assert_refused(PathNameError, "work/a.", "work/a ", "work/ ", "a./x")
        self.assert_refused(PathNameError, "...", "work/.../x", "work/x:stream")

    def test_device_names_are_refused(self) -> None:
        """Device names are refused in any case, with extensions and superscripts."""
        for name in (
            "CON",
            "prn",
            "Aux",
            "nul",
            "COM1",
            "lpt9",
            "COM¹",
            "lpt²",
            "Com³",
        ):
            self.assert_refused(
                PathNameError, name, f"work/{name}.txt", f"{name}/x", f"{name} .tar.gz"
            )
        self.assert_refused(PathNameError, "CONIN$", "conout$", "work/CON/../x")

    def test_only_nfc_is_accepted_and_the_spelling_is_told(self) -> None:
        """A decomposed name is refused, and the message has the NFC spelling."""
        with self.assertRaises(PathNameError) as caught:
            RelativePath.parse("work/" + unicodedata.normalize("NFD", CAFE))
        self.assertIn(CAFE, str(caught.exception))
        self.assertEqual(str(RelativePath.parse("work/" + CAFE)), "work/" + CAFE)

    def test_one_more_than_a_limit_is_refused(self) -> None:
        """256 bytes a name, 1,025 a path, 33 components are refused, as given."""
        self.assert_refused(
            PathNameError,
            *("a" * 256, "试" * 86, "/".join("a" * 33)),
            "/".join(["b" * 255] * 3 + ["b" * 253, "c" * 3]),
            # Short once normalised, but the limits are for what was sent.
            *("./" * 32 + "a", "/".join(["b", ".."] * 16 + ["x"]), "a" + "/" * 1_024),
        )

    def test_messages_are_short_and_printable(self) -> None:
        """A refusal quotes at most a part of the path, and nothing raw of it."""
        for text in ("work/\x1b[2Jx", "/" + "長" * 2_000, "work/\u202egpj.exe", "\n"):
            with self.assertRaises(WorkspaceError) as caught:
                RelativePath.parse(text)
            self.assertTrue(str(caught.exception).isprintable())
            self.assertLess(len(str(caught.exception)), 200)
        with self.assertRaises(PathNameError) as caught:
            RelativePath.parse("e\u0301" * 300)  # told in NFC, twice
        self.assertLess(len(str(caught.exception)), 500)


class PathValueChecks(unittest.TestCase):
    """`RelativePath` as a value that cannot be mistaken for a host path."""

    def test_it_is_not_a_host_path(self) -> None:
        """`open()` and `Path()` refuse a `RelativePath` with `TypeError`."""
        path = RelativePath.parse("work/report.md")
        self.assertNotIsInstance(path, (str, os.PathLike))
        with self.assertRaises(TypeError):
            open(path, "rb")  # noqa: PTH123, SIM115
        with self.assertRaises(TypeError):
            Path(path)

    def test_it_compares_by_its_names(self) -> None:
        """Two spellings of a path are one value; the case of letters counts."""
        self.assertEqual(RelativePath.parse("a/./b"), RelativePath.parse("a//b"))
        self.assertEqual(len({RelativePath.parse("a/b"), RelativePath(("a", "b"))}), 1)
        self.assertNotEqual(RelativePath.parse("a/b"), RelativePath.parse("A/b"))

    def test_it_cannot_be_made_or_changed_around_the_rules(self) -> None:
        """The constructor checks each name too, and the parts cannot be set."""
        for parts in ((), ("..",), ("work", "."), ("a/b",), ("a", ""), ("a\\b",)):
            with self.subTest(parts), self.assertRaises(PathNameError):
                RelativePath(parts)
        path = RelativePath.parse("work/x")
        with self.assertRaises(AttributeError):
            path.parts = ("..", "x")  # type: ignore[misc]


if __name__ == "__main__":
    unittest.main()
