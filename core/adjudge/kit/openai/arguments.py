"""Reads the arguments of a call."""

from __future__ import annotations

import json
import re
from typing import Final, cast

from adjudge.adk.json_decoder import BrokenJsonError, parsed_text
from adjudge.model.base import JsonObject

_OBJECT: Final = re.compile(r"[ \t\n\r]*\{")


def arguments_of(arguments: object) -> tuple[JsonObject | None, str | None]:
    """Read the arguments of a call: returns them as an object, or if they are not an object, as the text in the log.

    An object may be a text with JSON. For ``None``, which some logs write if there are no arguments, both are ``None``.
    """
    if arguments is None or isinstance(arguments, dict):
        return cast("JsonObject | None", arguments), None
    if not isinstance(arguments, str):
        return None, json.dumps(arguments, ensure_ascii=False)
    if not _OBJECT.match(arguments):
        return None, arguments
    try:
        parsed = parsed_text(arguments)
    except BrokenJsonError:
        return None, arguments
    return (cast("JsonObject", parsed), None) if isinstance(parsed, dict) else (None, arguments)
