"""Rehearsal: makes up answers to count the requests and tokens of a plan."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final

from adjudge.judge.budget import cost_of
from adjudge.judge.cache_key import request_key
from adjudge.judge.member import Member
from adjudge.judge.prompt import REPAIR, VERDICT
from adjudge.model.judging import JudgeReply, JudgeRequest
from adjudge.model.step import Usage
from adjudge.model.tokens import tokens_asked

_ANSWERS: Final = (60, 300)
"""Minimum and maximum estimated tokens of the answer to one item, or of one text."""

_TEXTS: Final = ("-", "1-999999999")
"""A text of an answer for the minimum, and for the maximum: there it requests every step that may be requested."""

_SAYS_NOTHING: Final = "not_applicable"
"""The label after which criteria ask no further questions."""


@dataclass(slots=True)
class Counted:
    """The calls that would be made."""

    requests: int = 0
    tokens: int = 0
    """Tokens of requests and answers."""
    cost: float | None = 0.0
    """The cost in USD; ``None`` if the price of a request is unknown."""

    def add(self, other: Counted, times: int = 1) -> None:
        """Add other calls."""
        self.requests += other.requests * times
        self.tokens += other.tokens * times
        self.cost = None if self.cost is None or other.cost is None else self.cost + other.cost * times


class Rehearsal:
    """Replaces every judge, and counts its requests and tokens."""

    def __init__(self, *, most: bool) -> None:
        """Answer so that the fewest calls follow; or the most, if ``most``: votes never agree, and all are needed."""
        self.counted = Counted()
        """The calls so far. Replace it to count others apart."""
        self._most = most
        self._known: dict[tuple[str, int], JudgeReply] = {}

    def reply(self, member: Member, request: JudgeRequest) -> JudgeReply:
        """An answer that matches the schema. Repeated requests are counted once: in a run they are cached."""
        place = (request_key(request.key, member.name, member.fingerprint), request.sample)
        if place not in self._known:
            properties: dict[str, Any] = (request.schema_ or {}).get("properties", {})
            if not request.key.endswith(REPAIR):  # a real judge cites where this one cannot
                read, written = tokens_asked(request), _ANSWERS[self._most] * max(1, len(properties))
                usage = Usage(input_tokens=read, output_tokens=written)
                cost = cost_of(member.prices, request.model, usage)
                self.counted.add(Counted(1, read + written, cost))
            answer = {name: self._entry(of, request.sample) for name, of in properties.items()}
            self._known[place] = JudgeReply(text=json.dumps(answer))
        return self._known[place]

    def _entry(self, schema: dict[str, Any], sample: int) -> Any:
        """An answer to one item, or an empty text."""
        if schema.get("type") != "object":
            return [] if schema.get("type") == "array" else _TEXTS[self._most]
        entry = {name: self._entry(of, sample) for name, of in schema["properties"].items()}
        labels: list[str] = schema["properties"].get(VERDICT, {}).get("enum", [])
        if labels:
            unanimous = _SAYS_NOTHING if _SAYS_NOTHING in labels else labels[0]
            # Alternate in pairs, so that every remaining vote could still change the decision.
            entry[VERDICT] = labels[sample // 2 % 2 % len(labels)] if self._most else unanimous
        return entry
