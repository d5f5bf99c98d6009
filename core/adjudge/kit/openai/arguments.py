"""The arguments of a call."""

from __future__ import annotations

import json
from typing import cast

from adjudge.adk.json_input import parse_json
from adjudge.errors import InputError
from adjudge.model.base import JsonObject


def arguments_of(arguments: object) -> tuple[JsonObject | None, str | None]:
    """The arguments of a call as an object or, where they are none, as the text that the log has.

    An object may be written as JSON in a text. ``None``, which some logs write for no arguments, is neither.
    """
    if arguments is None or isinstance(arguments, dict):
        return cast("JsonObject | None", arguments), None
    if not isinstance(arguments, str):
        return None, json.dumps(arguments, ensure_ascii=False)
    try:
        parsed = parse_json(arguments, source="arguments")
    except InputError:
        return None, arguments
    return (cast("JsonObject", parsed), None) if isinstance(parsed, dict) else (None, arguments)
