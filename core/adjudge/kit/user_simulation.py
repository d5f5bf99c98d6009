"""Shared code of user simulators and judges of simulated users: the conversation as users see it, and placeholders."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from adjudge.kit.judged_criteria import moves_of, said
from adjudge.model.base import JsonObject, JsonValue
from adjudge.model.invocation import Invocation
from adjudge.model.judging import Exhibit
from adjudge.model.tokens import clipped_to_tokens

__all__ = ["STOP_SIGNAL", "conversation_seen", "filled", "placeholders_in"]

STOP_SIGNAL: Final = "</finished>"
"""The text with which a simulated user ends the conversation (ADK)."""

_MOST_TOKENS: Final = 4000
"""The maximum tokens of one text of an agent or a tool that a simulated user reads."""

_PLACEHOLDER: Final = re.compile(r"\{\{\s*([A-Za-z_]\w*)\s*\}\}")


def placeholders_in(text: str) -> list[str]:
    """The names of the placeholders ``{{ name }}`` in a text, in order, without duplicates."""
    return list(dict.fromkeys(_PLACEHOLDER.findall(text)))


def filled(text: str, values: Mapping[str, str]) -> str:
    """Replace placeholders ``{{ name }}`` by their values; those without a value are unchanged."""
    return _PLACEHOLDER.sub(lambda found: values.get(found[1], found[0]), text)


def conversation_seen(
    turns: Iterable[Invocation], *, with_calls: bool = False, stop_signal: str = STOP_SIGNAL
) -> Exhibit:
    """``conversation``: the messages of the user and the agent, with one JSON object per line.

    The stop signal is removed from the texts, so that an agent cannot make the simulated user repeat it.

    Args:
        turns: The turns so far.
        with_calls: Whether the user sees tool calls and their results.
        stop_signal: The text with which the user ends the conversation.
    """
    text = "\n".join(json.dumps(line, ensure_ascii=False, default=str) for line in _lines(turns, with_calls))
    return Exhibit(
        name="conversation", text=re.sub(re.escape(stop_signal), "(finished)", text, flags=re.IGNORECASE)
    )


def _lines(turns: Iterable[Invocation], with_calls: bool) -> Iterator[JsonObject]:
    for turn in turns:
        yield {"user": said(turn.user_content)}
        for move in moves_of(turn):
            if "says" in move:
                yield {"agent": _clipped(move["says"])}
            elif with_calls and not move.keys().isdisjoint(("calls", "response_of")):
                yield {name: _clipped(value) for name, value in move.items()}
        if turn.final_response is not None:
            yield {"agent": _clipped(said(turn.final_response))}


def _clipped(value: JsonValue) -> JsonValue:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    clipped = clipped_to_tokens(text, _MOST_TOKENS)
    return value if clipped == text else clipped
