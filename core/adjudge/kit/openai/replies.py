"""A model's whole answer, as logs of single calls keep it beside the messages that the model was given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from adjudge.kit.openai.items import is_message
from adjudge.model.base import JsonObject


def messages_of_reply(value: object) -> tuple[tuple[JsonObject, str], ...]:
    """The messages or items of an answer, each with its place in it; empty where it is no answer that is known.

    Known are chat completions, of which the first choice is taken, answers of OpenAI's Responses API and of Anthropic's
    Messages API.
    """
    if not isinstance(value, dict):
        return ()
    body = cast("JsonObject", value)
    choices, output = _listed(body, "choices"), _listed(body, "output")
    message = (
        cast("JsonObject", choices[0]).get("message") if choices and isinstance(choices[0], dict) else None
    )
    if isinstance(message, dict):
        about = {key: body[key] for key in ("model", "usage") if body.get(key) is not None}
        return (({"role": "assistant", **about, **cast("JsonObject", message)}, ".choices[0].message"),)
    if output and all(map(is_message, output)):
        return tuple((cast("JsonObject", item), f".output[{index}]") for index, item in enumerate(output))
    if body.get("role") == "assistant" and isinstance(body.get("content"), str | list):
        return (({key: body[key] for key in ("role", "content", "model", "usage") if key in body}, ""),)
    return ()


def _listed(body: JsonObject, key: str) -> Sequence[object]:
    found = body.get(key)
    return cast("Sequence[object]", found) if isinstance(found, list) else ()
