"""Checks of the tool definitions, the turn, the scripted client, and the demo."""

from __future__ import annotations

import asyncio
import copy
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
from dataclasses import asdict, dataclass, is_dataclass, replace
from pathlib import Path

from agent_turn import NOT_OFFERED, NOT_RUN, run_turn, run_turn_async
from executors import LocalExecutor
from process_check_support import (
    CODE,
    NO_POSIX,
    demo_environment,
    file_name,
    link_programs,
    run_demo,
    search_path,
    wait_until,
    why_no_fence,
    words_of,
    write_program,
)
from request_check_support import Refused, check_request
from scripted_client import (
    Answer,
    AsyncScriptedClient,
    ScriptedClient,
    ScriptEnded,
    Text,
    ToolUse,
)
from tools import describe, tool_definitions
from twoshell_guard import CONTRACT, LANGUAGES, PROBE, WS_NAME, Execution, fingerprint

__all__ = [
    "AsyncTurnChecks",
    "DemoChecks",
    "RequestRuleChecks",
    "ScriptedClientChecks",
    "ToolDefinitionChecks",
    "TurnChecks",
]

QUESTION = {"role": "user", "content": "What is in my notes?"}
READ = {"command": 'cat "$HOME/mnt/Workspace/notes.txt"'}
NEEDED = ("sh", "bash", "ls", "head", "cat", "touch", "uname", "sleep")
WHY_NO_FENCE = why_no_fence() if os.name == "posix" else NO_POSIX


@dataclass(frozen=True)
class Thinking:
    """What the model thinks, as the SDK has it."""

    thinking: str
    signature: str
    type: str = "thinking"


@dataclass(frozen=True)
class RedactedThinking:
    """The same where the service hides it."""

    data: str
    type: str = "redacted_thinking"


THOUGHT = Thinking("The notes, then.", "c2lnbmVk")
HIDDEN_THOUGHT = RedactedThinking("aGlkZGVu")


class ToolDefinitionChecks(unittest.TestCase):
    """What the model reads about the tools, and where it comes from."""

    def described(self, language="en", **changes):
        """The description of `run_in_sandbox` with a changed contract."""
        contract = replace(CONTRACT["run_in_sandbox"], **changes)
        (tool,) = tool_definitions({"run_in_sandbox": contract}, language)
        return tool["description"]

    def test_each_contract_gives_a_tool(self):
        """Each contract becomes one tool of its name, in the same order."""
        for language in LANGUAGES:
            tools = tool_definitions(CONTRACT, language)
            self.assertEqual([tool["name"] for tool in tools], list(CONTRACT))
        self.assertEqual(tool_definitions({}), [])

    def test_input_is_one_command(self):
        """The schema is an object with one required string, and nothing else."""
        for language in LANGUAGES:
            for tool in tool_definitions(CONTRACT, language):
                schema = copy.deepcopy(tool["input_schema"])
                self.assertTrue(schema["properties"]["command"].pop("description"))
                self.assertEqual(
                    schema,
                    {
                        "type": "object",
                        "properties": {"command": {"type": "string"}},
                        "required": ["command"],
                        "additionalProperties": False,
                    },
                )

    def test_a_changed_contract_changes_the_description(self):
        """Each field of a contract has its part in the description."""
        changes = (
            {},
            {"sees": "workspace"},
            {"sees": "workspace", "needs_workspace": True},
            {"runs": "desktop"},
        )
        for language in LANGUAGES:
            texts = {self.described(language, **change) for change in changes}
            self.assertEqual(len(texts), 4, language)

    def test_a_changed_contract_changes_the_facts(self):
        """What the words say follows the contract: place, sight, deletion, network."""
        cloud = self.described()
        desktop = self.described(runs="desktop", sees="workspace")
        for words, texts in {
            "on the cloud side": (cloud,),
            "on the user's own computer": (desktop,),
            "cannot see the workspace": (cloud,),
            "can see the workspace": (desktop,),
            "and the other files of its account": (desktop,),
            "cannot delete files of the user": (cloud,),
            "can delete what it can see": (desktop,),
            "network may be restricted": (cloud, desktop),
        }.items():
            for text in (cloud, desktop):
                self.assertEqual(words in text, text in texts, words)
        needs = self.described(sees="workspace", needs_workspace=True)
        self.assertIn("call is refused", needs)
        self.assertNotIn("call is refused", cloud)

    def test_each_language_says_as_much(self):
        """Every description has five sentences and the variable, in each language."""
        ends = {"en": r"\.( |$)", "zh-CN": "。", "ja": "。"}
        counts = {"en": 5, "zh-CN": 5, "ja": 5}
        for language in LANGUAGES:
            for sees in ("workspace", "nothing of yours"):
                text = self.described(language, sees=sees)
                found = len(re.findall(ends[language], text))
                self.assertGreaterEqual(found, counts[language])
                for place in ("$HOME/mnt/Workspace", "/sessions/*/mnt/Workspace"):
                    self.assertEqual(text.count(place), 1)

    def test_both_places_of_the_guard_are_named(self):
        """The workspace is described where the guard's own probe looks for it."""
        places = re.findall(r'(\S+/mnt/)"?\$1', PROBE)
        self.assertEqual(places, ["/sessions/*/mnt/", '"${HOME:-.}/mnt/'])
        for language in LANGUAGES:
            for tool in tool_definitions(CONTRACT, language):
                for place in ("/sessions/*/mnt/", "$HOME/mnt/"):
                    self.assertIn(f"{place}{WS_NAME}", tool["description"])

    def test_a_command_is_said_to_start_anew(self):
        """What no call keeps or leaves running is said with the command."""
        for language, words in {
            "en": (
                "without input",
                "cd is forgotten",
                "in the background is ended",
                "setsid, set -m, timeout) may live on",
            ),
            "zh-CN": (
                "没有输入",
                "cd 不会保留",
                "后台运行的会被终止",
                "timeout）则可能继续运行",
            ),
            "ja": (
                "入力なし",
                "cd は引き継がれず",
                "バックグラウンドに残した",
                "timeout）は残ることが",
            ),
        }.items():
            for tool in tool_definitions(CONTRACT, language):
                command = tool["input_schema"]["properties"]["command"]
                for word in words:
                    self.assertIn(word, command["description"])

    def test_languages_differ(self):
        """Descriptions and schemas are in the language that was asked for."""
        english, chinese, japanese = (
            str(tool_definitions(CONTRACT, language)) for language in LANGUAGES
        )
        self.assertNotRegex(english, r"[^\x00-\x7f]")
        self.assertRegex(chinese, "工作区")
        self.assertNotRegex(chinese, r"[\u3040-\u30ff]")
        self.assertRegex(japanese, r"[\u3040-\u30ff]")

    def test_no_real_path_is_told(self):
        """The workspace is named by variable and pattern; there is no other path."""
        for language in LANGUAGES:
            text = str(tool_definitions(CONTRACT, language))
            self.assertIn("$HOME/mnt/Workspace", text)
            paths = re.sub(r"(\$HOME|/sessions/\*)/mnt/Workspace", "", text)
            self.assertNotRegex(paths, r"[/\\~][A-Za-z]")

    def test_what_has_no_words_is_refused(self):
        """A value or a language without words is a `ValueError` that says which."""
        with self.assertRaisesRegex(ValueError, "'moon'"):
            self.described(runs="moon")
        with self.assertRaisesRegex(ValueError, "workspace"):
            self.described(sees=["workspace"])
        for language in ("zh", ["en"], None):
            with self.assertRaisesRegex(ValueError, "zh-CN"):
                tool_definitions({}, language)
            with self.assertRaisesRegex(ValueError, "zh-CN"):
                describe(CONTRACT["run_in_sandbox"], language)

    def test_a_contract_that_contradicts_itself_is_refused(self):
        """What needs the workspace and does not see it gets no description."""
        for language in LANGUAGES:
            with self.assertRaisesRegex(ValueError, "must say that it sees it"):
                self.described(language, needs_workspace=True)


class ScriptedClientChecks(unittest.TestCase):
    """The counterpart that takes the place of a model."""

    def test_answers_come_in_turn(self):
        """Each request gets the next answer, and one too many is an error."""
        client = ScriptedClient(Answer([Text("one")]), Answer([], "max_tokens"))
        self.assertEqual(client.messages.create().content[0].text, "one")
        self.assertEqual(client.messages.create().stop_reason, "max_tokens")
        with self.assertRaises(ScriptEnded):
            client.messages.create()
        self.assertEqual(len(client.requests), 2)

    def test_requests_are_kept_as_they_were(self):
        """What is appended to the messages later does not change a kept request."""
        client = ScriptedClient(Answer([Text("one")]))
        messages = [QUESTION]
        client.messages.create(messages=messages)
        messages.append(QUESTION)
        self.assertEqual(client.requests, [{"messages": [QUESTION]}])


def plain(value):
    """A request as the service would get it: the client's blocks become objects."""
    if is_dataclass(value):
        return asdict(value)
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list) else value


class WithDesktop(unittest.TestCase):
    """A home with a workspace, and both tools wired to it."""

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory(prefix=file_name("turn 回合 "))
        cls.addClassCleanup(scratch.cleanup)
        cls.home = Path(scratch.name).resolve()
        workspace = cls.home / "mnt" / "Workspace"
        workspace.mkdir(parents=True)
        notes = workspace / "notes.txt"
        notes.write_text("Call the printer 打印机.\n", encoding="utf-8")
        # Where `python3` is a version manager's, asking for its version is slow.
        programs = cls.home / "programs"
        programs.mkdir()
        link_programs(programs, *NEEDED)
        path = search_path(programs, only=True)
        path.__enter__()
        cls.addClassCleanup(path.__exit__, None, None, None)
        desktop = LocalExecutor(cls.home)
        cls.fps = dict.fromkeys(CONTRACT, fingerprint(desktop))
        cls.executors = dict.fromkeys(CONTRACT, desktop)

    def turn(self, *content, stop_reason="tool_use", **options):
        """Run one turn; its client, and the messages after it."""
        client = ScriptedClient(Answer(content, stop_reason))
        messages = [QUESTION]
        self.reason = run_turn(client, messages, self.fps, self.executors, **options)
        return client, messages

    def result_of(self, name, arguments, **options):
        """The one result of a turn with one call."""
        _, messages = self.turn(ToolUse("toolu_1", name, arguments), **options)
        (result,) = messages[-1]["content"]
        return result


@unittest.skipUnless(os.name == "posix", NO_POSIX)
class TurnChecks(WithDesktop):
    """One turn with a scripted client and a real shell."""

    def test_all_calls_are_answered_in_one_message(self):
        """Results of several calls, also of the same tool, come in their order."""
        names = ("run_on_desktop", "run_in_sandbox", "run_on_desktop")
        calls = [
            ToolUse(f"toolu_{number}", name, {"command": f"echo {number}"})
            for number, name in enumerate(names)
        ]
        _, messages = self.turn(Text("I will look."), *calls)
        self.assertEqual(self.reason, "tool_use")
        self.assertEqual(messages[1]["role"], "assistant")
        self.assertEqual(messages[1]["content"], [Text("I will look."), *calls])
        results = [
            {"type": "tool_result", "tool_use_id": f"toolu_{n}", "content": f"{n}"}
            for n in range(3)
        ]
        self.assertEqual(messages[2:], [{"role": "user", "content": results}])

    def test_the_conversation_goes_on(self):
        """The next request carries call and result, and the last words end it."""
        client = ScriptedClient(
            Answer([ToolUse("toolu_1", "run_on_desktop", READ)], "tool_use"),
            Answer([Text("To call the printer.")]),
        )
        messages = [QUESTION]
        reasons = [
            run_turn(client, messages, self.fps, self.executors) for _ in range(2)
        ]
        self.assertEqual(reasons, ["tool_use", "end_turn"])
        for request in client.requests:
            check_request(plain(request))
        (result,) = client.requests[1]["messages"][-1]["content"]
        self.assertIn("打印机", result["content"])
        self.assertEqual(len(messages), 4)

    def test_a_turn_without_calls_adds_one_message(self):
        """Words alone are appended, and no empty message of results."""
        _, messages = self.turn(Text("Hello."), stop_reason="end_turn")
        self.assertEqual(
            messages, [QUESTION, {"role": "assistant", "content": [Text("Hello.")]}]
        )
        self.assertEqual(self.reason, "end_turn")

    def test_every_failure_is_a_result(self):
        """An unknown tool and any input that is no command are error results."""
        cases = [
            ("delete_everything", READ),
            ("", READ),
            ("run_on_desktop", {}),
            ("run_on_desktop", {"cmd": "echo hi"}),
            ("run_on_desktop", {"command": ["echo", "hi"]}),
            ("run_on_desktop", {"command": None}),
            ("run_on_desktop", {"command": "echo \0"}),
            ("run_on_desktop", "echo hi"),
            ("run_on_desktop", ["command"]),
            ("run_on_desktop", None),
            ("run_on_desktop", {"command": "exit 3"}),
            (["run_on_desktop"], READ),
            (None, READ),
            ("run_on\ud800", READ),
        ]
        for name, arguments in cases:
            with self.subTest(name=name, arguments=arguments):
                result = self.result_of(name, arguments)
                self.assertIs(result["is_error"], True)
                self.assertEqual(result["tool_use_id"], "toolu_1")
                self.assertTrue(result["content"].strip())
                json.dumps(result, ensure_ascii=False).encode()
        self.assertNotIn("is_error", self.result_of("run_on_desktop", READ))

    def test_a_tool_that_is_not_offered_is_called_so(self):
        """The result says that the tool is not offered, and which ones are."""
        for language in LANGUAGES:
            for name in ("delete_everything", "x" * 20_000):
                said = self.result_of(name, READ, language=language)["content"]
                offered = ", ".join(CONTRACT)
                self.assertEqual(said, NOT_OFFERED[language].format(offered=offered))
        self.assertIn("is not offered", NOT_OFFERED["en"])

    def test_only_our_tools_are_called_by_us(self):
        """What the service itself runs, and answers, gets no result of ours."""
        theirs = ToolUse("srvtoolu_1", "run_on_desktop", READ, "server_tool_use")
        ours = ToolUse("toolu_1", "run_on_desktop", READ)
        _, messages = self.turn(theirs, ours)
        self.assertEqual(messages[1]["content"], [theirs, ours])
        (result,) = messages[2]["content"]
        self.assertEqual(result["tool_use_id"], "toolu_1")
        _, messages = self.turn(theirs, stop_reason="end_turn")
        self.assertEqual(len(messages), 2)

    def test_one_failure_leaves_the_others(self):
        """A call that fails in the middle does not keep the next from running."""
        _, messages = self.turn(
            ToolUse("toolu_1", "no_such_tool", READ),
            ToolUse("toolu_2", "run_on_desktop", READ),
        )
        failed, fine = messages[-1]["content"]
        self.assertIs(failed["is_error"], True)
        self.assertNotIn("is_error", fine)

    def test_only_wired_tools_are_offered(self):
        """A tool without a fingerprint is not offered, and a call of it not run."""
        made = self.home / "made"
        command = {"command": f'echo > "{words_of(made)}"; echo done'}
        call = ToolUse("toolu_1", "run_in_sandbox", command)
        fps = {"run_on_desktop": self.fps["run_on_desktop"]}
        client, messages = ScriptedClient(Answer([call], "tool_use")), [QUESTION]
        run_turn(client, messages, fps)
        (offered,) = client.requests[0]["tools"]
        self.assertEqual(offered["name"], "run_on_desktop")
        (result,) = messages[-1]["content"]
        self.assertIs(result["is_error"], True)
        self.assertEqual(
            result["content"], NOT_OFFERED["en"].format(offered="run_on_desktop")
        )
        self.assertFalse(made.exists())
        self.addCleanup(made.unlink, missing_ok=True)
        self.assertNotIn("is_error", self.result_of("run_in_sandbox", command))
        self.assertTrue(made.exists())

    def test_cut_off_calls_are_not_run(self):
        """Unless the model stopped to use tools, calls are answered and not run."""
        made = self.home / "made"
        self.addCleanup(made.unlink, missing_ok=True)
        call = ToolUse(
            "toolu_1",
            "run_on_desktop",
            {"command": f'echo > "{words_of(made)}"; echo done'},
        )
        for reason in ("max_tokens", "refusal", "pause_turn", "end_turn", None):
            for language in LANGUAGES:
                client, messages = self.turn(
                    call, stop_reason=reason, language=language
                )
                (result,) = messages[-1]["content"]
                self.assertIs(result["is_error"], True)
                said = NOT_RUN[language].format(tool=call.name, reason=reason)
                self.assertEqual(result["content"], said)
                self.assertFalse(made.exists())
                check_request(plain({**client.requests[0], "messages": messages}))
        self.turn(call)
        self.assertTrue(made.exists())

    def test_a_cut_off_name_is_shown_harmlessly_and_in_part(self):
        """Whatever a model wrote for a name, the result can be sent, and is short."""
        for name in ("x\ud800", "\u202e\x1b[2J", "y" * 20_000, ["l"], None):
            content = self.result_of(name, READ, stop_reason="max_tokens")["content"]
            content.encode("ascii")
            self.assertTrue(content.isprintable())
            self.assertLess(len(content), 300)
        for length in (128, 129):
            name = "y" * length
            content = self.result_of(name, READ, stop_reason="max_tokens")["content"]
            self.assertTrue(content.startswith(f"{name[:128]} was not run"))

    def test_blank_words_are_left_out(self):
        """What the service sends and does not take back is not appended."""
        for content in ([], [Text("")], [Text(" \n")]):
            _, messages = self.turn(*content, stop_reason="end_turn")
            self.assertEqual(messages, [QUESTION])
        call = ToolUse("toolu_1", "run_on_desktop", READ)
        _, messages = self.turn(Text(""), call)
        self.assertEqual(messages[1]["content"], [call])

    def test_thinking_at_the_end_is_left_out(self):
        """A message that ends in thinking is not taken back, so the end goes."""
        for content in ([THOUGHT], [HIDDEN_THOUGHT], [THOUGHT, Text(" ")]):
            for reason in ("max_tokens", "end_turn"):
                _, messages = self.turn(*content, stop_reason=reason)
                self.assertEqual(messages, [QUESTION])
        _, messages = self.turn(THOUGHT, Text("Hello."), THOUGHT, Text(""))
        self.assertEqual(messages[1]["content"], [THOUGHT, Text("Hello.")])
        call = ToolUse("toolu_1", "run_on_desktop", READ)
        client, messages = self.turn(THOUGHT, call, THOUGHT)
        self.assertEqual(messages[1]["content"], [THOUGHT, call])
        self.assertEqual(len(messages[2]["content"]), 1)
        check_request(plain({**client.requests[0], "messages": messages}))

    def test_calls_of_one_id_are_both_answered(self):
        """What the service never sends is not mended, as the docstring says."""
        call = ToolUse("toolu_1", "run_on_desktop", READ)
        client, messages = self.turn(call, call)
        self.assertEqual(len(messages[-1]["content"]), 2)
        with self.assertRaises(Refused):
            check_request(plain({**client.requests[0], "messages": messages}))

    def test_a_failed_request_adds_nothing(self):
        """What the client raises goes through, and the messages are as before."""
        messages = [QUESTION]
        with self.assertRaises(ScriptEnded):
            run_turn(ScriptedClient(), messages, self.fps, self.executors)
        self.assertEqual(messages, [QUESTION])

    def test_an_interrupted_turn_adds_nothing(self):
        """After Ctrl-C during a command no call is left without its result."""

        class Interrupted(LocalExecutor):
            def run(self, argv, timeout_seconds):
                if "stop here" in argv[-1]:
                    raise KeyboardInterrupt
                return super().run(argv, timeout_seconds)

        executors = dict.fromkeys(CONTRACT, Interrupted(self.home))
        calls = [
            ToolUse("toolu_1", "run_on_desktop", READ),
            ToolUse("toolu_2", "run_on_desktop", {"command": "echo stop here"}),
        ]
        messages = [QUESTION]
        with self.assertRaises(KeyboardInterrupt):
            run_turn(
                ScriptedClient(Answer(calls, "tool_use")),
                messages,
                self.fps,
                executors,
            )
        self.assertEqual(messages, [QUESTION])

    def test_wrong_wiring_is_found_before_anything_is_sent(self):
        """Unknown tools, a missing executor and an unknown language are errors."""
        fps, executors = self.fps, self.executors
        one = {"run_on_desktop": executors["run_on_desktop"]}
        for fingerprints, wired, language in (
            ({**fps, "no_such_tool": {}}, None, "en"),
            (fps, one, "en"),
            (fps, {}, "en"),
            (fps, {**executors, "run_on_desktop": None}, "en"),
            ({**fps, "run_on_desktop": None}, None, "en"),
            ({"run_on_desktop": fps["run_on_desktop"]}, executors, "en"),
            (fps, executors, "fr"),
        ):
            client = ScriptedClient(Answer([Text("Hello.")]))
            with self.assertRaises(ValueError):
                run_turn(client, [QUESTION], fingerprints, wired, language=language)
            self.assertEqual(client.requests, [])

    def test_a_swapped_executor_is_refused(self):
        """With executors the host is compared with the fingerprint's, before a run."""

        class Elsewhere:
            name = "elsewhere"

            def run(self, argv, timeout_seconds):
                done = desktop.run(argv, timeout_seconds)
                host = self.host.encode()
                renamed = done.stdout.replace(host, b"elsewhere")
                return Execution(done.returncode, renamed, done.stderr)

        desktop = self.executors["run_on_desktop"]
        elsewhere = Elsewhere()
        elsewhere.host = self.fps["run_on_desktop"]["host"]
        swapped = {**self.executors, "run_on_desktop": elsewhere}
        call = ToolUse("toolu_1", "run_on_desktop", READ)
        messages = [QUESTION]
        client = ScriptedClient(Answer([call], "tool_use"))
        run_turn(client, messages, self.fps, swapped)
        (result,) = messages[-1]["content"]
        self.assertIs(result["is_error"], True)
        self.assertIn("elsewhere", result["content"])
        self.assertNotIn("is_error", self.result_of("run_on_desktop", READ))

    def test_each_tool_runs_where_it_is_wired(self):
        """Two tools with two executors run each on its own."""
        with tempfile.TemporaryDirectory() as other:
            second = LocalExecutor(Path(other))
            executors = {**self.executors, "run_in_sandbox": second}
            fps = {**self.fps, "run_in_sandbox": fingerprint(second)}
            calls = [
                ToolUse("toolu_1", "run_in_sandbox", {"command": 'echo "$HOME"'}),
                ToolUse("toolu_2", "run_on_desktop", {"command": 'echo "$HOME"'}),
            ]
            messages = [QUESTION]
            run_turn(
                ScriptedClient(Answer(calls, "tool_use")), messages, fps, executors
            )
        homes = [result["content"] for result in messages[-1]["content"]]
        self.assertEqual(homes, [other, words_of(self.home)])

    def test_options_reach_the_request(self):
        """Model, limit and language are what the client is asked with."""
        for language in LANGUAGES:
            client, messages = self.turn(
                ToolUse("toolu_1", "run_on_desktop", {"command": "true"}),
                model="some-model",
                max_tokens=77,
                language=language,
            )
            (request,) = client.requests
            self.assertEqual(request["model"], "some-model")
            self.assertEqual(request["max_tokens"], 77)
            self.assertEqual(request["tools"], tool_definitions(CONTRACT, language))
            (result,) = messages[-1]["content"]
            foreign = re.search(r"[^\x00-\x7f]", result["content"])
            self.assertEqual(bool(foreign), language != "en")


@unittest.skipUnless(os.name == "posix", NO_POSIX)
class AsyncTurnChecks(WithDesktop):
    """The same turn with a client that is awaited."""

    def test_it_is_the_same_turn(self):
        """The awaited client gives the same requests, messages and reasons."""
        script = (
            Answer(
                [
                    ToolUse("toolu_1", "run_on_desktop", READ),
                    ToolUse("toolu_2", "no_such_tool", READ),
                ],
                "tool_use",
            ),
            Answer([Text("To call the printer.")]),
        )

        async def awaited(client, messages):
            wired = self.fps, self.executors
            return [await run_turn_async(client, messages, *wired) for _ in range(2)]

        client, messages = AsyncScriptedClient(*script), [QUESTION]
        reasons = asyncio.run(awaited(client, messages))
        plain_client, plain_messages = ScriptedClient(*script), [QUESTION]
        wired = self.fps, self.executors
        self.assertEqual(
            reasons, [run_turn(plain_client, plain_messages, *wired) for _ in range(2)]
        )
        self.assertEqual(messages, plain_messages)
        self.assertEqual(client.requests, plain_client.requests)

    def test_its_results_are_in_the_language_that_was_asked_for(self):
        """Words of the guard and of the turn are those of the other client's turn."""
        calls = [
            ToolUse("toolu_1", "run_on_desktop", {}),
            ToolUse("toolu_2", "no_such_tool", READ),
        ]
        for language in LANGUAGES:
            client, messages = (
                AsyncScriptedClient(Answer(calls, "tool_use")),
                [QUESTION],
            )
            wired = self.fps, self.executors
            asyncio.run(run_turn_async(client, messages, *wired, language=language))
            plain_client, plain_messages = self.turn(*calls, language=language)
            self.assertEqual(messages, plain_messages)
            self.assertEqual(client.requests, plain_client.requests)
            said = messages[-1]["content"][0]["content"]
            self.assertEqual(said.isascii(), language == "en")

    def gated_turn(self, messages):
        """A turn whose command runs until a file `gate` is made, or too long."""
        tries = f"for i in {' '.join('0123456789' * 20)}; do"
        command = f'{tries} [ -e "{words_of(self.gate)}" ] && echo through && exit; '
        command += "sleep 0.02; done; exit 1"
        call = ToolUse("toolu_1", "run_on_desktop", {"command": command})
        client = AsyncScriptedClient(Answer([call], "tool_use"))
        return run_turn_async(client, messages, self.fps, self.executors)

    def setUp(self):
        self.gate = self.home / "gate"
        self.addCleanup(self.gate.unlink, missing_ok=True)

    def test_the_loop_goes_on_while_a_command_runs(self):
        """Other tasks of the event loop run while a command does."""
        messages = [QUESTION]

        async def both():
            turn = asyncio.create_task(self.gated_turn(messages))
            await asyncio.sleep(0.05)
            # A loop that waits for the command would not come here.
            self.gate.touch()
            return await turn

        self.assertEqual(asyncio.run(both()), "tool_use")
        self.assertEqual(messages[-1]["content"][0]["content"], "through")

    def test_a_cancelled_turn_adds_nothing(self):
        """Cancelled while a command runs, a turn adds no message, also not later."""
        messages = [QUESTION]

        async def cancelled():
            turn = asyncio.create_task(self.gated_turn(messages))
            await asyncio.sleep(0.05)
            turn.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await turn
            self.gate.touch()

        # The end of the loop waits for its threads, so for the command too.
        asyncio.run(cancelled())
        self.assertEqual(messages, [QUESTION])


class RequestRuleChecks(unittest.TestCase):
    """The rules by which the checks judge a conversation are rules."""

    def conversation(self):
        """A sound request with one call and its result."""
        call = ToolUse("toolu_1", "run_on_desktop", READ)
        result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "ok"}
        return plain(
            {
                "model": "some-model",
                "max_tokens": 10,
                "tools": tool_definitions(CONTRACT),
                "messages": [
                    QUESTION,
                    {"role": "assistant", "content": [call]},
                    {"role": "user", "content": [result]},
                ],
            }
        )

    def test_a_sound_request_passes(self):
        """A request as the documentation shows it is taken."""
        check_request(self.conversation())

    def test_a_damaged_request_is_refused(self):
        """A missing, doubled, misplaced or empty part is found."""
        damages = (
            lambda r: r["messages"].pop(),
            lambda r: r["messages"].pop(1),
            lambda r: r["messages"].pop(0),
            lambda r: r["messages"][2]["content"].clear(),
            lambda r: r["messages"][2]["content"][0].update(tool_use_id="x"),
            lambda r: r["messages"][2]["content"][0].update(content=" "),
            lambda r: r["messages"][2]["content"][0].update(is_error=None),
            lambda r: r["messages"][2]["content"][0].update(extra=1),
            lambda r: r["messages"][1]["content"][0].update(input="echo"),
            lambda r: r["messages"][1]["content"].append(asdict(THOUGHT)),
            lambda r: r["messages"].extend(r["messages"][1:]),
            lambda r: r["tools"].extend(r["tools"]),
            lambda r: r["tools"][0].update(name="two words"),
            lambda r: r["tools"][0]["input_schema"].update(type="string"),
            lambda r: r["tools"][0]["input_schema"].update(required=["other"]),
            lambda r: r.update(max_tokens=0),
            lambda r: r.pop("model"),
        )
        for number, damage in enumerate(damages):
            request = self.conversation()
            damage(request)
            with self.subTest(number), self.assertRaises(Refused):
                check_request(request)


@unittest.skipUnless(os.name == "posix", NO_POSIX)
class DemoChecks(unittest.TestCase):
    """`demo.py`, started as a reader would."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix=file_name("demo 演示 "))
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name).resolve()
        self.temporary = self.folder / "tmp"
        self.temporary.mkdir()

    def check_story(self, done, cloud):
        """The lines that each run prints, with `cloud` as the cloud side's label."""
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(list(self.temporary.iterdir()), [])
        lines = iter(done.stdout.splitlines())
        if cloud == "simulated":
            self.assertIn("is simulated: bubblewrap", next(lines))
        for start in (
            f"cloud side ({cloud}), run_on_desktop: error: run_on_desktop was not",
            f"cloud side ({cloud}), run_in_sandbox: error: exit=0 but the output is e",
            "desktop side (local), run_on_desktop: ok: Call the printer.",
            "desktop side (local), run_in_sandbox: ok: Workspace",
            "A wiring mistake, which the guard cannot see:",
            "desktop side (local), run_in_sandbox: ok: notes.txt scratch",
            "The other shell behind the desktop's fingerprint:",
            f"cloud side ({cloud}), run_on_desktop: error: ",
        ):
            line = next(lines)
            self.assertEqual(line[: len(start)], start)
        self.assertEqual("swapped for cloud-side" in line, cloud == "fenced")
        rest = list(lines)
        self.assertEqual(len(rest), cloud == "simulated")
        self.assertTrue(all(line.startswith("simulated: ") for line in rest))

    @unittest.skipIf(WHY_NO_FENCE, WHY_NO_FENCE)
    def test_the_story_in_a_fence(self):
        """The cloud side stops or fails both calls, and the desktop side does both."""
        programs = self.without_fence()
        link_programs(programs, "bwrap")
        done = run_demo(temporary=self.temporary, PATH=str(programs))
        self.check_story(done, "fenced")

    def without_fence(self):
        """A search path that has the programs of the demo and no bubblewrap."""
        programs = self.folder / "programs"
        programs.mkdir(exist_ok=True)
        link_programs(programs, *NEEDED)
        return programs

    def test_the_story_without_a_fence(self):
        """Without bubblewrap each line that rests on the simulation says so."""
        path = str(self.without_fence())
        done = run_demo(temporary=self.temporary, PATH=path)
        self.check_story(done, "simulated")

    def test_a_fence_that_fails_is_said(self):
        """Where bubblewrap is there and cannot run, the demo says why it simulates."""
        programs = self.without_fence()
        complaint = "bwrap: No permissions to create new namespace"
        write_program(programs, "bwrap", f"echo '{complaint}' >&2", "exit 1")
        done = run_demo(temporary=self.temporary, PATH=str(programs))
        self.check_story(done, "simulated")
        self.assertIn(complaint, done.stdout)

    def test_wrong_command_lines_are_explained(self):
        """Half of a choice, and an engine that is none, are said with what is wrong."""
        for arguments, words in (
            (["--engine", "docker"], "go together"),
            (["--image", "local/image"], "go together"),
            (["--engine", "vm", "--image", "x"], "invalid choice"),
        ):
            done = run_demo(*arguments, temporary=self.temporary)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(words, done.stderr)

    def test_a_missing_engine_is_one_line(self):
        """An engine that is not here is one line on stderr and exit 1."""
        programs = str(self.without_fence())
        chosen = ("--engine", "podman", "--image", "local/image")
        done = run_demo(*chosen, temporary=self.temporary, PATH=programs)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(
            done.stderr,
            "demo.py: podman is not installed here, or not on the PATH\n",
        )

    @unittest.skipUnless(Path("/dev/full").exists(), "needs /dev/full")
    def test_a_full_disk_is_one_line(self):
        """Output that cannot be written is one line on stderr, without a traceback."""
        with Path("/dev/full").open("wb") as full:
            done = subprocess.run(
                [sys.executable, CODE / "demo.py"],
                env=demo_environment(self.temporary, PATH=str(self.without_fence())),
                stdin=subprocess.DEVNULL,
                stdout=full,
                stderr=subprocess.PIPE,
                encoding="utf-8",
                timeout=60,
            )
        told = "demo.py: No space left on device\n"
        self.assertEqual((done.returncode, done.stderr), (1, told))
        self.assertEqual(list(self.temporary.iterdir()), [])

    def test_without_a_shell_it_does_not_end_with_0(self):
        """Where there is no shell at all, one line says so, and nothing is told."""
        empty = self.folder / "empty"
        empty.mkdir()
        done = run_demo(temporary=self.temporary, PATH=str(empty))
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"\Ademo\.py: no shell answers here[^\n]*\n\Z")
        self.assertEqual(list(self.temporary.iterdir()), [])

    def test_an_interrupt_is_no_traceback(self):
        """Ctrl-C ends the demo without a traceback, and nothing is left."""
        reached = self.folder / "reached"
        programs = self.without_fence()
        (programs / "cat").unlink()
        write_program(
            programs, "cat", f': > "{reached}"', f"exec {shutil.which('sleep')} 60"
        )
        with subprocess.Popen(
            [sys.executable, str(CODE / "demo.py")],
            env=demo_environment(self.temporary, PATH=str(programs)),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        ) as demo:
            timer = threading.Timer(50, demo.kill)
            timer.start()
            self.assertTrue(wait_until(reached.exists))
            demo.send_signal(signal.SIGINT)
            _, errors = demo.communicate()
            timer.cancel()
        self.assertEqual((demo.returncode, errors), (130, "demo.py: interrupted\n"))
        self.assertEqual(list(self.temporary.iterdir()), [])
