"""Checks of exercise 15.4."""

import contextlib
import unittest
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from exercise import Promise, broken, describe

FRESH = "each call is a fresh process."
STDIN = "stdin is empty."
SIGNAL = "a command that a signal ends is told by its number."
HEADER = "Runs a command. What to know of it:"


@dataclass(frozen=True)
class ToolForChecks:
    """What an answer needs of a tool."""

    kept: frozenset[str]
    description: str


def tool(kept: str, *lines: str) -> ToolForChecks:
    return ToolForChecks(frozenset(kept.split()), "\n".join((HEADER, *lines)))


class PromiseChecks(unittest.TestCase):
    def setUp(self):
        self.asked: list[str] = []

    def promise(
        self,
        key: str,
        words: str,
        *pairs: tuple[str, bool],
        error: BaseException | None = None,
    ) -> Promise:
        """Return a promise that notes when it is asked, and gives these pairs."""

        def check(_tool: object) -> Iterator[tuple[str, bool]]:
            self.asked.append(key)
            yield from pairs
            if error:
                raise error

        return self.made(key, words, check)

    def made(self, key: str, words: str, check: Callable) -> Promise:
        try:
            return Promise(key, words, check)
        except ValueError as error:
            raise AssertionError(
                f"Promise({key!r}, {words!r}, a function) raises ValueError: {error}",
                f"Promise({key!r}, {words!r}, 函数) 抛出了 ValueError：{error}",
            ) from None

    def three(self) -> list[Promise]:
        """Return promises of which the last does not hold behind every fence."""
        return [
            self.promise("fresh", FRESH, ("it is so", True), ("and so", True)),
            self.promise("stdin", STDIN, ("it is so", True)),
            self.promise("signal", SIGNAL, ("it is so", False)),
        ]

    def describes(self, kept: str, *lines: str) -> None:
        found = describe(self.three(), tool(kept))
        expected = "\n".join(lines)
        if type(found) is not str or found != expected:
            raise AssertionError(
                f"kept={{{kept}}}: the description is {found!r}, not {expected!r}",
                f"kept={{{kept}}}：描述是 {found!r}，应该是 {expected!r}",
            )

    def found(
        self, promises: list[Promise], asked: ToolForChecks
    ) -> list[tuple[str, str]]:
        """Return the pairs, after a look at their shape."""
        pairs = broken(promises, asked)
        if type(pairs) is not list:
            raise AssertionError(
                f"`broken` returns no list, but {pairs!r:.80}",
                f"`broken` 返回的不是列表，而是 {pairs!r:.80}",
            )
        for pair in pairs:
            if type(pair) is not tuple or [type(one) for one in pair] != [str, str]:
                raise AssertionError(
                    f"not a pair of two texts: {pair!r:.80}",
                    f"不是一对文本：{pair!r:.80}",
                )
            if not pair[1].strip():
                raise AssertionError(
                    f"{pair[0]}: the reason is blank", f"{pair[0]}：原因是空白"
                )
        return pairs

    def finds(self, promises: list[Promise], asked: ToolForChecks, *keys: str) -> None:
        pairs = self.found(promises, asked)
        if sorted(key for key, _ in pairs) != sorted(keys):
            wanted = ", ".join(keys)
            raise AssertionError(
                f"kept: {sorted(asked.kept)}, told: {asked.description!r}. `broken` "
                f"returns {pairs}, and should have one pair each for: {wanted or '-'}",
                f"kept：{sorted(asked.kept)}，描述：{asked.description!r}。`broken` "
                f"返回 {pairs}，应该各有一对的是：{wanted or '无'}",
            )

    def were_asked(self, *keys: str) -> None:
        if sorted(self.asked) != [*keys]:
            raise AssertionError(
                f"asked: {self.asked}, expected: {[*keys]}",
                f"问过的是 {self.asked}，应该是 {[*keys]}",
            )

    def test_what_is_kept_is_stated_in_order(self):
        """Each promise that is kept has a line in the description, in their order.

        能兑现的承诺，在描述里各有一行，顺序不变。
        """
        self.describes("stdin signal fresh", f"- {FRESH}", f"- {STDIN}", f"- {SIGNAL}")

    def test_what_is_not_kept_is_not_stated(self):
        """A promise that is not kept is not in the description.

        不能兑现的承诺，不写进描述。
        """
        self.describes("fresh stdin", f"- {FRESH}", f"- {STDIN}")
        self.describes("signal", f"- {SIGNAL}")
        self.describes("")

    def test_a_behaviour_without_words_cannot_be_promised(self):
        """A promise with blank words is a `ValueError`.

        `words` 是空白的承诺，要抛出 `ValueError`。
        """
        self.three()
        for words in ("", " ", "\n\t"):
            with contextlib.suppress(ValueError):
                Promise("fresh", words, lambda tool: [("it is so", True)])
                raise AssertionError(
                    f"no ValueError for the words {words!r}",
                    f"`words` 是 {words!r}，没有抛出 ValueError",
                )

    def test_words_without_a_check_cannot_be_promised(self):
        """A promise whose check cannot be called is a `ValueError`.

        `check` 不能调用的承诺，要抛出 `ValueError`。
        """
        self.three()
        for check in (None, "by hand", True, [("it is so", True)]):
            with contextlib.suppress(ValueError):
                Promise("fresh", FRESH, check)
                raise AssertionError(
                    f"no ValueError for the check {check!r}",
                    f"`check` 是 {check!r}，没有抛出 ValueError",
                )

    def test_a_tool_that_keeps_its_word_has_no_findings(self):
        """Where every kept promise is stated and true, nothing is found.

        能兑现的承诺都写了，也都属实，就什么也不报告。
        """
        lines = f"- {STDIN}", "Not a promise.", f"- {FRESH}"
        self.finds(self.three(), tool("fresh stdin", *lines))
        self.finds(self.three(), tool(""))

    def test_each_thing_that_is_not_true_is_told(self):
        """Everything that a check finds not to be true is told, in the check's words.

        检查发现不成立的事，每一件都要报告，用检查给的文本。
        """
        promises = [
            self.promise("fresh", FRESH, ("1", False), ("2", True), ("3", False)),
            self.promise("stdin", STDIN, ("4", True)),
            self.promise("signal", SIGNAL, ("5", False)),
        ]
        lines = f"- {FRESH}", f"- {STDIN}", f"- {SIGNAL}"
        found = self.found(promises, tool("fresh stdin signal", *lines))
        expected = [("fresh", "1"), ("fresh", "3"), ("signal", "5")]
        if sorted(found) != expected:
            raise AssertionError(
                f"`broken` returns {found}, not {expected}",
                f"`broken` 返回 {found}，应该是 {expected}",
            )

    def test_a_check_that_asks_nothing_is_broken(self):
        """A check that gives no pair has shown nothing: its promise is broken.

        一对结果也没给的检查什么都没证明，它的承诺算没兑现。
        """
        promises = [self.three()[0], self.promise("stdin", STDIN)]
        lines = f"- {FRESH}", f"- {STDIN}"
        self.finds(promises, tool("fresh stdin", *lines), "stdin")

    def test_a_sentence_that_is_missing_is_found(self):
        """A kept promise whose sentence is missing or changed is found.

        能兑现的承诺，描述里没有那句话，或者改了字，就要报告。
        """
        changed = f"- {FRESH.replace('each', 'every')}"
        for lines in ((), (changed,)):
            told = tool("fresh stdin", *lines, f"- {STDIN}")
            self.finds(self.three(), told, "fresh")

    def test_a_sentence_is_a_line_of_its_own(self):
        """A sentence that is part of another line is not stated.

        那句话要自成一行；只是别的行里的一部分，不算写了。
        """
        for line in (
            f"- It is not so that {STDIN}",
            f"- {STDIN} Mostly.",
            f"-- {STDIN}",
            STDIN,
        ):
            told = tool("fresh stdin", f"- {FRESH}", line)
            self.finds(self.three(), told, "stdin")

    def test_a_missing_sentence_does_not_spare_the_check(self):
        """A kept promise that is not stated is asked all the same.

        能兑现却没写的承诺，照样要问。
        """
        self.found(self.three(), tool("fresh stdin", f"- {FRESH}"))
        self.were_asked("fresh", "stdin")

    def test_what_is_kept_is_asked_once(self):
        """Each kept promise is asked once, and one that is not kept never is.

        能兑现的承诺各问一次，不能兑现的一次也不问。
        """
        lines = f"- {FRESH}", f"- {STDIN}", f"- {SIGNAL}"
        self.found(self.three(), tool("fresh stdin", *lines))
        self.were_asked("fresh", "stdin")

    def test_a_sentence_that_is_not_kept_is_found(self):
        """A promise that is not kept, and whose sentence is there, is found.

        不能兑现的承诺，那句话却在描述里，就要报告。
        """
        lines = f"- {FRESH}", f"- {SIGNAL}", f"- {STDIN}"
        self.finds(self.three(), tool("fresh stdin", *lines), "signal")

    def does_not_go_through(self, error: Exception, stumbling: Promise) -> None:
        after_it = self.promise("fresh", FRESH, ("it is so", False))
        told = tool("signal fresh", f"- {SIGNAL}", f"- {FRESH}")
        try:
            self.finds([stumbling, after_it], told, "signal", "fresh")
        except type(error):
            kind = type(error).__name__
            raise AssertionError(
                f"the {kind} of a check went through", f"检查的 {kind} 传出来了"
            ) from None

    def test_a_check_that_finds_no_answer_is_broken(self):
        """A check that raises LookupError or ValueError at once is a finding.

        检查一开始就抛出 LookupError 或 ValueError，要报告。
        """
        for error in (KeyError("exit code"), IndexError("line 3"), ValueError("x")):

            def check(tool: object, error: Exception = error) -> list:
                raise error

            self.does_not_go_through(error, self.made("signal", SIGNAL, check))

    def test_a_check_may_stumble_half_way(self):
        """A check that raises LookupError or ValueError half-way is a finding, too.

        检查中途抛出 LookupError 或 ValueError，也要报告。
        """
        for error in (KeyError("exit code"), IndexError("line 3"), ValueError("x")):
            pairs = ("1", True), ("2", True)
            stumbling = self.promise("signal", SIGNAL, *pairs, error=error)
            self.does_not_go_through(error, stumbling)

    def test_a_mistake_in_a_check_goes_through(self):
        """Every other exception goes through: it says nothing about the tool.

        别的异常都要传出去：它不能说明工具怎么样。
        """
        for error in (
            TypeError("a mistake"),
            AttributeError("a mistake"),
            ZeroDivisionError("a mistake"),
            OSError("a mistake"),
            KeyboardInterrupt(),
        ):
            promises = [self.promise("fresh", FRESH, ("1", True), error=error)]
            with contextlib.suppress(type(error)):
                found = broken(promises, tool("fresh", f"- {FRESH}"))
                kind = type(error).__name__
                raise AssertionError(
                    f"{kind} did not go through; `broken` returns {found!r:.80}",
                    f"{kind} 没有传出来；`broken` 返回 {found!r:.80}",
                )


if __name__ == "__main__":
    unittest.main()
