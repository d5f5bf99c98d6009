"""Items: the parts of a step, a prompt or an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from adjudge.model.base import Frozen, JsonObject, JsonValue

if TYPE_CHECKING:
    from adjudge.model.adk_view import PartView

ClaimField: TypeAlias = Literal["thinking", "memory", "evaluation_previous_goal", "next_goal"]
"""The fields of a step with an agent's statements about itself (seed 003, section 3.1)."""


class _Item(Frozen):
    extra: JsonObject | None = None
    """Other keys of the source format, with their original names."""

    @model_serializer(mode="wrap")
    def _tagged(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Always write ``kind``, also if defaults are left out: parsing needs it to choose the class."""
        return {"kind": self.__class__.model_fields["kind"].default, **handler(self)}


class Claim(_Item):
    """A statement of the agent about itself (thinking, memory, goals). Never evidence that an outcome was reached."""

    kind: Literal["claim"] = "claim"
    field: ClaimField = "thinking"
    text: str


class ToolCall(_Item):
    """A tool call by the agent (ADK ``FunctionCall``)."""

    kind: Literal["call"] = "call"
    name: str
    args: JsonObject | None = None
    """The arguments; ``None`` if the log has none, which equals ``{}`` in matching."""
    id: str | None = None
    raw_args: str | None = None
    """The text of the arguments in the log; set only if it is not a JSON object."""


class ToolResult(_Item):
    """The result of a tool call (ADK ``FunctionResponse``)."""

    kind: Literal["result"] = "result"
    name: str | None = None
    value: JsonValue = None
    call_id: str | None = None
    """The ``id`` of the call; ``None`` if the log does not contain it."""

    @property
    def is_error(self) -> bool:
        """Whether the log marks the call as failed: ``is_error`` of Anthropic and MCP, ``status`` of LangChain."""
        marks = self.extra or {}
        return marks.get("is_error") is True or marks.get("status") == "error"


class Observation(_Item):
    """What the agent observed in its environment outside of tool results, for instance a web page."""

    kind: Literal["observation"] = "observation"
    text: str
    source: str | None = None


class Text(_Item):
    """A text by a user, an agent or a sub-agent."""

    kind: Literal["text"] = "text"
    text: str


class ErrorItem(_Item):
    """An error that the log reports."""

    kind: Literal["error"] = "error"
    message: str
    code: str | None = None


class Blob(_Item):
    """Binary content: inline as base64 ``data``, or external at ``uri``."""

    kind: Literal["blob"] = "blob"
    mime_type: str | None = None
    data: str | None = None
    uri: str | None = None


class Opaque(_Item):
    """Content of the source format that has no other class in this model."""

    kind: Literal["opaque"] = "opaque"
    name: str
    value: JsonValue = None


Item: TypeAlias = Annotated[
    Claim | ToolCall | ToolResult | Observation | Text | ErrorItem | Blob | Opaque,
    Field(discriminator="kind"),
]
"""Any of the item classes; ``kind`` distinguishes them."""


class Content(Frozen):
    """A message: a role, and an ordered list of items (ADK ``Content``)."""

    role: str | None = None
    items: tuple[Item, ...] = ()
    has_parts: bool = True
    """``False`` if the source had no ``parts``, as opposed to an empty list."""

    @classmethod
    def of_text(cls, text: str, role: str | None = None) -> Content:
        """Create a message with one text."""
        return cls(role=role, items=(Text(text=text),))

    @property
    def text(self) -> str:
        """All texts joined by newlines, without the agent's thoughts."""
        return "\n".join(item.text for item in self.items if isinstance(item, Text))

    @property
    def parts(self) -> list[PartView]:
        """The items in the form of ADK's ``Part``, for metric functions written for ADK."""
        from adjudge.model.adk_view import part_view

        return [part_view(item) for item in self.items]
