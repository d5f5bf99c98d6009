"""Rehearsal: answers that nobody gave, so that it shows how often and how much a plan would ask."""

from __future__ import annotations

import json
from typing import Any, Final

from adjudge.judge.budget import cost_of
from adjudge.judge.cache_key import request_key
from adjudge.judge.member import Member
from adjudge.judge.prompt import REPAIR, VERDICT
from adjudge.model.judging import JudgeReply, JudgeRequest
from adjudge.model.step import Usage
from adjudge.model.tokens import tokens_asked

_ANSWERS: Final = (60, 300)
"""Tokens of the answer about an item, or of a text: at least, and at most."""

_SAYS_NOTHING: Final = "not_applicable"
"""The answer that no closer look follows."""


class Rehearsal:
    """Stands for every judge, and counts what it is asked."""

    def __init__(self, *, most: bool) -> None:
        """Answer so that little is asked, or ``most``: votes that disagree to the end, and so every closer look."""
        self.requests = 0
        self.input_tokens = 0
        self.output_tokens = 0
        self.cost: float | None = 0.0
        """USD; ``None`` once the price of a request is not known."""
        self._most = most
        self._known: dict[tuple[str, int], JudgeReply] = {}

    def reply(self, member: Member, request: JudgeRequest) -> JudgeReply:
        """An answer of the schema; asked again it costs nothing, as in a run."""
        place = (request_key(request.key, member.name, member.fingerprint), request.sample)
        if place not in self._known:
            properties: dict[str, Any] = (request.schema_ or {}).get("properties", {})
            usage = Usage(
                input_tokens=tokens_asked(request),
                output_tokens=_ANSWERS[self._most] * max(1, len(properties)),
            )
            if not request.key.endswith(REPAIR):  # a real judge cites where this one cannot
                self._count(member, request, usage)
            answer = {name: self._entry(of, request.sample) for name, of in properties.items()}
            self._known[place] = JudgeReply(text=json.dumps(answer))
        return self._known[place]

    def _entry(self, schema: dict[str, Any], sample: int) -> Any:
        """What is said of one item, or a text that says nothing."""
        if schema.get("type") != "object":
            return [] if schema.get("type") == "array" else "-"
        entry = {name: self._entry(of, sample) for name, of in schema["properties"].items()}
        labels: list[str] = schema["properties"].get(VERDICT, {}).get("enum", [])
        if labels:
            unanimous = _SAYS_NOTHING if _SAYS_NOTHING in labels else labels[0]
            # Two for one side, two for the other, and so on: every vote that is left could decide.
            entry[VERDICT] = labels[sample // 2 % 2 % len(labels)] if self._most else unanimous
        return entry

    def _count(self, member: Member, request: JudgeRequest, usage: Usage) -> None:
        self.requests += 1
        self.input_tokens += usage.input_tokens or 0
        self.output_tokens += usage.output_tokens or 0
        cost = cost_of(member.prices, request.model, usage)
        self.cost = None if cost is None or self.cost is None else self.cost + cost
