"""A step: one action of the agent, and its cost."""

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
"""The ADK form in which a step was read, and in which it is saved."""


MOST_TOKENS: Final = 2**63 - 1
"""The maximum number of tokens, limited by the 64-bit integers of programs that read reports."""


def _possible(count: int | None) -> int | None:
    return count if count is None or 0 <= count <= MOST_TOKENS else None


TokenCount: TypeAlias = Annotated[int | None, AfterValidator(_possible)]
"""A number from 0 to ``MOST_TOKENS``. Other numbers are impossible, and count as not reported (``None``)."""


class Usage(Frozen):
    """The tokens of one or more model calls. ``None`` means "not reported", not zero."""

    input_tokens: TokenCount = None
    output_tokens: TokenCount = None
    total_tokens: TokenCount = None
    cached_tokens: TokenCount = None
    """The part of the input tokens that came from a cache."""
    reasoning_tokens: TokenCount = None
    tool_use_tokens: TokenCount = None
    extra: JsonObject | None = None
    """Other keys of the source format."""


def total_usage(usages: Iterable[Usage | None]) -> Usage | None:
    """Add the tokens of several calls. A field that no call reports is ``None``; without any reports the result is."""
    known = [usage for usage in usages if usage is not None]
    if not known:
        return None

    def total(field: str) -> int | None:
        values = [value for usage in known if (value := getattr(usage, field)) is not None]
        return min(sum(values), MOST_TOKENS) if values else None

    return Usage.model_validate({field: total(field) for field in Usage.model_fields if field != "extra"})


class Step(Frozen):
    """One step of the agent in an invocation: an ordered list of items."""

    number: int = Field(ge=1)
    """The number in the log, if the log's numbers are unique, increasing and at least 1; else the position from 1."""
    items: tuple[Item, ...] = ()
    author: str | None = None
    """The agent or sub-agent that acted."""
    role: str | None = None
    form: StepForm | None = None
    source_ref: str | None = None
    """The place in the source: a JSON path, or a file and a line."""
    model: str | None = None
    """The model version reported by the provider."""
    usage: Usage | None = None
    started_at: float | None = None
    """Unix time in seconds."""
    duration: float | None = None
    """Seconds."""
    parent_call_id: str | None = None
    """Set if an agent was called as a tool and this step is part of its work: the id of that call. The calls of such a
    step do not count as calls of the turn."""
    raw_event: JsonValue = None
    model_request: JsonValue = None
    model_response: JsonValue = None
    extra: JsonObject | None = None
    """Other keys of the source format."""

    def claim(self, field: ClaimField) -> str | None:
        """The agent's claim of the kind ``field``; several claims are joined by newlines; ``None`` if there is none."""
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
        """The observations of the environment, in order."""
        return tuple(item for item in self.items if isinstance(item, Observation))

    @property
    def errors(self) -> tuple[ErrorItem, ...]:
        """The errors that the log reports for this step."""
        return tuple(item for item in self.items if isinstance(item, ErrorItem))

    @property
    def text(self) -> str:
        """The texts of the agent or sub-agent without thoughts, joined by newlines."""
        return "\n".join(item.text for item in self.items if isinstance(item, Text))
