"""Mutable builders of turns and steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from adjudge.kit import items as made
from adjudge.kit.openai import answer_of, answering
from adjudge.model.base import JsonObject
from adjudge.model.invocation import AppDetails, Invocation
from adjudge.model.items import Content, Item, Text, ToolCall
from adjudge.model.step import Step, Usage
from adjudge_plugins.readers.spans.span import Span


@dataclass(slots=True, eq=False)
class Move:
    """Mutable builder for a ``Step``."""

    span: Span
    items: list[Item] = field(default_factory=list[Item])
    author: str | None = None
    role: str | None = None
    model: str | None = None
    usage: Usage | None = None
    extra: JsonObject = field(default_factory=dict[str, object])
    is_answer: bool = False
    """Whether its text may be the answer to the user."""
    inside: str | None = None
    """The id of the call during which it happened."""
    path: str | None = None
    """The part of the span that it was read from; ``None`` for the whole span."""

    @property
    def calls(self) -> list[ToolCall]:
        """The tool calls among the items."""
        return [item for item in self.items if isinstance(item, ToolCall)]

    def step(self, number: int) -> Step:
        """Build the ``Step``."""
        span = self.span
        return made.step(
            number,
            tuple(self.items),
            author=self.author,
            role=self.role,
            parent_call_id=self.inside,
            source_ref=f"{span.place}{self.path or ''}",
            model=self.model,
            usage=self.usage,
            started_at=None if self.path else span.started_at,
            duration=None if self.path else span.duration,
            extra={"span_id": span.span_id, **self.extra},
        )


@dataclass(slots=True, eq=False)
class Turn:
    """Mutable builder for an ``Invocation``."""

    trace_id: str
    said: list[Item] = field(default_factory=list[Item])
    moves: list[Move] = field(default_factory=list[Move])
    answer: Content | None = None
    """The answer in an outer span, used if no step has one."""

    def invocation(self, first_step: int, details: AppDetails | None) -> Invocation:
        """Build the ``Invocation``. The text of the last step that may be an answer is the final response."""
        steps = [move.step(number) for number, move in enumerate(self.moves, first_step)]
        answer: Content | None = None
        last = answering(steps, [at for at, move in enumerate(self.moves) if move.is_answer])
        if last is not None:
            steps[last], answer = answer_of(steps[last])
        spans = [move.span for move in self.moves]
        starts = [span.started_at for span in spans if span.started_at is not None]
        ends = [span.ended_at for span in spans if span.ended_at is not None]
        return Invocation(
            invocation_id=self.trace_id,
            user_content=Content(role="user", items=tuple(self.said), has_parts=bool(self.said)),
            steps=tuple(steps),
            final_response=answer or self.answer,
            creation_timestamp=min(starts, default=0.0),
            duration=max(max(ends) - min(starts), 0.0) if starts and ends else None,
            app_details=details,
        )


def words(items: Sequence[Item]) -> str:
    """The texts of the items, joined."""
    return "\n".join(item.text for item in items if isinstance(item, Text))
