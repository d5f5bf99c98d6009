"""Turns and steps while they are put together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from adjudge.kit.openai import answer_of, answering
from adjudge.model.base import JsonObject
from adjudge.model.invocation import AppDetails, Invocation
from adjudge.model.items import Content, Item, Text, ToolCall
from adjudge.model.step import Step, Usage
from adjudge_plugins.readers.spans.span import Span


@dataclass(slots=True, eq=False)
class Move:
    """A step to be."""

    span: Span
    items: list[Item] = field(default_factory=list[Item])
    author: str | None = None
    role: str | None = None
    model: str | None = None
    usage: Usage | None = None
    extra: JsonObject = field(default_factory=dict[str, object])
    is_answer: bool = False
    """Whether its words may be the answer to the user."""
    path: str | None = None
    """Where in the span it was read from, if not from the whole."""

    @property
    def calls(self) -> list[ToolCall]:
        """Its calls."""
        return [item for item in self.items if isinstance(item, ToolCall)]

    def step(self, number: int) -> Step:
        """The step."""
        span = self.span
        return Step(
            number=number,
            items=tuple(self.items),
            author=self.author,
            role=self.role,
            source_ref=f"{span.place}{self.path or ''}",
            model=self.model,
            usage=self.usage,
            started_at=None if self.path else span.started_at,
            duration=None if self.path else span.duration,
            extra={"span_id": span.span_id, **self.extra},
        )


@dataclass(slots=True, eq=False)
class Turn:
    """A turn to be."""

    trace_id: str
    said: list[Item] = field(default_factory=list[Item])
    moves: list[Move] = field(default_factory=list[Move])
    answer: Content | None = None
    """What the trace says was answered, where no step does."""

    def invocation(self, first_step: int, details: AppDetails | None) -> Invocation:
        """The turn; the words of its last step that can be the answer are its final response."""
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
    """The texts among the items."""
    return "\n".join(item.text for item in items if isinstance(item, Text))
