"""A real counterpart: the official Anthropic SDK, and what it makes of our turns.

The SDK's client talks to a server on 127.0.0.1 that speaks the Messages API and
refuses what the documented one refuses. With `--live` and ANTHROPIC_API_KEY the
same turn is made with the real service. That test needs the network and money, runs
nowhere by itself, and is itself untested: it was written without a key.
"""

import asyncio
import json
import os
import socket
import sys
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import anthropic
import pytest
from anthropic.types import MessageParam, ToolParam, ToolResultBlockParam
from pydantic import TypeAdapter

ROOT = Path(__file__).resolve().parents[1]
CODE = ROOT / "stages" / "14-two-shells" / "code"
sys.path.insert(0, str(CODE))

from agent_turn import run_turn, run_turn_async  # noqa: E402
from executors import LocalExecutor  # noqa: E402
from request_check_support import Refused, check_request  # noqa: E402
from tools import tool_definitions  # noqa: E402
from twoshell_guard import CONTRACT, LANGUAGES, dispatch, fingerprint  # noqa: E402

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell")

# Proxies of the environment are not for these tests; without TLS, certificates need
# not be loaded, which takes longer than a whole turn.
PLAIN = {"trust_env": False, "verify": False}
QUESTION = {"role": "user", "content": "What is in my notes?"}


@dataclass
class Service:
    """The local server: what it will say, and what it was sent."""

    url: str = ""
    answers: list[dict] = field(default_factory=list)
    requests: list[dict] = field(default_factory=list)

    def reply(self, headers, body: bytes) -> tuple[int, dict]:
        """Status and JSON for one request."""
        problem = ""
        key = headers["x-api-key"] or headers["authorization"]
        if key not in ("test", "Bearer test") or not headers["anthropic-version"]:
            problem = "no key or no version"
        request = json.loads(body)
        try:
            check_request(request)
        except Refused as error:
            problem = str(error)
        if problem:
            error = {"type": "invalid_request_error", "message": problem}
            return 400, {"type": "error", "error": error}
        self.requests.append(request)
        return 200, {
            "id": f"msg_{len(self.requests)}",
            "type": "message",
            "role": "assistant",
            "model": request["model"],
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
            **self.answers.pop(0),
        }


@pytest.fixture
def service():
    """The server in a thread, on a free port of 127.0.0.1."""
    state = Service()

    class Handler(BaseHTTPRequestHandler):
        timeout = 10

        def do_POST(self):
            length = int(self.headers["content-length"])
            status, reply = 404, {"type": "error", "error": {"type": "not_found"}}
            if self.path == "/v1/messages":
                status, reply = state.reply(self.headers, self.rfile.read(length))
            body = json.dumps(reply).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_arguments):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        state.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, args=[0.01])
        thread.start()
        yield state
        server.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def no_other_host(request, monkeypatch):
    """Without `--live`, a connection to anywhere but 127.0.0.1 fails the test."""
    if "live" in request.fixturenames:
        return
    connect = socket.socket.connect

    def connect_locally(self, address):
        assert self.family == socket.AF_UNIX or address[0] == "127.0.0.1", address
        return connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", connect_locally)


def sync_turn(url: str, *arguments, **options) -> str:
    """`run_turn` with `anthropic.Anthropic`."""
    with anthropic.Anthropic(
        api_key="test",
        base_url=url,
        max_retries=0,
        timeout=20,
        http_client=anthropic.DefaultHttpxClient(**PLAIN),
    ) as client:
        return run_turn(client, *arguments, **options)


def async_turn(url: str, *arguments, **options) -> str:
    """`run_turn_async` with `anthropic.AsyncAnthropic`."""

    async def turn() -> str:
        async with anthropic.AsyncAnthropic(
            api_key="test",
            base_url=url,
            max_retries=0,
            timeout=20,
            http_client=anthropic.DefaultAsyncHttpxClient(**PLAIN),
        ) as client:
            return await run_turn_async(client, *arguments, **options)

    return asyncio.run(turn())


@pytest.fixture(params=[sync_turn, async_turn])
def turn(request):
    """A turn with either of the SDK's clients."""
    return request.param


@pytest.fixture
def desktop(tmp_path):
    """An executor whose home has a workspace."""
    workspace = tmp_path / "mnt" / "Workspace"
    workspace.mkdir(parents=True)
    (workspace / "notes.txt").write_text("call the printer 打印机\n", encoding="utf-8")
    return LocalExecutor(tmp_path)


@pytest.fixture
def wired(desktop):
    """Fingerprints and executors of both tools."""
    seen = fingerprint(desktop)
    return dict.fromkeys(CONTRACT, seen), dict.fromkeys(CONTRACT, desktop)


def says(text: str) -> dict:
    """A last answer of the model."""
    return {"content": [{"type": "text", "text": text}], "stop_reason": "end_turn"}


def calls(*uses: tuple[str, str, dict], stop_reason: str = "tool_use") -> dict:
    """An answer of the model with tool calls: id, name and input of each."""
    blocks = [
        {"type": "tool_use", "id": key, "name": name, "input": arguments}
        for key, name, arguments in uses
    ]
    words = {"type": "text", "text": "I will look."}
    return {"content": [words, *blocks], "stop_reason": stop_reason}


def results_in(request: dict) -> list[dict]:
    """The results that the last message of a request carries."""
    return request["messages"][-1]["content"]


READ = {"command": 'cat "$HOME/mnt/Workspace/notes.txt"'}
TWO_CALLS = calls(
    ("toolu_1", "run_on_desktop", READ), ("toolu_2", "run_in_sandbox", READ)
)


def test_two_calls_in_one_turn(turn, service, wired):
    """Both results go back in one message, in the order of the calls."""
    service.answers = [TWO_CALLS, says("To call the printer.")]
    messages = [QUESTION]
    assert turn(service.url, messages, *wired) == "tool_use"
    assert turn(service.url, messages, *wired) == "end_turn"
    first, second = service.requests
    assert [tool["name"] for tool in first["tools"]] == list(CONTRACT)
    assert results_in(second) == [
        {
            "type": "tool_result",
            "tool_use_id": key,
            "content": "call the printer 打印机",
        }
        for key in ("toolu_1", "toolu_2")
    ]
    assert [message["role"] for message in messages] == [
        "user",
        "assistant",
        "user",
        "assistant",
    ]


@pytest.mark.parametrize(
    ("name", "arguments", "text"),
    [
        ("delete_everything", READ, "not offered"),
        ("run_on_desktop", {"command": "exit 3"}, "exit=3"),
        ("run_on_desktop", {"command": "true"}, "exit=0"),
        ("run_on_desktop", {"command": "printf '\\377\\000'"}, "exit=0"),
        ("run_on_desktop", {"command": 7}, "run_on_desktop"),
        ("run_on_desktop", {}, "run_on_desktop"),
    ],
    ids=["unknown tool", "error", "empty", "not text", "no text", "no command"],
)
def test_failed_calls_are_taken_back(turn, service, wired, name, arguments, text):
    """Whatever goes wrong in a call is an error result, and the service takes it."""
    service.answers = [calls(("toolu_1", name, arguments)), says("I see.")]
    messages = [QUESTION]
    turn(service.url, messages, *wired)
    turn(service.url, messages, *wired)
    (result,) = results_in(service.requests[1])
    assert result["is_error"] is True
    assert text in result["content"]


def test_expected_silence_is_taken_back(turn, service, wired):
    """The words for an expected empty output are no empty text block."""
    service.answers = [says("Good.")]
    fps, executors = wired
    use = calls(("toolu_1", "run_on_desktop", {"command": "true"}))
    result = dispatch(
        "toolu_1",
        "run_on_desktop",
        "true",
        fps["run_on_desktop"],
        expect_empty=True,
        executor=executors["run_on_desktop"],
    )
    assert "is_error" not in result
    messages = [
        QUESTION,
        {"role": "assistant", "content": use["content"]},
        {"role": "user", "content": [result]},
    ]
    assert turn(service.url, messages, *wired) == "end_turn"


def test_a_cut_off_call_is_answered_and_not_run(turn, service, wired, tmp_path):
    """A call in a message that was cut off runs nothing, and gets its result."""
    command = {"command": f'touch "{tmp_path}/ran"; echo done'}
    use = ("toolu_1", "run_on_desktop", command)
    service.answers = [calls(use, stop_reason="max_tokens"), calls(use)]
    messages = [QUESTION]
    assert turn(service.url, messages, *wired) == "max_tokens"
    assert not (tmp_path / "ran").exists()
    # The same id again would be refused: a conversation of its own is the control.
    messages, cut_off = [QUESTION], messages
    assert turn(service.url, messages, *wired) == "tool_use"
    assert (tmp_path / "ran").exists()
    service.answers = [says("Shorter, then.")]
    assert turn(service.url, cut_off, *wired) == "end_turn"
    (result,) = results_in(service.requests[-1])
    assert result["is_error"] is True


THOUGHT = {"type": "thinking", "thinking": "The notes, then.", "signature": "c2ln"}
HIDDEN_THOUGHT = {"type": "redacted_thinking", "data": "aGlkZGVu"}


@pytest.mark.parametrize(
    "content",
    [
        [],
        [{"type": "text", "text": ""}],
        [{"type": "text", "text": " \n"}],
        [THOUGHT],
        [HIDDEN_THOUGHT, {"type": "text", "text": ""}],
        [{"type": "text", "text": "Well."}, THOUGHT],
    ],
    ids=["no block", "empty text", "blank text", "thought", "hidden", "thought last"],
)
def test_an_answer_that_is_not_taken_back_can_be_followed(
    turn, service, wired, content
):
    """What the service sends and does not take at an answer's end is left out."""
    service.answers = [{"content": content, "stop_reason": "max_tokens"}, says("Yes?")]
    messages = [QUESTION]
    assert turn(service.url, messages, *wired) == "max_tokens"
    messages.append({"role": "user", "content": "Go on."})
    assert turn(service.url, messages, *wired) == "end_turn"


def test_thinking_before_a_call_goes_back_unchanged(turn, service, wired):
    """What the model thought before its call is part of the next request."""
    answer = dict(TWO_CALLS, content=[THOUGHT, HIDDEN_THOUGHT, *TWO_CALLS["content"]])
    service.answers = [answer, says("To call the printer.")]
    messages = [QUESTION]
    turn(service.url, messages, *wired)
    turn(service.url, messages, *wired)
    assert service.requests[1]["messages"][1]["content"][:2] == [
        THOUGHT,
        HIDDEN_THOUGHT,
    ]


def test_a_refused_request_adds_nothing(turn, service, wired):
    """The SDK's error goes through, and the messages are as they were."""
    messages = [{"role": "user", "content": [{"type": "text", "text": ""}]}]
    before = json.dumps(messages)
    with pytest.raises(anthropic.BadRequestError, match="non-empty"):
        turn(service.url, messages, *wired)
    assert json.dumps(messages) == before


def test_proxies_are_not_asked(turn, service, wired, monkeypatch):
    """Proxy variables of the environment change nothing: these tests stay here."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://192.0.2.1:9")
        monkeypatch.setenv(name.lower(), "http://192.0.2.1:9")
    service.answers = [says("Hello.")]
    assert turn(service.url, [QUESTION], *wired) == "end_turn"


def test_no_other_host_is_reached():
    """The barrier of these tests stops a connection to another host."""
    with socket.socket() as caller, pytest.raises(AssertionError):
        caller.connect(("192.0.2.1", 9))


BROKEN = {
    "no result": lambda messages: messages.pop(),
    "wrong id": lambda messages: messages[2]["content"][0].update(tool_use_id="x"),
    "result twice": lambda messages: messages[2]["content"].append(
        messages[2]["content"][0]
    ),
    "words first": lambda messages: messages[2]["content"].insert(
        0, {"type": "text", "text": "Here it is."}
    ),
    "empty text": lambda messages: messages[2]["content"][0].update(content=""),
    "call repeated": lambda messages: messages.extend(messages[1:]),
    "unknown field": lambda messages: messages[2]["content"][0].update(ok=True),
    "unknown role": lambda messages: messages[2].update(role="tool"),
    "assistant first": lambda messages: messages.pop(0),
    "result alone": lambda messages: messages.pop(1),
    "thought last": lambda messages: messages[1]["content"].append(THOUGHT),
}


@pytest.mark.parametrize("damage", BROKEN.values(), ids=BROKEN)
def test_the_server_is_strict(service, wired, damage):
    """The server takes a sound conversation and refuses each of these damages."""

    def conversation() -> list[dict]:
        use = calls(("toolu_1", "run_on_desktop", READ))["content"]
        result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "ok"}
        return [
            dict(QUESTION),
            {"role": "assistant", "content": use},
            {"role": "user", "content": [result]},
        ]

    service.answers = [says("Thanks.")]
    assert sync_turn(service.url, conversation(), *wired) == "end_turn"
    messages = conversation()
    damage(messages)
    with pytest.raises(anthropic.BadRequestError):
        sync_turn(service.url, messages, *wired)


KINDS = (MessageParam, ToolParam, ToolResultBlockParam)
ADAPTERS = {kind: TypeAdapter(kind) for kind in KINDS}


def exhausted(value):
    """A validated value with its lazily validated lists read to their ends."""
    if isinstance(value, dict):
        return {key: exhausted(item) for key, item in value.items()}
    if isinstance(value, (str, int, bool, type(None))):
        return value
    return [exhausted(item) for item in value]


def accepted(kind, value) -> bool:
    """Whether the SDK's type takes `value` and knows everything that is in it."""
    # Lists are validated as they are read, and for that the adapter has to live.
    adapter = ADAPTERS[kind]
    return exhausted(adapter.validate_python(value, strict=True)) == value


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_types_of_the_sdk_take_what_we_make(language, wired):
    """Tools, results and messages are what the SDK's own types describe."""
    for tool in tool_definitions(CONTRACT, language):
        assert accepted(ToolParam, tool)
    fps, executors = wired
    for command in ("echo hello", "true", "exit 3", 7):
        result = dispatch(
            "toolu_1",
            "run_on_desktop",
            command,
            fps["run_on_desktop"],
            language=language,
            executor=executors["run_on_desktop"],
        )
        assert accepted(ToolResultBlockParam, result)
        assert accepted(MessageParam, {"role": "user", "content": [result]})


def test_the_types_of_the_sdk_refuse_others():
    """The control: a misspelt field, a missing one and a wrong type are noticed."""
    tool = tool_definitions(CONTRACT)[0]
    assert not accepted(ToolParam, {**tool, "descripton": "misspelt"})
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "ok"}
    assert not accepted(ToolResultBlockParam, {**result, "isError": True})
    for broken in ({**result, "is_error": "yes"}, {"type": "tool_result"}):
        with pytest.raises(ValueError):
            accepted(ToolResultBlockParam, broken)


def test_the_whole_conversation_fits_the_types(turn, service, wired):
    """What a turn has appended, the SDK's objects included, is a list of messages."""
    service.answers = [TWO_CALLS, says("To call the printer.")]
    messages = [QUESTION]
    turn(service.url, messages, *wired)
    turn(service.url, messages, *wired)
    for message in messages[1:]:
        taken = ADAPTERS[MessageParam].validate_python(message)
        assert len(list(taken["content"])) == len(message["content"])


@pytest.fixture
def live(request):
    """The real service's client, where it was asked for."""
    if not request.config.getoption("--live") or not os.environ.get(
        "ANTHROPIC_API_KEY"
    ):
        pytest.skip("needs --live and ANTHROPIC_API_KEY")
    with anthropic.Anthropic(max_retries=2, timeout=60) as client:
        yield client


def test_a_turn_with_the_real_service(live, wired):
    """The real service takes our tools, calls one, and takes its result back."""
    ask = "Use run_on_desktop to print $HOME/mnt/Workspace/notes.txt, then quote it."
    messages = [{"role": "user", "content": ask}]
    for _ in range(4):
        reason = run_turn(live, messages, *wired, max_tokens=500)
        if reason != "tool_use":
            break
    assert reason == "end_turn"
    assert "打印机" in messages[-1]["content"][-1].text
