"""Checks of markers, of what is kept of long output, and of the one renderer."""

from __future__ import annotations

import tracemalloc
import unittest
from dataclasses import FrozenInstanceError, fields, replace
from pathlib import Path

from contract import CONTRACT, MODES, Outcome, Policy, PolicyError
from dialect_check_support import scratch
from excerpt import Stream, both_ends
from markers import Marker, MarkerError
from render import render, tool_result

__all__ = ["ContractChecks", "ExcerptChecks", "MarkerChecks", "RenderChecks"]

MARKERS = [
    marker
    for marker in (getattr(CONTRACT, field.name) for field in fields(CONTRACT))
    if isinstance(marker, Marker)
]
BLANKS = ("", "\n", " \n\t\n", "\r\n")


class MarkerChecks(unittest.TestCase):
    def test_the_vocabulary(self) -> None:
        """Markers and fixed words are shown as the course fixed them."""
        self.assertEqual(CONTRACT.exit_code.shown, "[exit code: N]")
        self.assertEqual(CONTRACT.signal.shown, "[killed by signal: N]")
        self.assertEqual(CONTRACT.timed_out.shown, "[timed out after Nms]")
        denied = "[sandbox: file access denied under <mode> mode]"
        self.assertEqual(CONTRACT.denied.shown, denied)
        self.assertEqual(CONTRACT.stderr_heading, "[stderr]")
        self.assertEqual(CONTRACT.no_output, "(no output)")

    def test_what_is_written_can_be_read(self) -> None:
        """Reading a line gives back what was written into it."""
        for marker in MARKERS:
            values = MODES if marker == CONTRACT.denied else ("0", "7", "4294967295")
            for value in values:
                self.assertEqual(marker.read(marker.write(value)), value)

    def test_no_line_is_two_markers(self) -> None:
        """A line that one marker wrote is read by no other."""
        for marker in MARKERS:
            line = marker.write("read-only" if marker == CONTRACT.denied else 1)
            readers = [other for other in MARKERS if other.read(line) is not None]
            self.assertEqual(readers, [marker])

    def test_nearly_a_marker_is_none(self) -> None:
        """Only a whole line of exactly this form is read."""
        marker = CONTRACT.exit_code
        self.assertEqual(marker.read("[exit code: 12]"), "12")
        for line in (
            "[exit code: N]",
            "[exit code: ]",
            "[exit code: -1]",
            "[exit code: 01]",
            "[exit code: ٣]",
            "[exit code: 3] ",
            "[exit code: 3]\n",
            "x[exit code: 3]",
            "[EXIT CODE: 3]",
        ):
            self.assertIsNone(marker.read(line), line)

    def test_what_cannot_be_read_is_not_written(self) -> None:
        """A value that would break the line, or forge another, is refused."""
        for value in (-1, 1.5, True, None, "", "3]\n[exit code: 0", "read only"):
            with self.assertRaises(MarkerError):
                CONTRACT.exit_code.write(value)
        for value in ("Read-Only", "read-only mode]\n[x", 3, ""):
            with self.assertRaises(MarkerError):
                CONTRACT.denied.write(value)

    def test_a_template_is_one_line_with_one_blank(self) -> None:
        """Whatever else is called a template is refused."""
        self.assertEqual(Marker("[a.b {N}]").read("[a.b 3]"), "3")
        self.assertIsNone(Marker("[a.b {N}]").read("[axb 3]"))
        for template in (
            "",
            "[exit code]",
            "exit code: {N}",
            "[{N} of {N}]",
            "[{n}]",
            "[{}]",
            "[a\n{N}]",
            "[a {N}",
        ):
            with self.assertRaises(MarkerError):
                Marker(template)


class ContractChecks(unittest.TestCase):
    def test_a_policy_is_a_mode_and_a_folder(self) -> None:
        """Three modes and an existing folder make a policy, and nothing else does."""
        folder = scratch()
        for mode in MODES:
            self.assertEqual(Policy(mode, folder).workspace, folder)
        self.assertEqual(Policy(MODES[0], str(folder)).workspace, folder)
        for mode in ("", "full", "READ-ONLY", "read_only", None):
            with self.assertRaises(PolicyError):
                Policy(mode, folder)
        for workspace in (folder / "missing", Path(__file__)):
            with self.assertRaises(PolicyError) as caught:
                Policy(MODES[0], workspace)
            self.assertNotIn(str(folder), str(caught.exception))

    def test_the_default_timeout_is_within_its_limits(self) -> None:
        """A contract whose default is not allowed itself is none."""
        longest = CONTRACT.longest_timeout_ms
        self.assertEqual(replace(CONTRACT, default_timeout_ms=longest).budget, 20_000)
        for default in (0, -1, longest + 1):
            with self.assertRaises(ValueError):
                replace(CONTRACT, default_timeout_ms=default)

    def test_the_words_fit_into_the_budget(self) -> None:
        """Words that leave no room for a heading and a notice make no contract."""
        long = "x" * 70
        for words in (
            {"stderr_heading": long},
            {"left_out": Marker(f"[{long} {{N}}]")},
            {"no_output": long},
        ):
            with self.assertRaisesRegex(ValueError, "budget must be"):
                replace(CONTRACT, budget=60, **words)
            # The control: where there is room, the budget is kept.
            contract = replace(CONTRACT, budget=200, **words)
            out, err, left_out = both_ends(stream("o" * 999), stream("e"), contract)
            outcome = Outcome(stdout=out, stderr=err, left_out=left_out)
            self.assertLessEqual(len(render(outcome, contract)), 200)
            self.assertLessEqual(len(render(Outcome(), contract)), 200)

    def test_values_do_not_change(self) -> None:
        """Policy, contract and outcome are fixed once they are made."""
        for value, name in (
            (Policy(MODES[0], scratch()), "mode"),
            (CONTRACT, "budget"),
            (Outcome(), "exit_code"),
        ):
            with self.assertRaises(FrozenInstanceError):
                setattr(value, name, 1)


def stream(text: str, size: int = 65_536, words: tuple[str, ...] = ()) -> Stream:
    """A stream that got this text, in pieces of so many bytes."""
    made = Stream(CONTRACT.budget, words)
    data = text.encode("utf-8", "surrogateescape")
    for start in range(0, len(data), size):
        made.feed(data[start : start + size])
    made.feed(b"", final=True)
    return made


class ExcerptChecks(unittest.TestCase):
    def kept(self, stdout: str, stderr: str = "", **changes: int) -> Outcome:
        contract = replace(CONTRACT, **changes)
        out, err, left_out = both_ends(stream(stdout), stream(stderr), contract)
        outcome = Outcome(stdout=out, stderr=err, left_out=left_out, exit_code=0)
        self.assertLessEqual(len(render(outcome, contract)), contract.budget)
        if left_out:
            notice = contract.left_out.write(left_out)
            self.assertEqual((out + err).count(f"\n{notice}\n"), 1)
            inserted = len(notice) + 2
            self.assertEqual(
                len(out) + len(err) - inserted + left_out, len(stdout) + len(stderr)
            )
        return outcome

    def test_little_is_kept_whole(self) -> None:
        """Up to the budget nothing is left out, and above it something is."""
        with self.assertRaises(ValueError):
            replace(CONTRACT, budget=59)
        for length in (0, 1, 99, 100):
            self.assertEqual(self.kept("x" * length, budget=100).stdout, "x" * length)
        self.assertGreater(self.kept("x" * 101, budget=100).left_out, 0)

    def test_the_heading_counts(self) -> None:
        """With stderr beside it, its heading takes as much of the budget as it has."""
        heading = len(f"\n{CONTRACT.stderr_heading}\n")
        room = 100 - heading
        self.assertEqual(self.kept("o" * (room - 1), "e", budget=100).left_out, 0)
        self.assertGreater(self.kept("o" * room, "e", budget=100).left_out, 0)

    def test_both_ends_of_stdout(self) -> None:
        """Of a long stdout its ends are kept, about as much of each, around the gap."""
        outcome = self.kept("a" * 500 + "b" * 500, budget=100)
        start, notice, end = outcome.stdout.split("\n")
        self.assertEqual((set(start), set(end)), ({"a"}, {"b"}))
        self.assertLessEqual(abs(len(start) - len(end)), 1)
        self.assertEqual(CONTRACT.left_out.read(notice), str(outcome.left_out))

    def test_a_short_stream_survives_a_long_one(self) -> None:
        """Whichever stream is short is kept whole beside a long one."""
        outcome = self.kept("o" * 1000, "why it failed", budget=200)
        self.assertEqual(outcome.stderr, "why it failed")
        outcome = self.kept("what it did", "e" * 1000, budget=200)
        self.assertEqual(outcome.stdout, "what it did")
        self.assertTrue(outcome.stderr.startswith("e"))

    def test_of_two_long_streams_one_gap(self) -> None:
        """Of two long streams the start of one and the end of the other are kept."""
        outcome = self.kept("o" * 1000, "e" * 1000, budget=200)
        self.assertEqual(set(outcome.stdout.split("\n")[0]), {"o"})
        self.assertEqual(set(outcome.stderr), {"e"})
        heading = f"\n{CONTRACT.stderr_heading}\n"
        self.assertIn(heading, render(outcome))

    def test_every_split_is_within_the_budget(self) -> None:
        """Wherever the border lies between the streams, budget and count are exact."""
        for out in range(0, 260, 13):
            for err in range(0, 260, 13):
                self.kept("o" * out, "e" * err, budget=120)
                self.kept("o" * out, "e" * err, budget=60)

    def test_characters_are_counted_and_not_bytes(self) -> None:
        """A character in two reads is one, and what is no UTF-8 is one each."""
        text = "林🐍é" * 50
        for size in (1, 2, 3, 7):
            self.assertEqual(stream(text, size).whole(), text)
            self.assertEqual(stream(text, size).length, len(text))
        self.assertEqual(stream("a\udcffb\udcfe").whole(), "a\ufffdb\ufffd")
        self.assertEqual(stream("\udce4\udcbd").whole(), "\ufffd")

    def test_nothing_is_taken_after_the_end(self) -> None:
        """What comes when the call is over changes nothing."""
        ended = stream("all")
        ended.feed(b"more")
        self.assertEqual((ended.whole(), ended.length), ("all", 3))

    def test_a_word_is_heard_wherever_it_falls(self) -> None:
        """A word in two reads, in another case, or in what is left out is heard."""
        words = ("permission denied",)
        for size in (1, 5, 16, 65_536):
            for text in ("x" * 90_000, ""):
                loud = f"{text}PERMISSION Denied{text}"
                self.assertTrue(stream(loud, size if text == "" else 4096, words).heard)
        self.assertFalse(stream("permission granted", 1, words).heard)
        self.assertFalse(stream("permission denied").heard)

    def test_memory_does_not_grow_with_the_output(self) -> None:
        """Of thirty million characters only the ends are in memory."""
        chunk = b"x" * 65_536
        tracemalloc.start()
        self.addCleanup(tracemalloc.stop)
        long = Stream(CONTRACT.budget)
        for _ in range(450):
            long.feed(chunk)
        self.assertEqual(long.length, 450 * 65_536)
        self.assertLess(tracemalloc.get_traced_memory()[1], 2_000_000)


class RenderChecks(unittest.TestCase):
    def lines(self, **facts: object) -> list[str]:
        return render(Outcome(**facts)).split("\n")

    def test_success_is_its_output_alone(self) -> None:
        """With an exit code of 0 there is no line below the output."""
        self.assertEqual(self.lines(stdout="one\n", exit_code=0), ["one"])
        self.assertEqual(self.lines(exit_code=0), ["(no output)"])

    def test_a_failure_is_the_last_line(self) -> None:
        """The exit code stands below the output, whether that ended its line or not."""
        for stdout in ("one\n", "one"):
            for number in range(1, 256):
                lines = self.lines(stdout=stdout, exit_code=number)
                self.assertEqual(lines, ["one", f"[exit code: {number}]"])

    def test_a_signal_stands_for_the_exit_code(self) -> None:
        """Of a signal and an exit code only the signal is written."""
        for number in range(1, 65):
            lines = self.lines(signal=number, exit_code=128 + number)
            self.assertEqual(lines, ["(no output)", f"[killed by signal: {number}]"])

    def test_the_order(self) -> None:
        """Body, denial, timeout, and how it ended stand in this order, each once."""
        lines = self.lines(
            stdout="out\n", stderr="err\n", denied="read-only", timed_out=5, signal=9
        )
        expected = ["out", "[stderr]", "err"]
        expected.append("[sandbox: file access denied under read-only mode]")
        expected += ["[timed out after 5ms]", "[killed by signal: 9]"]
        self.assertEqual(lines, expected)

    def test_blanks_are_no_output(self) -> None:
        """A body of blanks reads as no output, also above another line."""
        for out in BLANKS:
            for err in BLANKS:
                lines = self.lines(stdout=out, stderr=err, exit_code=1)
                self.assertEqual(lines, ["(no output)", "[exit code: 1]"])
        self.assertEqual(self.lines(stdout=" ", stderr="e"), [" ", "[stderr]", "e"])
        self.assertEqual(self.lines(stdout="o", stderr=" "), ["o", "[stderr]", " "])

    def test_only_the_end_of_the_last_line_goes(self) -> None:
        """Empty lines and blanks within the output are kept as they are."""
        self.assertEqual(self.lines(stdout="\n a \n\n"), ["", " a ", ""])
        self.assertEqual(render(Outcome(stdout="a\r\nb\r\n")), "a\r\nb")

    def test_stderr_alone_has_its_heading(self) -> None:
        """Without stdout the heading is the first line."""
        self.assertEqual(self.lines(stderr="err"), ["[stderr]", "err"])

    def test_only_a_refusal_to_run_is_an_error(self) -> None:
        """A failure, a denial and a timeout are results; what was not run is none."""
        for outcome in (
            Outcome(exit_code=1),
            Outcome(exit_code=1, denied="read-only"),
            Outcome(timed_out=5, signal=9),
        ):
            self.assertFalse(tool_result(outcome)["is_error"])
        refused = tool_result(Outcome(refused="workdir is missing"))
        self.assertEqual(
            refused, {"content": "not run: workdir is missing", "is_error": True}
        )
