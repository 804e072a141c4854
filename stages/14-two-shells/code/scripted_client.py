"""A counterpart that says what a script says, where a model would be asked.

It answers like the official SDK's client: `client.messages.create(...)` returns an
object with `content` and `stop_reason`. So a turn can be run, and checked, without
a key, a network or chance.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


class ScriptEnded(RuntimeError):
    """The client was asked once more than its script has answers."""


@dataclass(frozen=True)
class Text:
    """Words of the model."""

    text: str
    type: str = "text"


@dataclass(frozen=True)
class ToolUse:
    """One tool call of the model; `input` is whatever the model made up."""

    id: str
    name: str
    input: object = field(default_factory=dict)
    type: str = "tool_use"


@dataclass(frozen=True)
class Answer:
    """One message of the model: its blocks, and why it stopped."""

    content: Sequence[Text | ToolUse]
    stop_reason: str = "end_turn"


class ScriptedClient:
    """Gives `answers` one after the other, whatever it is asked.

    `requests` keeps each request as it was at that moment: the caller goes on
    to append to the same list of messages. Asked once more than there are
    answers, it raises `ScriptEnded`.
    """

    def __init__(self, *answers: Answer) -> None:
        self._answers = list(answers)
        self.requests: list[Mapping[str, object]] = []
        # The SDK has its methods one level down.
        self.messages = self

    def create(self, **request: object) -> Answer:
        """The next answer of the script."""
        if not self._answers:
            raise ScriptEnded("the script has no answer left; add one or ask less")
        self.requests.append(copy.deepcopy(request))
        return self._answers.pop(0)


class AsyncScriptedClient(ScriptedClient):
    """The same for code that awaits its client."""

    async def create(self, **request: object) -> Answer:
        """The next answer of the script."""
        return super().create(**request)
