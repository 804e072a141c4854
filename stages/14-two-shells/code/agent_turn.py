"""One turn of an agent: ask the model, run what it calls, answer every call.

The list of messages is the state. A turn adds to it what the service takes back:
the model's message, and one message with the result of each call, in their order.
A conversation with a call and no result is refused from then on, so a call is
answered whatever became of it, and a turn that fails adds nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from executors import Executor
from tools import tool_definitions
from twoshell_guard import CONTRACT, dispatch

MODEL = "claude-sonnet-5"
MAX_TOKENS = 4096

NOT_RUN = {
    "en": "{tool} was not run: the message ended early (stop_reason={reason}), so the "
    "call may be cut off. Send a shorter one again.",
    "zh-CN": "{tool} 未执行：消息提前结束（stop_reason={reason}），调用可能不完整。"
    "请缩短后重新发送。",
    "ja": "{tool} は未実行です：メッセージが途中で終わり（stop_reason={reason}）、"
    "呼び出しが欠けている可能性があります。短くしてもう一度送ってください。",
}
NOT_OFFERED = {
    "en": "Nothing was run: this tool is not offered. Those that are: {offered}.",
    "zh-CN": "什么都没有执行：没有提供这个工具。可用的工具：{offered}。",
    "ja": "何も実行していません：このツールは提供されていません。"
    "使えるツール：{offered}。",
}
# No name of a tool is longer, by the service's rules; a model may write anything.
NAME_CHARACTERS = 128
# The service takes no message that ends in the model's own thinking.
THINKING = ("thinking", "redacted_thinking")

Fingerprints = Mapping[str, Mapping[str, object]]
Executors = Mapping[str, Executor]


def run_turn(
    client: Any,
    messages: list[dict],
    fps: Fingerprints,
    executors: Executors | None = None,
    *,
    model: str = MODEL,
    max_tokens: int = MAX_TOKENS,
    language: str = "en",
) -> str:
    """Advance the conversation by one turn and return why the model stopped.

    client: `anthropic.Anthropic`, or what answers like it.
    messages: the conversation; the turn is appended to it.
    fps: a fingerprint for each tool that the model is offered, by its name. Names
        must be in `CONTRACT`.
    executors: an executor for each of these names. None for all of them: every
        command runs in this process's shell, whose fingerprints `fps` must be.
    language: of descriptions and results, "en", "zh-CN" or "ja".

    While the result is "tool_use", the model waits for the next turn. Calls in a
    message that ended for any other reason may be cut off, and are not run.
    Raises `ValueError` when names or language do not fit, before anything is sent;
    what the client raises goes through. It does not limit the number of turns or
    the length of the conversation, and does not ask a person for consent.
    """
    request = turn_request(messages, fps, executors, model, max_tokens, language)
    response = client.messages.create(**request)
    messages.extend(turn_messages(response, fps, executors, language))
    return response.stop_reason


async def run_turn_async(
    client: Any,
    messages: list[dict],
    fps: Fingerprints,
    executors: Executors | None = None,
    *,
    model: str = MODEL,
    max_tokens: int = MAX_TOKENS,
    language: str = "en",
) -> str:
    """The same with a client that is awaited, such as `anthropic.AsyncAnthropic`.

    Commands run in a thread, so that the event loop goes on. Cancelling adds
    nothing to the messages, but does not end the commands: they go on, each to its
    end or its deadline.
    """
    request = turn_request(messages, fps, executors, model, max_tokens, language)
    response = await client.messages.create(**request)
    messages.extend(
        await asyncio.to_thread(turn_messages, response, fps, executors, language)
    )
    return response.stop_reason


def turn_request(
    messages: list[dict],
    fps: Fingerprints,
    executors: Executors | None,
    model: str,
    max_tokens: int,
    language: str,
) -> dict:
    """What the model is sent: the conversation, and the tools that are wired."""
    unknown = sorted(fps.keys() - CONTRACT.keys())
    if unknown:
        raise ValueError(f"no contract for the tool {', '.join(unknown)}")
    # A tool without its executor would run in this process's shell instead.
    wired = fps if executors is None else executors
    if wired.keys() != fps.keys() or None in wired.values():
        raise ValueError("fingerprints and executors must be of the same tools")
    offered = {name: CONTRACT[name] for name in CONTRACT if name in fps}
    return {
        "model": model,
        "max_tokens": max_tokens,
        "tools": tool_definitions(offered, language),
        "messages": messages,
    }


def turn_messages(
    response: Any, fps: Fingerprints, executors: Executors | None, language: str
) -> list[dict]:
    """The model's message as it came, and one that answers all its calls.

    A message may be empty, its text blank, and its end thinking: the service sends
    such and does not take them back, so they are left out. What it never sends is
    not mended: two calls of one id are both run, and refused in the next request.
    """
    content = [block for block in response.content if not is_blank(block)]
    calls = [block for block in content if block.type == "tool_use"]
    complete = response.stop_reason == "tool_use"
    results = [
        answer(call, fps, executors, language)
        if complete
        else not_run(call, response.stop_reason, language)
        for call in calls
    ]
    while content and content[-1].type in THINKING:
        content.pop()
    turn = []
    if content:
        turn.append({"role": "assistant", "content": content})
    if results:
        turn.append({"role": "user", "content": results})
    return turn


def is_blank(block: Any) -> bool:
    return block.type == "text" and not block.text.strip()


def answer(
    call: Any, fps: Fingerprints, executors: Executors | None, language: str
) -> dict:
    """Run one call under the guard; whatever the model wrote, there is a result."""
    if not isinstance(call.name, str) or call.name not in fps:
        offered = ", ".join(fps)
        return refused(call, NOT_OFFERED[language].format(offered=offered))
    arguments = call.input if isinstance(call.input, Mapping) else {}
    return dispatch(
        call.id,
        call.name,
        arguments.get("command"),
        fps[call.name],
        language=language,
        executor=executors[call.name] if executors is not None else None,
    )


def not_run(call: Any, reason: str, language: str) -> dict:
    """The result of a call that may be cut off."""
    tool = str(call.name).encode("unicode_escape").decode()[:NAME_CHARACTERS]
    return refused(call, NOT_RUN[language].format(tool=tool, reason=reason))


def refused(call: Any, text: str) -> dict:
    """An error result that was not the guard's to make."""
    return {
        "type": "tool_result",
        "tool_use_id": call.id,
        "content": text,
        "is_error": True,
    }
