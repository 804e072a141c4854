"""Checks of exercise 15.2."""

import re
import unittest

from exercise import both_ends

# Looked for at every place: the line end of one may be that of the next.
NOTICE = re.compile(r"(?=(\n\[(\d+) characters left out here\]\n))")


def numbered(length: int) -> str:
    """Return a text in which every place looks different."""
    return " ".join(map(str, range(length)))[:length]


def shortest_budget(length: int) -> int:
    """Return the budget in which a notice fits, and nothing else."""
    return len(f"\n[{length} characters left out here]\n")


class BothEndsChecks(unittest.TestCase):
    def result(self, text: str, budget: int) -> str:
        try:
            found = both_ends(text, budget)
        except (LookupError, ValueError) as error:
            kind = type(error).__name__
            raise self.wrong(
                text, budget, f"{kind}: {error}", f"抛出了 {kind}：{error}"
            ) from None
        if type(found) is not str:
            raise self.wrong(text, budget, "no text is returned", "返回的不是文本")
        return found

    def wrong(
        self, text: str, budget: int, english: str, chinese: str
    ) -> AssertionError:
        return AssertionError(
            f"{len(text):,} characters, budget {budget}: {english}",
            f"{len(text):,} 个字符，预算 {budget}：{chinese}",
        )

    def unchanged(self, text: str, budget: int) -> None:
        found = self.result(text, budget)
        if found != text:
            raise self.wrong(
                text,
                budget,
                f"it fits, but what comes back is {found[:80]!r}",
                f"放得下，返回的却是 {found[:80]!r}",
            )

    def cut(self, text: str, budget: int) -> tuple[str, int, str]:
        """Return the beginning, the number and the end that a result is made of."""
        found = self.result(text, budget)
        if found == text:
            raise self.wrong(text, budget, "nothing is left out", "什么也没省略")
        notices = [*NOTICE.finditer(found)]
        for notice in notices:
            head, tail = found[: notice.start()], found[notice.end(1) :]
            # One that the text had itself does not stand between the two ends.
            if len(notices) == 1 or (text.startswith(head) and text.endswith(tail)):
                return head, int(notice[2]), tail
        raise self.wrong(
            text,
            budget,
            f"it is not one notice between two ends: {found[:80]!r}",
            f"不是两头中间夹着一行说明：{found[:80]!r}",
        )

    def within(self, text: str, budget: int) -> None:
        length = len(self.result(text, budget))
        if length > budget:
            raise self.wrong(
                text, budget, f"the result has {length}", f"结果有 {length} 个字符"
            )

    def true_count(self, text: str, budget: int) -> None:
        head, number, tail = self.cut(text, budget)
        missing = len(text) - len(head) - len(tail)
        if number != missing:
            raise self.wrong(
                text,
                budget,
                f"{missing:,} are left out, and the notice says {number:,}",
                f"省略了 {missing:,} 个，说明里写的是 {number:,}",
            )

    def test_what_fits_comes_back_as_it_is(self):
        """A text that is shorter than the budget comes back as it is.

        比预算短的文本原样返回。
        """
        for text in ("", "\n", " two\r\n\r\n ends {} \n", numbered(79)):
            self.unchanged(text, 80)

    def test_a_text_of_exactly_the_budget_fits(self):
        """A text of exactly as many characters as the budget comes back as it is.

        字符数正好等于预算的文本，也原样返回。
        """
        for budget in (60, 61, 1_000):
            self.unchanged(numbered(budget), budget)

    def test_the_notice_is_within_the_budget(self):
        """A result has no more characters than the budget, the notice included.

        结果连同那行说明，字符数不超过预算。
        """
        for budget in (*range(60, 81), 500, 20_000):
            for length in (50_000, 300_000):
                self.within(numbered(length), budget)

    def test_a_longer_number_is_within_the_budget(self):
        """The budget holds also where the notice makes its own number a digit longer.

        说明本身会让里面的个数多出一位时，也不超过预算。
        """
        for budget in (60, 61, 1_000):
            for length in range(budget + 1, budget + 121):
                self.within(numbered(length), budget)

    def test_both_ends_are_kept(self):
        """Before the notice stands the text's beginning, after it the text's end.

        说明之前是文本的开头，之后是文本的结尾。
        """
        for length, budget in ((81, 80), (400, 80), (3_000, 1_001)):
            text = numbered(length)
            head, _, tail = self.cut(text, budget)
            if not head or not text.startswith(head):
                raise self.wrong(
                    text,
                    budget,
                    f"the beginning is not kept, but {head[:40]!r}",
                    f"留下的不是开头，而是 {head[:40]!r}",
                )
            if not tail or not text.endswith(tail):
                raise self.wrong(
                    text,
                    budget,
                    f"the end is not kept, but {tail[-40:]!r}",
                    f"留下的不是结尾，而是 {tail[-40:]!r}",
                )

    def test_the_ends_are_alike_in_length(self):
        """Beginning and end are equally long, or one character apart.

        开头和结尾一样长，或者只差一个字符。
        """
        for budget in (60, 61, 62, 63, 20_000):
            text = numbered(30_000)
            head, _, tail = self.cut(text, budget)
            if abs(len(head) - len(tail)) > 1:
                raise self.wrong(
                    text,
                    budget,
                    f"{len(head):,} at the beginning, {len(tail):,} at the end",
                    f"开头留了 {len(head):,} 个，结尾留了 {len(tail):,} 个",
                )

    def test_the_number_is_what_is_missing(self):
        """The notice says exactly how many characters are missing.

        说明里写的，正好是缺了多少个字符。
        """
        for budget in (*range(60, 81), 999):
            for length in (budget + 1, budget + 50, 5_000):
                self.true_count(numbered(length), budget)

    def test_characters_are_counted_and_not_bytes(self):
        """What is measured and counted are characters, however many bytes they take.

        量的和数的都是字符，不管一个字符占几个字节。
        """
        self.unchanged("报告" * 30, 100)
        for text in ("报告完成，没有错误。" * 30, "😀 é" * 100):
            self.true_count(text, 68)

    def test_the_budget_is_used(self):
        """No more than ten characters of the budget stay unused.

        预算里没用上的，不超过十个字符。
        """
        for text in (numbered(30_000), "x" * 30_000, "报告\n" * 10_000):
            for budget in (60, 101, 20_000):
                length = len(self.result(text, budget))
                if length < budget - 10:
                    raise self.wrong(
                        text,
                        budget,
                        f"the result has only {length:,}",
                        f"结果只有 {length:,} 个字符",
                    )

    def test_there_may_be_room_for_the_notice_alone(self):
        """The number is true where the notice leaves no room, or room for a character.

        除了说明什么也放不下，或者只放得下一个字符时，说明仍然属实。
        """
        for length in (1_000, 5_000):
            shortest = shortest_budget(length)
            for budget in (shortest, shortest + 1):
                self.true_count(numbered(length), budget)

    def test_what_is_kept_is_not_changed(self):
        """Line ends, blanks, braces, and a line like the notice are text to be kept.

        换行、空格、花括号，以及长得像说明的行，都是要照样留下的文本。
        """
        for piece in (
            "  \r\n",
            "{} {left} {{ %d\n",
            "a\n[7 characters left out here]\n",
        ):
            text = piece * 100
            for budget in (150, 153):
                head, _, tail = self.cut(text, budget)
                kept = text[: len(head)] + text[len(text) - len(tail) :]
                if head + tail != kept:
                    raise self.wrong(
                        text,
                        budget,
                        f"of {piece!r} there was made {head[:40]!r}",
                        f"{piece!r} 变成了 {head[:40]!r}",
                    )


if __name__ == "__main__":
    unittest.main()
