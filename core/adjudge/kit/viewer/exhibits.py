"""Values of raw events, requests and responses that agents store once: ``{"sha256": …}`` stands in their place.

A request to a model repeats the whole conversation. So an agent may keep its parts in tables, ``extra["exhibits"]`` of the
turns, by the SHA-256 of each; a reader needs the parts themselves.
"""

from __future__ import annotations

import json

from adjudge.kit.strict_json import is_list, is_object
from adjudge.kit.viewer.texts import RECORDED
from adjudge.model import JsonValue, Trajectory


class Exhibits:
    """The tables of all turns of a run."""

    def __init__(self, run: Trajectory) -> None:
        """Join the tables of ``run``."""
        self._known: dict[object, JsonValue] = {}
        for turn in run.invocations:
            table = (turn.extra or {}).get("exhibits")
            if is_object(table):
                self._known.update(table)
        self._sizes: dict[object, int] = {}
        self._room = 0

    def whole(self, value: JsonValue) -> JsonValue:
        """A raw value with its parts in their places, as many as are shown: a long run repeats them in every step."""
        if not self._known:
            return value
        self._room = RECORDED
        return self._placed(value)

    def _placed(self, value: JsonValue) -> JsonValue:
        if is_object(value):
            if list(value) == ["sha256"]:
                return self._part(value, value["sha256"])
            return {key: self._placed(each) for key, each in value.items()}
        if is_list(value):
            return [self._placed(each) for each in value]
        return value

    def _part(self, stands: JsonValue, digest: JsonValue) -> JsonValue:
        if not isinstance(digest, str) or digest not in self._known or self._room <= 0:
            return stands
        found = self._known[digest]
        if digest not in self._sizes:
            self._sizes[digest] = len(json.dumps(found))
        self._room -= self._sizes[digest]
        return found
