"""The arguments of a call."""

from __future__ import annotations

import json
import re
from typing import Final, cast

from adjudge.adk.json_decoder import BrokenJsonError, parsed_text
from adjudge.model.base import JsonObject

_OBJECT: Final = re.compile(r"[ \t\n\r]*\{")


def arguments_of(arguments: object) -> tuple[JsonObject | None, str | None]:
    """The arguments of a call as an object or, where they are none, as the text that the log has.

    An object may be written as JSON in a text. ``None``, which some logs write for no arguments, is neither.
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
