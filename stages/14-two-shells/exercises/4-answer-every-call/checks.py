"""Checks of exercise 14.4."""

import unittest

from exercise import answer_calls


def call(number: int, name: str, command: object) -> dict:
    return use(number, name, {"command": command})


def use(number: int, name: str, arguments: object) -> dict:
    return {
        "type": "tool_use",
        "id": f"toolu_{number:02}",
        "name": name,
        "input": arguments,
    }


RAN = "commands that ran", "执行过的命令"
RESULTS = "contents of the results", "各个结果的内容"
IDS = "ids of the results", "各个结果的 id"
COUNT = "number of results", "结果的个数"


class ShellGoneError(Exception):
    """An error of no kind that an answer knows."""


class AnswerChecks(unittest.TestCase):
    def setUp(self):
        self.ran: list[str] = []

    def noted(self, command: str) -> str:
        self.ran.append(command)
        if command == "forbidden":
            raise PermissionError(13, "Permission denied", "/home/lin/secret")
        if command == "gone":
            raise ShellGoneError("Permission denied: /home/lin/secret")
        if command == "interrupted":
            raise KeyboardInterrupt
        return f"output of {command}\n"

    def same(self, what: tuple[str, str], found: object, expected: object) -> None:
        if type(found) is not type(expected) or found != expected:
            raise AssertionError(
                f"{what[0]}: {found!r}, expected: {expected!r}",
                f"{what[1]}：{found!r}，应该是：{expected!r}",
            )

    def results(self, *content: dict) -> list[dict]:
        """Return the results in the message, after a look at its shape."""
        tools = dict.fromkeys(("run_on_desktop", "run_in_sandbox", "log"), self.noted)
        message = answer_calls(list(content), tools)
        if type(message) is not dict or message.get("role") != "user":
            raise AssertionError(
                f"not one user message, but {message!r:.80}",
                f"返回的不是一条用户消息，而是 {message!r:.80}",
            )
        results = message.get("content")
        if type(results) is not list or {type(one) for one in results} - {dict}:
            raise AssertionError(
                f"its content is no list of results: {results!r:.80}",
                f"它的 `content` 不是一列结果：{results!r:.80}",
            )
        for result in results:
            if result.get("type") != "tool_result":
                raise AssertionError(
                    f"no tool_result: {result!r:.80}", f"不是工具结果：{result!r:.80}"
                )
        return results

    def told(self, *content: dict) -> list[str]:
        """Return the content of each result, and of a failure only that it is one."""
        return [
            "failed" if one.get("is_error", False) is not False else one.get("content")
            for one in self.results(*content)
        ]

    def failure(self, result: dict) -> str:
        text = result.get("content")
        if result.get("is_error") is not True or type(text) is not str or not text:
            raise AssertionError(
                f"not a failure that says what is wrong: {result}",
                f"不是说明了原因的失败结果：{result}",
            )
        return text

    def answered(self, error: type | tuple, *content: dict) -> list[dict]:
        """Return the results where an answer might let `error` through."""
        try:
            return self.results(*content)
        except error as raised:
            raise AssertionError(
                f"no message, but {type(raised).__name__}: {raised}",
                f"没有消息，而是抛出了 {type(raised).__name__}：{raised}",
            ) from None

    def one_failure(self, error: type | tuple, arguments: object) -> None:
        results = self.answered(error, use(1, "log", arguments))
        self.same(COUNT, len(results), 1)
        self.failure(results[0])
        if self.ran:
            raise AssertionError(
                f"the input {arguments} ran {self.ran}",
                f"`input` 是 {arguments}，却执行了 {self.ran}",
            )

    def test_one_message_answers_all_calls_in_order(self):
        """All calls run in order, and one message answers them in that order.

        所有调用按顺序执行，由一条消息按同样的顺序回答。
        """
        told = self.told(
            call(1, "run_on_desktop", "one"),
            {"type": "text", "text": "and then"},
            call(2, "log", "two"),
            call(3, "run_in_sandbox", "three"),
        )
        self.same(RAN, self.ran, ["one", "two", "three"])
        self.same(RESULTS, told, [f"output of {command}\n" for command in self.ran])

    def test_a_result_carries_the_id_of_its_call(self):
        """Each result carries the id of its call, also when one tool is called twice.

        每个结果都带着自己那个调用的 id，同一个工具调用两次也不混淆。
        """
        results = self.results(call(7, "log", "one"), call(3, "run_on_desktop", "two"))
        ids = [one.get("tool_use_id") for one in results]
        self.same(IDS, ids, ["toolu_07", "toolu_03"])

    def test_a_tool_can_be_called_twice(self):
        """A tool that is called twice, even with one command, runs and answers twice.

        同一个工具调用两次，哪怕命令相同，也要执行两次、回答两次。
        """
        results = self.results(
            call(1, "log", "one"), call(2, "log", "two"), call(3, "log", "one")
        )
        self.same(RAN, self.ran, ["one", "two", "one"])
        texts = [one.get("content") for one in results]
        self.same(RESULTS, texts, [f"output of {command}\n" for command in self.ran])

    def test_without_a_call_there_is_no_message(self):
        """A message without a call needs no answer: None.

        没有调用的消息不用回答，返回 `None`。
        """
        for content in ([], [{"type": "text", "text": "Done."}]):
            message = answer_calls(content, {"log": self.noted})
            if message is not None:
                raise AssertionError(
                    f"not None, but {message!r:.80}", f"不是 None：{message!r:.80}"
                )

    def test_only_tool_use_is_a_call(self):
        """Blocks of other types are no calls, even if they have an id and a name.

        其他类型的块不是调用，哪怕它们也有 `id` 和 `name`。
        """
        told = self.told(
            {"type": "thinking", "thinking": "both?", "signature": "x"},
            {**call(1, "web_search", "one"), "type": "server_tool_use"},
            call(2, "log", "two"),
            {**call(3, "log", "three"), "type": "mcp_tool_use"},
        )
        self.same(RAN, self.ran, ["two"])
        self.same(RESULTS, told, ["output of two\n"])

    def test_an_unknown_tool_is_a_failed_call(self):
        """A call of an unknown tool has a result, a failure; the others go on.

        调用不存在的工具也有结果，是失败；其他调用照常进行。
        """
        results = self.answered(
            KeyError,
            call(1, "log", "one"),
            call(2, "run_on_moon", "two"),
            call(3, "run_in_sandbox", "three"),
        )
        self.same(RAN, self.ran, ["one", "three"])
        self.same(COUNT, len(results), 3)
        self.failure(results[1])

    def test_an_input_that_is_no_object_is_a_failed_call(self):
        """An input that is no dict makes a failed call, and nothing is run.

        `input` 不是字典就是失败的调用，什么也不执行。
        """
        for arguments in (None, "ls", ["command", "ls"], 7):
            self.one_failure((TypeError, AttributeError), arguments)

    def test_a_command_that_is_no_text_is_a_failed_call(self):
        """A command that is missing or no text makes a failed call; nothing is run.

        `command` 缺失或不是文本就是失败的调用，什么也不执行。
        """
        for arguments in (
            {},
            {"cmd": "ls"},
            {"command": None},
            {"command": ["ls", "-l"]},
        ):
            self.one_failure(KeyError, arguments)

    def test_a_tool_that_raises_is_a_failed_call(self):
        """A tool that raises makes a failed call that names the exception's class.

        工具抛出异常就是失败的调用，结果里有异常的类名；其他调用照常进行。
        """
        results = self.answered(
            (PermissionError, ShellGoneError),
            call(1, "log", "forbidden"),
            call(2, "run_in_sandbox", "gone"),
            call(3, "run_on_desktop", "two"),
        )
        self.same(RAN, self.ran, ["forbidden", "gone", "two"])
        self.same(COUNT, len(results), 3)
        for place, kind in enumerate(("PermissionError", "ShellGoneError")):
            text = self.failure(results[place])
            if kind not in text:
                raise AssertionError(
                    f"{kind} is not in the content: {text!r}",
                    f"`content` 里没有 {kind}：{text!r}",
                )

    def test_the_words_of_an_exception_stay_here(self):
        """The message of an exception is not told: it may hold a path or a secret.

        异常的消息不能说出去，里面可能有路径或密钥。
        """
        results = self.answered(PermissionError, call(1, "log", "forbidden"))
        for word in ("/home/lin", "secret", "denied", "Traceback"):
            if word in repr(results):
                raise AssertionError(
                    f"{word!r} is told: {results}", f"说出了 {word!r}：{results}"
                )

    def test_an_interrupt_goes_through(self):
        """A KeyboardInterrupt goes through, and no further call is run.

        `KeyboardInterrupt` 要传出去，后面的调用不再执行。
        """
        content = [call(1, "log", "interrupted"), call(2, "run_in_sandbox", "two")]
        tools = {"log": self.noted, "run_in_sandbox": self.noted}
        try:
            answer_calls(content, tools)
        except KeyboardInterrupt:
            self.same(RAN, self.ran, ["interrupted"])
            return
        raise AssertionError(
            f"no KeyboardInterrupt came through; {self.ran} ran",
            f"`KeyboardInterrupt` 没有传出来；执行了 {self.ran}",
        )


if __name__ == "__main__":
    unittest.main()
