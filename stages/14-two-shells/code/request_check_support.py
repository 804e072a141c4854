"""What the checks of a turn share: the rules of the Messages API for a request.

They are written from its documentation ("Messages", "Tool use"), so that a
conversation can be judged without the service. `refusal` knows the rules that a
turn with tools can break, and no others.
"""

from __future__ import annotations

import json
import re

NAME = r"[a-zA-Z0-9_-]{1,128}"
FIELDS = {
    "text": {"type", "text"},
    "tool_use": {"type", "id", "name", "input"},
    "tool_result": {"type", "tool_use_id", "content"},
    "thinking": {"type", "thinking", "signature"},
    "redacted_thinking": {"type", "data"},
}
OPTIONAL = {
    "text": {"citations"},
    "tool_use": {"caller"},
    "tool_result": {"is_error"},
}
THINKING = ("thinking", "redacted_thinking")


class Refused(ValueError):
    """The service would answer this request with status 400."""


def require(condition: object, reason: str) -> None:
    if not condition:
        raise Refused(reason)


def check_request(request: dict) -> None:
    """Raise `Refused` for a request that the Messages API does not take."""
    required = {"model", "max_tokens", "messages"}
    known = required | {"tools"}
    require(required <= request.keys() <= known, "fields missing or unknown")
    require(isinstance(request["model"], str) and request["model"], "model: no name")
    limit = request["max_tokens"]
    require(type(limit) is int and limit >= 1, "max_tokens: at least 1")
    check_tools(request.get("tools", []))
    check_messages(request["messages"])
    # Bytes that are not JSON in UTF-8 never get as far as the service.
    json.dumps(request, ensure_ascii=False).encode("utf-8")


def check_tools(tools: list) -> None:
    """Each tool has a name of its own, a text and a schema for an object."""
    require(isinstance(tools, list), "tools: must be a list")
    names = [tool.get("name") for tool in tools]
    require(len(set(names)) == len(names), "tools: names must be unique")
    for tool in tools:
        fields = {"name", "description", "input_schema"}
        require(tool.keys() == fields, "tools: fields missing or unknown")
        require(re.fullmatch(NAME, tool["name"]), "tools: not a name")
        text = tool["description"]
        require(isinstance(text, str) and text.strip(), "tools: no description")
        schema = tool["input_schema"]
        require(schema.get("type") == "object", "input_schema.type must be object")
        properties = schema.get("properties", {})
        require(isinstance(properties, dict), "input_schema.properties: an object")
        require(
            set(schema.get("required", [])) <= properties.keys(),
            "input_schema.required names what is not there",
        )


def check_messages(messages: list) -> None:
    """Roles, blocks, and a result right after each call and nowhere else."""
    require(isinstance(messages, list) and messages, "messages: at least one")
    require(messages[0]["role"] == "user", "messages: the first must be a user's")
    seen: set[str] = set()
    waiting: list[str] = []
    for message in messages:
        require(message.keys() == {"role", "content"}, "messages: unknown field")
        role, content = message["role"], message["content"]
        require(role in ("user", "assistant"), "messages: unknown role")
        if isinstance(content, str):
            content = [{"type": "text", "text": content}]
        require(isinstance(content, list) and content, "messages: empty content")
        for block in content:
            check_block(block, role)
        kinds = [block["type"] for block in content]
        require(
            kinds[-1] not in THINKING, "the final block cannot be the model's thinking"
        )
        results = [b["tool_use_id"] for b in content if b["type"] == "tool_result"]
        require(
            sorted(results) == sorted(waiting),
            "each tool_use needs one tool_result, in the next message",
        )
        require(
            kinds[: len(results)] == ["tool_result"] * len(results),
            "tool_result blocks come first",
        )
        waiting = [block["id"] for block in content if block["type"] == "tool_use"]
        require(
            len(set(waiting)) == len(waiting) and not seen & set(waiting),
            "tool_use ids must be unique",
        )
        seen |= set(waiting)
    require(not waiting, "tool_use without tool_result")


def check_block(block: dict, role: str) -> None:
    """One block of a message: known fields, a fitting role, text that is not blank."""
    kind = block.get("type")
    require(kind in FIELDS, "unknown type of block")
    allowed = FIELDS[kind] | OPTIONAL.get(kind, set())
    require(FIELDS[kind] <= block.keys() <= allowed, f"{kind}: unknown or missing")
    if kind == "text":
        require(isinstance(block["text"], str), "text: must be a string")
        require(block["text"].strip(), "text blocks must be non-empty")
    elif kind == "tool_use":
        require(role == "assistant", "tool_use is for the assistant")
        require(re.fullmatch(r"[a-zA-Z0-9_-]+", block["id"]), "tool_use.id")
        require(re.fullmatch(NAME, block["name"]), "tool_use.name")
        require(isinstance(block["input"], dict), "tool_use.input: an object")
    elif kind in THINKING:
        require(role == "assistant", "thinking is the assistant's")
    else:
        require(role == "user", "tool_result is for the user")
        require(type(block.get("is_error", False)) is bool, "is_error: a boolean")
        content = block["content"]
        if isinstance(content, str):
            content = [{"type": "text", "text": content}]
        for part in content:
            check_block(part, role)
