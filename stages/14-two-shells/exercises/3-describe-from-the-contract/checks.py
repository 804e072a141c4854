"""Checks of exercise 14.3."""

import dataclasses
import itertools
import os
import re
import unittest
from collections.abc import Iterator

from exercise import ToolContract, tool_definition

PATHS = (
    "/home/lin/mnt/Workspace",
    "/Users/ming/mnt/Workspace",
    "/sessions/amber-owl/mnt/Workspace",
)
BEGINNINGS = ("/home/", "/Users/", "/sessions/")
WORKSPACE = "$HOME/mnt/Workspace"
VALUES = {
    "runs": ("desktop", "cloud"),
    "workspace": (PATHS[0], None),
    "deletes": (True, False),
    "network": ("open", "restricted", "none"),
}
CONTRACTS = [ToolContract(*values) for values in itertools.product(*VALUES.values())]
LANGUAGES = ("en", "zh-CN")
KEPT = {
    "name": "run_on_desktop",
    "input_schema": {
        "type": "object",
        "properties": {"command": {"type": "string"}},
        "required": ["command"],
    },
}
HAN = re.compile("[一-鿿]")


def changes() -> Iterator[tuple[str, ToolContract, ToolContract]]:
    """Yield each contract with each that differs from it in one value."""
    for contract, (field, values) in itertools.product(CONTRACTS, VALUES.items()):
        for value in values:
            if value != getattr(contract, field):
                yield field, contract, dataclasses.replace(contract, **{field: value})


def clauses(text: str) -> set[str]:
    return {part.strip() for part in re.split("[,，;；.。\n]", text)}


class DefinitionChecks(unittest.TestCase):
    def setUp(self):
        # A home, so that an answer that expands the variable can be seen.
        before = dict(os.environ)
        self.addCleanup(os.environ.update, before)
        self.addCleanup(os.environ.clear)
        os.environ["HOME"] = "/home/lin"

    def described(
        self, contract: ToolContract, language: str, name: str = "run"
    ) -> str:
        definition = tool_definition(name, contract, language)
        if type(definition) is not dict:
            raise AssertionError("what you return is no dict", "返回的不是字典")
        text = definition.get("description")
        if type(text) is not str or not text.strip():
            raise AssertionError("`description` is no text", "`description` 不是文本")
        return text

    def same(self, key: str, found: object, expected: object) -> None:
        if type(found) is not type(expected) or found != expected:
            raise AssertionError(
                f"{key}: {found!r}, expected: {expected!r}",
                f"{key}：{found!r}，应该是：{expected!r}",
            )

    def follows(self, language: str) -> None:
        texts = {one: self.described(one, language) for one in CONTRACTS}
        for field, one, other in changes():
            if texts[one] == texts[other]:
                values = f"{getattr(one, field)!r}, {getattr(other, field)!r}"
                raise AssertionError(
                    f"the same description in {language} for `{field}`: {values}",
                    f"{language} 的描述对 `{field}` 的这两个值是一样的：{values}",
                )

    def test_every_value_changes_the_english_text(self):
        """Whichever value of a contract changes, the English description changes.

        契约里不管哪个值变了，英文描述都跟着变。
        """
        self.follows("en")

    def test_every_value_changes_the_chinese_text(self):
        """Whichever value of a contract changes, the Chinese description changes.

        契约里不管哪个值变了，中文描述都跟着变。
        """
        self.follows("zh-CN")

    def test_a_no_is_said_too(self):
        """Every value has words of its own; a no is not told by silence.

        每个值都有自己的说法，“不能”也要说出来，不能靠沉默。
        """
        for language in LANGUAGES:
            texts = {one: self.described(one, language) for one in CONTRACTS}
            for field, one, other in changes():
                # Equal texts are the business of the two checks above.
                if clauses(texts[one]) < clauses(texts[other]):
                    value = getattr(one, field)
                    raise AssertionError(
                        f"in {language} nothing is said of `{field}` when it is "
                        f"{value!r}: {texts[one]}",
                        f"`{field}` 是 {value!r} 时，{language} 的描述什么也没说："
                        f"{texts[one]}",
                    )

    def test_the_workspace_is_called_by_the_variable(self):
        """The workspace is called `$HOME/mnt/Workspace`, seen or not.

        不管看不看得到，工作区都叫 `$HOME/mnt/Workspace`。
        """
        for contract, language in itertools.product(CONTRACTS, LANGUAGES):
            text = self.described(contract, language)
            if WORKSPACE not in text:
                raise AssertionError(
                    f"{WORKSPACE} is not in the description: {text}",
                    f"描述里没有 {WORKSPACE}：{text}",
                )

    def test_no_real_path_is_told(self):
        """No part of a real path is told, on whichever computer it is.

        不管是哪台电脑上的真实路径，一部分也不能说出来。
        """
        for contract, language in itertools.product(CONTRACTS[:3], LANGUAGES):
            texts = set()
            for path in PATHS:
                there = dataclasses.replace(contract, workspace=path)
                text = self.described(there, language)
                texts.add(text)
                # A text that differs by the path gives some of it away.
                if len(texts) > 1 or any(one in text for one in BEGINNINGS):
                    raise AssertionError(
                        f"for {path} the description tells of it: {text}",
                        f"路径是 {path} 时，描述透露了它：{text}",
                    )

    def test_the_name_decides_nothing(self):
        """Tools of one contract have one description, whatever their names are.

        契约相同的工具，不管叫什么名字，描述都一样。
        """
        names = ("run_on_desktop", "run_in_sandbox", "delete_nothing", "offline")
        for contract, language in itertools.product(CONTRACTS, LANGUAGES):
            texts = {self.described(contract, language, name) for name in names}
            if len(texts) > 1:
                one, other, *_ = sorted(texts)
                raise AssertionError(
                    f"one contract, two descriptions: {one} / {other}",
                    f"同一份契约，却有两种描述：{one} / {other}",
                )

    def test_a_description_is_in_one_language(self):
        """An English description is English, a Chinese one is Chinese throughout.

        英文描述全是英文，中文描述全是中文。
        """
        for contract in CONTRACTS:
            text = self.described(contract, "en")
            if HAN.search(text):
                raise AssertionError(f"Chinese in {text}", f"英文里有中文：{text}")
            text = self.described(contract, "zh-CN").replace(WORKSPACE, "")
            for sentence in re.split("[;；.。\n]", text):
                if re.search("[A-Za-z]", sentence) and not HAN.search(sentence):
                    raise AssertionError(
                        f"no Chinese in {sentence}", f"没有中文：{sentence}"
                    )

    def test_what_has_no_words_is_an_error(self):
        """A value or a language without words is an error, and no other sentence.

        没有对应句子的值或语言要报错，不能拿别的句子顶替。
        """
        good = CONTRACTS[0]
        for field, value, language in (
            ("network", "vpn", "en"),
            ("network", "vpn", "zh-CN"),
            ("network", "", "en"),
            ("runs", "phone", "en"),
            ("runs", "phone", "zh-CN"),
            ("runs", "none", "en"),
            ("network", "open", "fr"),
        ):
            contract = dataclasses.replace(good, **{field: value})
            try:
                text = self.described(contract, language)
            except (KeyError, ValueError):
                continue
            raise AssertionError(
                f"no error for {field}={value!r} in {language}: {text}",
                f"{field}={value!r}、语言 {language} 没有报错：{text}",
            )

    def test_the_api_takes_the_definition(self):
        """The definition is what the API takes: one required text `command`.

        工具定义符合 API 的要求：有一个必填的文本 `command`。
        """
        for language in LANGUAGES:
            definition = tool_definition("run_on_desktop", CONTRACTS[0], language)
            self.same("keys", sorted(definition), ["description", *sorted(KEPT)])
            for key, value in KEPT.items():
                self.same(key, definition[key], value)


if __name__ == "__main__":
    unittest.main()
