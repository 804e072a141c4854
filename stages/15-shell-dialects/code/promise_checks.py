"""Checks of promises: each sentence is asked of every tool that states it."""

from __future__ import annotations

import re
import unittest
from dataclasses import fields, replace

from contract import CONTRACT, FULL_ACCESS, MODES, READ_ONLY, WORKSPACE_WRITE
from dialect_check_support import (
    DIALECTS,
    FENCES,
    POSIX,
    broken_everywhere,
    name_of,
    needs_a_fence,
    needs_bash,
    needs_posix,
    stdin_has,
    tool,
    tools,
)
from dialects import BASH, PWSH, STAND_IN, powershell
from fences import BWRAP, NO_FENCE
from markers import Marker
from promises import (
    NOTHING_RUNS,
    PROMISES,
    Promise,
    PromiseError,
    check,
    promises_of,
)
from shell_tool import ShellTool

__all__ = ["BehaviourChecks", "DescriptionChecks", "PromiseChecks"]


class BehaviourChecks(unittest.TestCase):
    """Every promise, asked of real processes for every dialect, mode and fence."""

    def holds(self, key: str) -> None:
        answers = broken_everywhere(key)
        self.assertTrue(answers, f"no tool here promises {key}")
        self.assertEqual({name: b for name, b in answers.items() if b}, {})

    def test_fresh(self) -> None:
        """No folder, variable or function of one call is there in the next."""
        self.holds("fresh")

    def test_workdir(self) -> None:
        """A call starts in its `workdir`, and a wrong one is an error about it."""
        self.holds("workdir")

    def test_no_input(self) -> None:
        """Whoever reads stdin finds its end, and nothing of what the Host's own has."""
        with stdin_has(b"for the Host\n"):
            self.holds("no_input")

    def test_streams(self) -> None:
        """stdout comes first, then stderr under its heading, and silence has a word."""
        self.holds("streams")

    def test_left_out(self) -> None:
        """Both ends are kept within the budget, and the count is exact."""
        self.holds("left_out")

    def test_exit_code(self) -> None:
        """The last line has the number of a failure, and success has no such line."""
        self.holds("exit_code")

    @needs_posix
    def test_signal(self) -> None:
        """A signal's number stands in place of the exit code."""
        self.holds("signal")

    def test_timeout(self) -> None:
        """A late command is killed, what it printed is kept, and the line is there."""
        self.holds("timeout")

    @needs_posix
    def test_background(self) -> None:
        """A child in the background neither delays its call nor outlives it."""
        self.holds("background")

    def test_files(self) -> None:
        """A shell, its child and its grandchild write only where the mode says."""
        self.holds("files")

    @needs_a_fence
    def test_denied(self) -> None:
        """A refused write that makes the command fail is told once, with the mode."""
        self.holds("denied")

    def test_forged(self) -> None:
        """A command that prints a marker does not change what the Host saw."""
        self.holds("forged")

    def test_nothing_runs(self) -> None:
        """Without a fence that holds, a confined mode runs nothing."""
        self.holds("nothing_runs")

    @needs_bash
    def test_bash_own(self) -> None:
        """What bash promises of its own is so."""
        for promise in BASH.own:
            self.holds(promise.key)

    def test_pwsh_own(self) -> None:
        """What PowerShell, or its stand-in, promises of its own is so."""
        if powershell() not in DIALECTS:
            self.skipTest("needs pwsh, or a system that can run its stand-in")
        for promise in PWSH.own:
            self.holds(promise.key)

    def test_none_is_forgotten(self) -> None:
        """Every promise has a test above that asks for it."""
        asked = {name.removeprefix("test_") for name in dir(self) if "test_" in name}
        self.assertLessEqual({p.key for p in (*PROMISES, NOTHING_RUNS)}, asked)


class DescriptionChecks(unittest.TestCase):
    def test_nothing_but_promises(self) -> None:
        """A description is its header and the sentences of promises, nothing else."""
        for one in tools():
            header, *lines = one.description().splitlines()
            sentences = [f"- {p.sentence(one)}" for p in promises_of(one)]
            self.assertEqual(header, one.dialect.header, name_of(one))
            self.assertEqual(lines, sentences, name_of(one))

    def test_both_dialects_say_the_same(self) -> None:
        """Without header and own sentences, the descriptions are the same text."""
        for mode in MODES:
            for fence in FENCES:
                common = set()
                for dialect in (BASH, PWSH, STAND_IN):
                    one = self.described(dialect, mode, fence)
                    own = [f"- {p.sentence(one)}" for p in dialect.own]
                    lines = one.description().splitlines()[1:]
                    if one.runs():
                        self.assertEqual(lines[-len(own) :], own)
                        lines = lines[: -len(own)]
                    common.add("\n".join(lines))
                self.assertEqual(len(common), 1, (mode, fence.name))

    def described(self, dialect, mode, fence) -> ShellTool:
        """A tool that is only asked for its description, so its shell may be absent."""
        policy = tool(DIALECTS[0], mode, fence).policy
        return ShellTool(dialect, policy, fence)

    def test_what_a_model_has_to_know_is_stated(self) -> None:
        """The description has every marker and fixed word, and `workdir` for cd."""
        words = [CONTRACT.no_output, CONTRACT.stderr_heading, "fresh process", "`cd`"]
        words += [CONTRACT.left_out.shown, CONTRACT.exit_code.shown]
        words += [CONTRACT.timed_out.shown, "`workdir`", f"{CONTRACT.budget} char"]
        for one in filter(ShellTool.runs, tools()):
            expected = set(words)
            if one.policy.confined:
                expected.add(CONTRACT.denied.shown)
                expected.add("makes the command fail")
            if POSIX and one.fence is not BWRAP:
                expected.add(CONTRACT.signal.shown)
            told = one.description()
            missing = {word for word in expected if word not in told}
            self.assertEqual(missing, set(), name_of(one))

    def test_every_marker_is_stated_by_a_promise(self) -> None:
        """No marker or fixed word of the contract is left without a sentence."""
        stated = " ".join(promise.words for promise in PROMISES)
        for field in fields(CONTRACT):
            self.assertIn(f"{{{field.name}}}", stated)

    def test_a_changed_contract_changes_words_and_results(self) -> None:
        """With another marker, description and result both have the other one."""
        contract = replace(
            CONTRACT, exit_code=Marker("[ended as {N}]"), no_output="(silence)"
        )
        one = tool(DIALECTS[0], FULL_ACCESS, NO_FENCE)
        other = ShellTool(one.dialect, one.policy, one.fence, contract)
        self.assertIn("[ended as N]", other.description())
        self.assertNotIn("exit code: N", other.description())
        for promise in promises_of(other):
            if promise.key in ("exit_code", "streams"):
                self.assertEqual(promise.broken(other), [])

    def test_what_is_not_kept_is_not_stated(self) -> None:
        """Neither denial nor signal is spoken of where none can come."""
        open_ = tool(DIALECTS[0], FULL_ACCESS, NO_FENCE).description()
        self.assertNotIn("sandbox", open_)
        self.assertIn("not confined", open_)
        closed = tool(DIALECTS[0], READ_ONLY, NO_FENCE).description()
        self.assertIn("not enforced", closed)
        self.assertEqual(len(closed.splitlines()), 2)
        if BWRAP.why_not():
            self.skipTest("needs bubblewrap for the signal")
        fenced = tool(DIALECTS[0], WORKSPACE_WRITE, BWRAP).description()
        self.assertNotIn("signal: N", fenced)

    def test_own_sentences_speak_of_no_marker(self) -> None:
        """What is the contract's is not said a second time by a dialect."""
        one = tool(DIALECTS[0], FULL_ACCESS, NO_FENCE)
        for dialect in (BASH, PWSH):
            for promise in dialect.own:
                said = promise.sentence(one)
                self.assertNotRegex(said, r"[\[\]]|no output|\{")
                self.assertEqual(promise.words, promise.words.format())

    def test_no_full_access_tool_is_fenced(self) -> None:
        """In full access the description is the same whatever the fence is."""
        said = {
            ShellTool(one.dialect, one.policy, fence).description()
            for one in [tool(DIALECTS[0], FULL_ACCESS, NO_FENCE)]
            for fence in FENCES
        }
        self.assertEqual(len(said), 1)


class PromiseChecks(unittest.TestCase):
    def setUp(self) -> None:
        self.tool = tool(DIALECTS[0], FULL_ACCESS, NO_FENCE)

    def test_no_sentence_without_a_behaviour(self) -> None:
        """A promise lacks neither half."""
        for check_ in (None, "by hand", 3):
            with self.assertRaisesRegex(PromiseError, "nothing can show"):
                Promise("new", "a call is quick.", check_)
        for words in ("", "  "):
            with self.assertRaisesRegex(PromiseError, "nobody is told"):
                Promise("new", words, PROMISES[0].check)
        Promise("new", "a call is quick.", PROMISES[0].check)

    def test_a_behaviour_that_asks_nothing_is_broken(self) -> None:
        """A check that yields nothing counts as a broken promise."""
        idle = Promise("idle", "all is well.", lambda tool: iter(()))
        self.assertEqual(idle.broken(self.tool), ["idle: nothing was asked"])

    def test_a_finding_that_is_not_true_is_named(self) -> None:
        """What is broken is told by key and finding, and what is not is not."""
        promise = Promise(
            "half", "half of it.", lambda tool: iter([("one", True), ("two", False)])
        )
        self.assertEqual(promise.broken(self.tool), ["half: two"])

    def test_an_answer_without_sense_is_broken(self) -> None:
        """A check that does not find what it looks for breaks its promise."""
        promise = Promise("odd", "odd.", lambda tool: [("first", bool([][0]))])
        self.assertIn("odd: the answer makes no sense", promise.broken(self.tool)[0])

    def test_a_description_that_drops_a_sentence_is_noticed(self) -> None:
        """`check` compares what is kept with what is said."""

        class Silent(ShellTool):
            def description(self) -> str:
                lines = super().description().splitlines()
                return "\n".join(line for line in lines if "stdin" not in line.lower())

        silent = Silent(self.tool.dialect, self.tool.policy, NO_FENCE)
        self.assertEqual(check(silent), ["no_input: it is not in the description"])

    def test_keys_are_unique(self) -> None:
        """No two promises of a tool have one key, so a fence can tell them apart."""
        keys = [p.key for p in (*PROMISES, NOTHING_RUNS, *BASH.own, *PWSH.own)]
        self.assertEqual(len(keys), len(set(keys)))
        self.assertTrue(all(re.fullmatch("[a-z_]+", key) for key in keys))
