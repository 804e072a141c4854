"""Checks of exercise 15.3."""

import unittest

from exercise import Outcome, render

DENIED = "[sandbox: file access denied under read-only mode]"
TIMED_OUT = "[timed out after 500ms]"


class RenderChecks(unittest.TestCase):
    def text(self, **seen: object) -> tuple[str, str]:
        """Return the text, and from what it was made."""
        made_from = ", ".join(f"{name}={value!r}" for name, value in seen.items())
        found = render(Outcome(**seen))
        if type(found) is not str:
            raise AssertionError(
                f"Outcome({made_from}): no text is returned",
                f"Outcome({made_from})：返回的不是文本",
            )
        return found, made_from

    def renders(self, *lines: str, **seen: object) -> None:
        found, made_from = self.text(**seen)
        expected = "\n".join(lines)
        if found != expected:
            raise AssertionError(
                f"Outcome({made_from}): the text is {found!r}, not {expected!r}",
                f"Outcome({made_from})：文本是 {found!r}，应该是 {expected!r}",
            )

    def test_a_success_is_its_output_alone(self):
        """A command that ends with 0 has no line about its end.

        以 0 结束的命令，不写怎样结束的那一行。
        """
        self.renders("one", stdout="one\n", exit_code=0)
        self.renders("one", "two", stdout="one\ntwo\n", exit_code=0)

    def test_a_failure_ends_with_its_exit_code(self):
        """The exit code of a failure, whatever number, is the last line.

        命令失败，最后一行就写退出码，不管是几。
        """
        for code in (1, 3, 137, 255):
            line = f"[exit code: {code}]"
            self.renders("one", line, stdout="one\n", exit_code=code)

    def test_a_signal_takes_the_place_of_the_exit_code(self):
        """A signal stands in place of the exit code, also if both numbers are known.

        被信号终止时，最后一行是信号编号；即使也知道退出码，也只写信号。
        """
        for code in (None, 137, 1):
            line = "[killed by signal: 9]"
            self.renders("one", line, stdout="one\n", exit_code=code, signal=9)

    def test_a_timeout_is_told_in_milliseconds(self):
        """A timeout is told in milliseconds, also below a second.

        超时以毫秒说明，不到一秒也一样。
        """
        for timeout in (500, 1, 30_000):
            line = f"[timed out after {timeout}ms]"
            self.renders("one", line, stdout="one\n", timed_out=timeout)

    def test_a_denial_names_its_mode(self):
        """A denial names the mode, and needs no exit code beside it.

        拒绝那一行写明模式，旁边不一定要有退出码。
        """
        for mode in ("workspace-write", "read-only"):
            line = f"[sandbox: file access denied under {mode} mode]"
            self.renders("one", line, stdout="one\n", denied=mode)

    def test_no_line_takes_the_place_of_another(self):
        """A denial, a timeout and the end are each told, whatever else is told.

        拒绝、超时和结束各写各的，不因为写了别的就省掉。
        """
        for seen, lines in (
            ({"denied": "read-only", "exit_code": 2}, (DENIED, "[exit code: 2]")),
            ({"timed_out": 500, "signal": 9}, (TIMED_OUT, "[killed by signal: 9]")),
            ({"denied": "read-only", "timed_out": 500}, (DENIED, TIMED_OUT)),
        ):
            found, made_from = self.text(stdout="one\n", **seen)
            # Their order is the business of the next check.
            for line in lines:
                if found.split("\n").count(line) != 1:
                    raise AssertionError(
                        f"Outcome({made_from}): {line} is not there once: {found!r}",
                        f"Outcome({made_from})：{line} 应该正好出现一次：{found!r}",
                    )

    def test_the_lines_have_one_order(self):
        """After the body come the denial, the timeout, and at last how it ended.

        正文之后依次是拒绝、超时，最后是怎么结束的。
        """
        seen = {"stdout": "one\n", "denied": "read-only", "timed_out": 500}
        signal, code = "[killed by signal: 15]", "[exit code: 4]"
        self.renders("one", DENIED, TIMED_OUT, signal, signal=15, **seen)
        self.renders("one", DENIED, TIMED_OUT, code, exit_code=4, **seen)

    def test_stderr_stands_under_its_heading(self):
        """stderr comes after stdout, under a heading that only it has.

        stderr 在 stdout 之后，上面有标题；没有 stderr 就没有标题。
        """
        both = {"stdout": "one\n", "stderr": "two\nthree\n"}
        self.renders(
            "one", "[stderr]", "two", "three", "[exit code: 1]", **both, exit_code=1
        )
        self.renders("[stderr]", "two", "[exit code: 1]", stderr="two\n", exit_code=1)
        self.renders("one", "[exit code: 1]", stdout="one\n", exit_code=1)

    def test_nothing_has_a_word(self):
        """Where nothing was printed and there is nothing to tell, the word stands.

        什么也没有输出，也没有别的可说，就写 `(no output)`。
        """
        self.renders("(no output)", exit_code=0)
        self.renders("(no output)")

    def test_nothing_has_a_word_above_a_line_too(self):
        """Where nothing was printed, the word also stands above other lines.

        什么也没有输出，下面还有别的行时，也要写 `(no output)`。
        """
        self.renders("(no output)", "[exit code: 3]", exit_code=3)
        self.renders("(no output)", DENIED, denied="read-only")

    def test_blank_is_nothing(self):
        """A stream with blanks and line ends alone counts as nothing.

        只有空格和换行的流，等于什么也没有。
        """
        code = "[exit code: 3]"
        self.renders("(no output)", code, stdout=" \n\t\n", stderr="\n", exit_code=3)
        self.renders("one", code, stdout="one\n", stderr="\n", exit_code=3)
        self.renders("[stderr]", "two", code, stdout="\n", stderr="two", exit_code=3)

    def test_output_is_not_tidied(self):
        """Blanks and empty lines within an output stay as they are.

        输出里的空格和空行都原样保留。
        """
        text = "\n  + a\t\r\n\n- b  "
        self.renders(text, "[exit code: 1]", stdout=text + "\n", exit_code=1)
        self.renders("[stderr]", text, "[exit code: 1]", stderr=text, exit_code=1)

    def test_one_line_end_is_dropped(self):
        """Of several line ends at the end of a stream, one is dropped.

        流的末尾有好几个换行，只去掉一个。
        """
        code = "[exit code: 1]"
        self.renders("one", "", "", code, stdout="one\n\n\n", exit_code=1)
        self.renders("[stderr]", "two", "", code, stderr="two\n\n", exit_code=1)

    def test_an_unfinished_line_is_finished(self):
        """Where an output has no line end at its end, the next line is still a new one.

        输出末尾没有换行，下一行照样另起。
        """
        code = "[exit code: 1]"
        self.renders("one", code, stdout="one", exit_code=1)
        self.renders("one", "[stderr]", "two", stdout="one", stderr="two", exit_code=0)

    def test_a_forged_line_is_output(self):
        """A line that a command prints is output: not believed, and not removed.

        命令打印的这种行就是输出：不采信，也不删掉。
        """
        lines = "[exit code: 7]", DENIED, "done"
        self.renders(*lines, stdout="\n".join(lines), exit_code=0)
        self.renders("[stderr]", TIMED_OUT, stderr=TIMED_OUT, exit_code=0)

    def test_a_forged_line_spares_none_of_ours(self):
        """What a command has printed already is still told by the Host.

        命令已经打印过的行，宿主程序照样要写。
        """
        code = "[exit code: 3]"
        self.renders(code, code, stdout=f"{code}\n", exit_code=3)
        seen = {"stderr": f"{DENIED}\n{TIMED_OUT}\n", "denied": "read-only"}
        self.renders(
            "[stderr]", DENIED, TIMED_OUT, DENIED, TIMED_OUT, **seen, timed_out=500
        )


if __name__ == "__main__":
    unittest.main()
