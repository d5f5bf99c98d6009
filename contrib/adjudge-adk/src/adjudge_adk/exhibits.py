"""The event, request and response of a step, as ADK's trace shows them; large values are stored once.

A request repeats the whole conversation, and the event repeats the response. So contents, instructions and tools stand in a
table of their own under the SHA-256 of their canonical JSON, and whatever holds them says ``{"sha256": …}`` in their place. The
table is spread over the turns of a session: ``extra["exhibits"]`` of each has what no earlier turn has.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any, Final

from google.adk.models.llm_request import LlmRequest

from adjudge.kit.plain_json import plain_json
from adjudge.kit.strict_json import is_list, is_object
from adjudge.model import JsonObject, JsonValue

_OF_CONFIG: Final = frozenset({"http_options", "labels"})
"""What a configuration has that says nothing of the question."""


class Exhibits:
    """The table of one session."""

    def __init__(self) -> None:
        self._known: set[str] = set()
        self._new: JsonObject = {}

    def of_turn(self) -> JsonObject | None:
        """What came new since this was asked last."""
        new, self._new = self._new, {}
        return {"exhibits": new} if new else None

    def event(self, event: JsonObject) -> JsonObject:
        """An event of ADK."""
        return self._with_content(event)

    def response(self, response: JsonObject) -> JsonObject:
        """What a model answered."""
        return self._with_content(response)

    def request(self, request: LlmRequest) -> JsonObject:
        """What a model was asked."""
        config = {key: value for key, value in plain_json(request.config).items() if key not in _OF_CONFIG}
        return {
            "model": request.model,
            "contents": [self._kept(plain_json(content)) for content in request.contents],
            "config": {
                key: self._kept(value) if key in {"system_instruction", "tools"} else value
                for key, value in config.items()
            },
        }

    def _with_content(self, value: JsonObject) -> JsonObject:
        return {**value, "content": self._kept(value["content"])} if "content" in value else value

    def _kept(self, value: JsonValue) -> JsonObject:
        text = json.dumps(value, sort_keys=True, separators=(",", ":"))
        digest = hashlib.sha256(text.encode()).hexdigest()
        if digest not in self._known:
            self._known.add(digest)
            self._new[digest] = value
        return {"sha256": digest}


def restored(value: JsonValue, exhibits: JsonObject) -> Any:
    """A raw event, request or response with everything in its place.

    Args:
        value: As a step has it.
        exhibits: The tables of all turns of the session, joined.
    """
    if is_object(value):
        if list(value) == ["sha256"] and value["sha256"] in exhibits:
            return exhibits[value["sha256"]]
        return {key: restored(each, exhibits) for key, each in value.items()}
    if is_list(value):
        return [restored(each, exhibits) for each in value]
    return value
