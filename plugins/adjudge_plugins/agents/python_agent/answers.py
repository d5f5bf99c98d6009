"""Converts return values of third-party code to an ``Invocation``. Shares no mutable objects with that code."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator, Mapping
from typing import Any, cast

from adjudge.kit.adk import content_to_adk, invocation_from_adk
from adjudge.model import Content, Invocation, JsonObject
from adjudge.model.base import told, validated_copy
from adjudge.plugin import (
    AgentError,
    InputError,
)

_EXPECTED = "expected text, an ADK-shaped invocation (a dict) or an Invocation"


def answered(answer: object, content: Content, seconds: float) -> Invocation:
    """Convert ``answer`` to a turn.

    Args:
        answer: A text; a dict in the shape of ADK's ``Invocation``, where ``user_content`` is optional; or an
            ``Invocation``.
        content: The user's message.
        seconds: The duration of the turn; used if the answer reports none.

    Raises:
        AgentError: the answer is none of these (``bad_answer``).
    """
    if isinstance(answer, str):
        turn = _of_text(answer, content)
    elif isinstance(answer, Mapping):
        turn = _of_adk(cast("Mapping[str, Any]", answer), content)
    elif isinstance(answer, Invocation):
        turn = _checked(answer)
    else:
        raise _bad(f"the agent returned {_described(answer)}; {_EXPECTED}")
    return turn if turn.duration is not None else turn.model_copy(update={"duration": seconds})


def json_copy(value: object, what: str) -> Any:
    """Copy ``value`` as plain JSON data.

    Raises:
        AgentError: it contains a value that JSON cannot represent (``bad_answer``).
    """
    try:
        return json.loads(json.dumps(value, ensure_ascii=False, allow_nan=False).encode())
    except (TypeError, ValueError, RecursionError) as error:
        raise _bad(f"{what} cannot be written as JSON: {error}") from error


def _of_text(answer: str, content: Content) -> Invocation:
    try:
        answer.encode()
    except UnicodeEncodeError as error:
        raise _bad("the text that the agent returned is not valid Unicode (lone surrogates)") from error
    return Invocation(user_content=content, final_response=Content.of_text(str(answer), role="model"))


def _of_adk(answer: Mapping[str, Any], content: Content) -> Invocation:
    data: JsonObject = json_copy(dict(answer), "the invocation that the agent returned")
    if "user_content" not in data and "userContent" not in data:
        data["user_content"] = content_to_adk(content)
    try:
        return invocation_from_adk(data)
    except InputError as error:
        raise _bad(f"the invocation that the agent returned is not of ADK's shape:\n{error}") from error


def _checked(answer: Invocation) -> Invocation:
    try:
        return validated_copy(Invocation, answer)
    except ValueError as error:
        raise _bad(f"the Invocation that the agent returned is not valid: {told(error)}") from error


def _described(answer: object) -> str:
    kind = type(answer).__name__
    if answer is None:
        return "None"
    if inspect.isasyncgen(answer) or isinstance(answer, Iterator):
        return f"a stream ({kind}): join its pieces and return the whole text"
    return f"an object of type {kind}"


def _bad(message: str) -> AgentError:
    return AgentError(message, code="bad_answer")
