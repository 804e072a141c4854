"""Exercise 14.4: one good answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping


def answer_calls(
    content: list[dict], tools: Mapping[str, Callable[[str], str]]
) -> dict | None:
    """Return the user message that answers all calls in an assistant's `content`."""
    calls = [block for block in content if block["type"] == "tool_use"]
    results = [_answer(call, tools) for call in calls]
    return {"role": "user", "content": results} if results else None


def _answer(call: dict, tools: Mapping[str, Callable[[str], str]]) -> dict:
    result = {"type": "tool_result", "tool_use_id": call["id"]}
    # A model writes names and inputs as it writes prose: anything can stand there.
    arguments = call["input"]
    command = arguments.get("command") if isinstance(arguments, dict) else None
    if call["name"] not in tools:
        problem = f"there is no tool {call['name']}"
    elif not isinstance(command, str):
        problem = "the input must be an object with a text `command`"
    else:
        try:
            return {**result, "content": tools[call["name"]](command)}
        except Exception as error:
            problem = f"the tool failed: {type(error).__name__}"
    return {**result, "content": problem, "is_error": True}
