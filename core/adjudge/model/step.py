"""A step: one move of the agent, and what it cost."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Final, Literal, TypeAlias

from pydantic import AfterValidator, Field

from adjudge.model.base import Frozen, JsonObject, JsonValue
from adjudge.model.items import (
    Claim,
    ClaimField,
    ErrorItem,
    Item,
    Observation,
    Text,
    ToolCall,
    ToolResult,
)

StepForm: TypeAlias = Literal["tool_use", "tool_response", "intermediate_response", "event"]
"""The ADK form that a step was read from and is written back to."""


MOST_TOKENS: Final = 2**63 - 1
"""What programs that read reports can take. No model reads as many."""


def _possible(count: int | None) -> int | None:
    return count if count is None or 0 <= count <= MOST_TOKENS else None


TokenCount: TypeAlias = Annotated[int | None, AfterValidator(_possible)]
"""From 0 to ``MOST_TOKENS``. Any other number cannot be what a call took: it counts as not reported."""


class Usage(Frozen):
    """Tokens of one or more model calls. ``None`` is "not reported", never zero."""

    input_tokens: TokenCount = None
    output_tokens: TokenCount = None
    total_tokens: TokenCount = None
    cached_tokens: TokenCount = None
    """The part of the input that came from a cache."""
    reasoning_tokens: TokenCount = None
    tool_use_tokens: TokenCount = None
    extra: JsonObject | None = None
    """Further keys of the source format."""


def total_usage(usages: Iterable[Usage | None]) -> Usage | None:
    """The tokens of several calls together; a field that no call reports is ``None``, and so is the whole."""
    known = [usage for usage in usages if usage is not None]
    if not known:
        return None

    def total(field: str) -> int | None:
        values = [value for usage in known if (value := getattr(usage, field)) is not None]
        return min(sum(values), MOST_TOKENS) if values else None

    return Usage.model_validate({field: total(field) for field in Usage.model_fields if field != "extra"})


class Step(Frozen):
    """One move of the agent inside an invocation: an ordered list of items."""

    number: int = Field(ge=1)
    """The log's own number where that is unique, increasing and at least 1, else the position from 1."""
    items: tuple[Item, ...] = ()
    author: str | None = None
    """The agent or sub-agent that moved."""
    role: str | None = None
    form: StepForm | None = None
    source_ref: str | None = None
    """Where it was read from: a JSON path, or a file and a line."""
    model: str | None = None
    """The version that the model reported of itself."""
    usage: Usage | None = None
    started_at: float | None = None
    """Seconds since the epoch."""
    duration: float | None = None
    """Seconds."""
    parent_call_id: str | None = None
    """The call that this step is part of: an agent was called as a tool, and this is what it did. Its calls are none of
    the turn's own."""
    raw_event: JsonValue = None
    model_request: JsonValue = None
    model_response: JsonValue = None
    extra: JsonObject | None = None
    """Further keys of the source format."""

    def claim(self, field: ClaimField) -> str | None:
        """What the agent claims under ``field``; several claims are joined by a newline."""
        texts = [item.text for item in self.items if isinstance(item, Claim) and item.field == field]
        return "\n".join(texts) if texts else None

    @property
    def thinking(self) -> str | None:
        """The agent's reasoning."""
        return self.claim("thinking")

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The tool calls, in order."""
        return tuple(item for item in self.items if isinstance(item, ToolCall))

    @property
    def results(self) -> tuple[ToolResult, ...]:
        """The tool results, in order."""
        return tuple(item for item in self.items if isinstance(item, ToolResult))

    @property
    def observations(self) -> tuple[Observation, ...]:
        """What the environment showed."""
        return tuple(item for item in self.items if isinstance(item, Observation))

    @property
    def errors(self) -> tuple[ErrorItem, ...]:
        """The errors that the log reports for this step."""
        return tuple(item for item in self.items if isinstance(item, ErrorItem))

    @property
    def text(self) -> str:
        """What the agent or sub-agent said, thoughts excluded, joined by a newline."""
        return "\n".join(item.text for item in self.items if isinstance(item, Text))
