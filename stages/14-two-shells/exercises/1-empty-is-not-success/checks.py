"""Checks of exercise 14.1."""

import unicodedata
import unittest

from exercise import tool_result

ID = "toolu_7"


def can_be_seen(text: str) -> bool:
    return any(unicodedata.category(char)[0] not in "ZC" for char in text)


class ToolResultChecks(unittest.TestCase):
    def result(
        self, code: int, stdout: bytes, stderr: bytes, expect_empty: bool
    ) -> tuple[dict, str, str]:
        """Return the block, and in two languages what it was made from."""
        block = tool_result(ID, code, stdout, stderr, expect_empty)
        made_from = f"exit={code} stdout={stdout[:40]!r} stderr={stderr[:40]!r}"
        if expect_empty:
            made_from += " expect_empty=True"
        english, chinese = f"for {made_from}", f"{made_from} 时"
        if type(block) is not dict:
            raise AssertionError(f"{english}: no dict", f"{chinese}：不是字典")
        if type(block.get("content")) is not str:
            raise AssertionError(
                f"{english}: `content` is no text", f"{chinese}：`content` 不是文本"
            )
        return block, english, chinese

    def failed(
        self,
        code: int,
        stdout: bytes,
        stderr: bytes,
        *words: str,
        expect_empty: bool = False,
    ) -> str:
        block, english, chinese = self.result(code, stdout, stderr, expect_empty)
        if block.get("is_error") is not True:
            raise AssertionError(
                f"{english}: not marked as a failure", f"{chinese}：没有标记为失败"
            )
        text = block["content"]
        for word in words:
            if word not in text:
                raise AssertionError(
                    f"{english}: {word!r} is not in the content, {text[:80]!r}",
                    f"{chinese}：`content` 里没有 {word!r}：{text[:80]!r}",
                )
        return text

    def succeeded(
        self, stdout: bytes, stderr: bytes = b"", expect_empty: bool = False
    ) -> str:
        block, english, chinese = self.result(0, stdout, stderr, expect_empty)
        # Left out or False: the API takes both.
        if block.get("is_error", False) is not False:
            raise AssertionError(
                f"{english}: marked as a failure", f"{chinese}：被标记为失败"
            )
        return block["content"]

    def same(self, found: str, expected: str) -> None:
        if found != expected:
            raise AssertionError(
                f"the content is {found!r}, not {expected!r}",
                f"`content` 是 {found!r}，应该是 {expected!r}",
            )

    def test_every_block_answers_its_call(self):
        """Every block is a `tool_result` with the id of the call it answers.

        每个块的 `type` 都是 `tool_result`，并带着它所回答的那次调用的 id。
        """
        for code, stdout, expect_empty in (
            (0, b"ready\n", False),
            (0, b"", True),
            (0, b"", False),
            (2, b"", False),
        ):
            block, english, chinese = self.result(code, stdout, b"", expect_empty)
            for key, value in (("type", "tool_result"), ("tool_use_id", ID)):
                if type(block.get(key)) is not str or block[key] != value:
                    raise AssertionError(
                        f"{english}: `{key}` is {block.get(key)!r}, not {value!r}",
                        f"{chinese}：`{key}` 是 {block.get(key)!r}，应该是 {value!r}",
                    )

    def test_what_can_be_seen_comes_back_unchanged(self):
        """An output that can be seen is a success and comes back unchanged.

        看得见的输出算成功，并且一字不改地返回。
        """
        for text in ("0\n", "  报告\u200b ready\r\n\n", "\ufeffone\n", "."):
            self.same(self.succeeded(text.encode()), text)

    def test_a_warning_makes_no_failure(self):
        """Words on stderr do not turn a success into a failure.

        stderr 上有话，成功的结果也不会变成失败。
        """
        warning = b"error: failed to load the cache, not found; going on\n"
        self.same(self.succeeded(b"ready", warning), "ready")

    def test_words_on_stderr_are_no_output(self):
        """Words on stderr are no output; the failure quotes them.

        stderr 上的话不算输出，失败的结果里会引用它们。
        """
        self.failed(0, b"", b"ls: no match\n", "exit=0", "ls: no match")

    def test_a_non_zero_exit_is_a_failure(self):
        """An exit code other than 0 is a failure, with `exit=N` and a short quotation.

        退出码不是 0 就是失败，结果里有 `exit=N`，并简短引用 stderr。
        """
        self.failed(1, b"half a list\n", b"", "exit=1")
        self.failed(-9, b"", b"killed \xff here", "exit=-9", "killed", "here")
        long = b"no such file " + b"x" * 9_000
        text = self.failed(127, b"ready\n", long, "exit=127", "no such file")
        if len(text) > 1_000:
            raise AssertionError(
                f"9,000 characters on stderr make a content of {len(text):,}",
                f"stderr 有 9,000 个字符时，`content` 长达 {len(text):,} 个字符",
            )

    def test_white_space_is_nothing(self):
        """Nothing, or nothing but white space, is a failure, also at exit 0.

        什么都没有，或者只有空白，即使退出码是 0 也是失败。
        """
        for text in ("", "\n", " \t\r\n\f\v\n", "\xa0", "\u3000\u2003\u2028\n"):
            self.failed(0, text.encode(), b"", "exit=0")

    def test_characters_without_width_are_nothing(self):
        """Characters that cannot be seen are nothing, though they are no white space.

        看不见的字符等于没有输出，哪怕它们不属于空白。
        """
        for text in ("\u200b", "\ufeff\n", " \u2060\u200d\xad ", "\x00\x07\n"):
            self.failed(0, text.encode(), b"", "exit=0")

    def test_an_expected_nothing_is_said_in_words(self):
        """An expected nothing is a success with a short text that can be seen.

        预期之中的空输出算成功，`content` 是一段看得见的短文本。
        """
        for stdout in (b"", b"\n"):
            text = self.succeeded(stdout, expect_empty=True)
            if not can_be_seen(text) or len(text) > 80:
                raise AssertionError(
                    f"stdout={stdout!r} was expected, and the content is {text!r}",
                    f"stdout={stdout!r} 符合预期，`content` 却是 {text!r}",
                )

    def test_to_expect_nothing_excuses_nothing_else(self):
        """To expect nothing excuses no exit code and no bad bytes, and hides no output.

        预期没有输出，不等于不管退出码和坏字节；真有输出时，也不能藏起来。
        """
        self.failed(2, b"", b"", "exit=2", expect_empty=True)
        self.failed(0, b"\xff", b"", "UTF-8", expect_empty=True)
        self.same(self.succeeded(b"one match", expect_empty=True), "one match")

    def test_bytes_that_are_no_text_are_a_failure(self):
        """Bytes that are not UTF-8 are a failure that says so.

        字节不是 UTF-8 就是失败，结果里要写明。
        """
        for stdout in (b"\xff\xfe", "报告\n".encode("gbk"), b"ready \xe6\x8a\n"):
            self.failed(0, stdout, b"", "UTF-8")


if __name__ == "__main__":
    unittest.main()
