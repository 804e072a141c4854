"""Commands that a shell takes and a careless tool trips over, as one table.

Each row is run behind every fence there is, and without any. What has to come out is
what bash itself does, whole and unchanged.
"""

from __future__ import annotations

import shutil
import unittest
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from contract import CONTRACT, FULL_ACCESS, WORKSPACE_WRITE, Outcome
from dialect_check_support import FENCES, SIDE_BY_SIDE, name_of, needs_bash, tool
from dialects import BASH
from fences import NO_FENCE
from render import render

__all__ = ["AwkwardCommandChecks"]

LONG = CONTRACT.budget * 5
FAILS = "any code but 0"
OPTIONS = "hBc\nbraceexpand:hashall:interactive-comments\n"


@dataclass(frozen=True)
class Row:
    """A command and what comes of it.

    complains: whether something is on stderr; None: that may be or not.
    needs: a program that not every system has.
    """

    name: str
    command: str
    stdout: str = ""
    ends: int | str = 0
    signal: int | None = None
    complains: bool | None = False
    needs: str = "bash"


ROWS = [
    Row("a here-document", "cat <<'E'\n$HOME \"'\nE", "$HOME \"'\n"),
    Row("a here-document without an end", "cat <<E\nabc", "abc\n", complains=None),
    Row("a here-string", "cat <<<'a  b'", "a  b\n"),
    Row("an unbalanced quote", "echo 'a", ends=FAILS, complains=True),
    Row("an unbalanced double quote", 'echo "a', ends=FAILS, complains=True),
    Row("an unbalanced parenthesis", "(echo a", ends=FAILS, complains=True),
    Row("quotes in quotes", """echo '"'"'"'$HOME'""", "\"'$HOME\n"),
    Row("two exclamation marks", 'echo "a!!b"', "a!!b\n"),
    Row("a command in a command", "echo `echo a` $(echo b)", "a b\n"),
    Row("a process as a file", "cat <(echo a)", "a\n"),
    Row("exec", "exec printf gone; echo not", "gone"),
    Row("exec of nothing", "exec no-such-program", ends=127, complains=True),
    Row("stderr into stdout", "exec 2>&1; echo a >&2", "a\n"),
    Row("stdout closed", "exec >&-; echo a", ends=FAILS, complains=True),
    Row("both closed, and on it goes", "exec >&- 2>&-; sleep 0.05; exit 6", ends=6),
    Row("exit in a subshell", "(exit 7); echo $?", "7\n"),
    Row("exit in a subshell at the end", "(exit 7)", ends=7),
    Row("exit in a function", "f() { exit 4; }; f; echo not", ends=4),
    Row("an exit code above 255", "exit 300", ends=44),
    Row("an exit code below 0", "exit -1", ends=255),
    Row("a failure in the middle", "false; echo on", "on\n"),
    Row("set -e", "set -e; false; echo not", ends=1),
    Row("set -u", 'set -u; echo "$no_such"', ends=FAILS, complains=True),
    Row("its options", "echo $-; echo $SHELLOPTS", OPTIONS),
    Row("no login shell", "shopt -q login_shell", ends=1),
    Row("a variable that is not set", 'echo "a${no_such}b$no_such"', "ab\n"),
    Row("no newline at the end", "printf abc", "abc"),
    Row("newlines alone", "echo; echo", "\n\n"),
    Row("newlines of Windows", r"printf 'a\r\nb\r'", "a\r\nb\r"),
    Row("NUL", r"printf 'a\0b'", "a\0b"),
    Row("bytes that are no text", r"printf '\377\376a'", "\ufffd\ufffda"),
    Row("half a character", r"printf '\344\275'", "\ufffd"),
    Row("a character of four bytes", r"printf '\360\237\220\215'", "🐍"),
    Row("colours", r"printf '\033[31mred\033[0m'", "\x1b[31mred\x1b[0m"),
    Row(
        "a line that looks like another end",
        "echo '[exit code: 1]'",
        "[exit code: 1]\n",
    ),
    Row("a background child", "sleep 60 & echo on", "on\n"),
    Row("nohup", "nohup sleep 60 >/dev/null & echo on", "on\n"),
    Row("disown", "sleep 60 & disown; echo on", "on\n"),
    Row("setsid", "setsid sleep 0.3 & echo on", "on\n", needs="setsid"),
    Row("a child that is waited for", "(sleep 0.05; echo a) & wait; echo b", "a\nb\n"),
    Row(
        "a flood in the background",
        "yes >&2 & sleep 0.02; echo on",
        "on\n",
        complains=None,  # on a busy machine it has not begun by then
    ),
    Row("a flood into a closed pipe", "yes | head -n 1", "y\n"),
    Row("reading stdin", "cat; echo on", "on\n"),
    Row("reading a line of it", "read line; echo $?", "1\n"),
    Row("a trap at exit", "trap 'echo bye' EXIT; exit 3", "bye\n", ends=3),
    Row("a signal ignored", "trap '' TERM; kill -TERM $$; echo on", "on\n"),
    Row("a signal trapped", "trap 'echo a; exit 5' TERM; kill -TERM $$", "a\n", ends=5),
    Row("a signal", "kill -TERM $$", signal=15),
    Row("a crash", "kill -SEGV $$", signal=11),
    Row("a child's crash", "sh -c 'kill -9 $$'; echo $?", "137\n", complains=True),
    Row("its own group signalled", "kill -TERM 0", signal=15),
    Row("another PATH", "PATH=/no/such; ls", ends=127, complains=True),
    Row("the PATH is there again", "ls /dev/null", "/dev/null\n"),
    Row("an alias", "alias hi='echo hi'; hi", ends=127, complains=True),
    Row(
        "an alias that was allowed",
        "shopt -s expand_aliases\nalias hi='echo hi'\nhi",
        "hi\n",
    ),
    Row(
        "a Chinese file name",
        "echo 内容 > '文件 名'; cat 文件*; rm '文件 名'",
        "内容\n",
    ),
    Row("a file called -n", "echo a > ./-n; cat -- -n; rm -- -n", "a\n"),
    Row("a folder deleted below it", "mkdir d; cd d; rmdir ../d; echo on", "on\n"),
    Row("a command that looks like an option", "--version", ends=127, complains=True),
    Row("another", "-c", ends=127, complains=True),
    Row("an empty command", ""),
    Row("a comment", "# nothing"),
    Row("newlines and blanks", "\n \t\n"),
    Row("a newline taken back", "echo a \\\n b", "a b\n"),
    Row("percent and backslash", r"""echo '%s %n \n \\'""", "%s %n \\n \\\\\n"),
    Row("a long command", f"echo {'x' * 100_000} | wc -c", "100001\n"),
    Row("no such program", "no-such-program", ends=127, complains=True),
    Row("a folder as a program", "/", ends=126, complains=True),
]
LONG_ROWS = [
    Row("ten megabytes", r"head -c 10000000 /dev/zero | tr '\0' x", "x" * 10_000_000),
    Row("a very long line", f"printf '%0{LONG}d' 0", "0" * LONG),
    Row("many lines", f"yes | head -n {LONG}", "y\n" * LONG),
]


@needs_bash
class AwkwardCommandChecks(unittest.TestCase):
    def run_all(self, rows: list[Row]) -> None:
        tools = [tool(BASH, FULL_ACCESS, NO_FENCE)]
        tools += [
            tool(BASH, WORKSPACE_WRITE, fence)
            for fence in FENCES
            if not fence.why_not()
        ]
        possible = [row for row in rows if shutil.which(row.needs)]
        pairs = [(one, row) for one in tools for row in possible]
        with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
            outcomes = list(pool.map(lambda pair: pair[0].run(pair[1].command), pairs))
        for (one, row), outcome in zip(pairs, outcomes, strict=True):
            with self.subTest(row.name, tool=name_of(one)):
                self.compare(row, outcome, one.fence.keeps("signal", one.policy.mode))

    def compare(self, row: Row, outcome: Outcome, tells_signals: bool) -> None:
        self.assertEqual(outcome.refused, "")
        self.assertIsNone(outcome.timed_out)
        self.assertIsNone(outcome.denied)
        if row.complains is not None:
            self.assertEqual(bool(outcome.stderr), row.complains, outcome.stderr)
        if CONTRACT.left_out.write(outcome.left_out) in outcome.stdout:
            self.compare_ends(row, outcome)
        else:
            self.assertEqual(outcome.stdout, row.stdout)
        self.assertLessEqual(len(render(outcome)), CONTRACT.budget + 100)
        signal = row.signal if tells_signals else None
        self.assertEqual(outcome.signal, signal)
        if row.ends == FAILS:
            self.assertGreater(outcome.exit_code, 0)
        elif row.signal:
            expected = None if tells_signals else 128 + row.signal
            self.assertEqual(outcome.exit_code, expected)
        else:
            self.assertEqual(outcome.exit_code, row.ends)

    def compare_ends(self, row: Row, outcome: Outcome) -> None:
        notice = CONTRACT.left_out.write(outcome.left_out)
        start, found, end = outcome.stdout.partition(f"\n{notice}\n")
        self.assertTrue(found)
        self.assertTrue(row.stdout.startswith(start) and row.stdout.endswith(end))
        self.assertEqual(len(start) + len(end) + outcome.left_out, len(row.stdout))

    def test_every_row(self) -> None:
        """Each of more than sixty awkward commands comes out as bash runs it."""
        self.assertGreater(len(ROWS), 60)
        self.run_all(ROWS)

    def test_long_output(self) -> None:
        """Ten megabytes, one long line and many short ones keep both their ends."""
        self.run_all(LONG_ROWS)
