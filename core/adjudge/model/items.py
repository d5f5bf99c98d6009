"""Items: the small things that a step, a prompt or an answer is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from adjudge.model.base import Frozen, JsonObject, JsonValue

if TYPE_CHECKING:
    from adjudge.model.adk_view import PartView

ClaimField: TypeAlias = Literal["thinking", "memory", "evaluation_previous_goal", "next_goal"]
"""The places in which an agent says something about itself (seed 003, section 3.1)."""


class _Item(Frozen):
    extra: JsonObject | None = None
    """Further keys of the source format, under the names that the format gives them."""

    @model_serializer(mode="wrap")
    def _tagged(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Keep ``kind`` where defaults are left out: without it an item cannot be read back."""
        return {"kind": self.__class__.model_fields["kind"].default, **handler(self)}


class Claim(_Item):
    """What the agent says of itself. Never evidence of an outcome."""

    kind: Literal["claim"] = "claim"
    field: ClaimField = "thinking"
    text: str


class ToolCall(_Item):
    """A call that the agent made (ADK ``FunctionCall``)."""

    kind: Literal["call"] = "call"
    name: str
    args: JsonObject | None = None
    """The arguments; ``None`` where the log has none, which equals ``{}`` in matching."""
    id: str | None = None
    raw_args: str | None = None
    """The arguments as the log wrote them, kept only where they are not a JSON object."""


class ToolResult(_Item):
    """What a call gave back (ADK ``FunctionResponse``)."""

    kind: Literal["result"] = "result"
    name: str | None = None
    value: JsonValue = None
    call_id: str | None = None
    """The ``id`` of the call that it answers; ``None`` where the log does not say."""

    @property
    def is_error(self) -> bool:
        """Whether the log marks the call as failed: ``is_error`` of Anthropic and MCP, ``status`` of LangChain."""
        marks = self.extra or {}
        return marks.get("is_error") is True or marks.get("status") == "error"


class Observation(_Item):
    """What the environment showed outside a tool result, for instance a page."""

    kind: Literal["observation"] = "observation"
    text: str
    source: str | None = None


class Text(_Item):
    """Natural language of a user, an agent or a sub-agent."""

    kind: Literal["text"] = "text"
    text: str


class ErrorItem(_Item):
    """An error that the log reports."""

    kind: Literal["error"] = "error"
    message: str
    code: str | None = None


class Blob(_Item):
    """Binary content: inline as base64 ``data``, or by ``uri`` where it stays outside."""

    kind: Literal["blob"] = "blob"
    mime_type: str | None = None
    data: str | None = None
    uri: str | None = None


class Opaque(_Item):
    """Something that the format has and this model has no word for."""

    kind: Literal["opaque"] = "opaque"
    name: str
    value: JsonValue = None


Item: TypeAlias = Annotated[
    Claim | ToolCall | ToolResult | Observation | Text | ErrorItem | Blob | Opaque,
    Field(discriminator="kind"),
]
"""Any of the item classes, told apart by ``kind``."""


class Content(Frozen):
    """A message: who speaks, and an ordered list of items (ADK ``Content``)."""

    role: str | None = None
    items: tuple[Item, ...] = ()
    has_parts: bool = True
    """``False`` where the source had no ``parts`` at all, which is not an empty list."""

    @classmethod
    def of_text(cls, text: str, role: str | None = None) -> Content:
        """A message of one text."""
        return cls(role=role, items=(Text(text=text),))

    @property
    def text(self) -> str:
        """All texts joined by a newline, without the agent's thoughts."""
        return "\n".join(item.text for item in self.items if isinstance(item, Text))

    @property
    def parts(self) -> list[PartView]:
        """The items as ADK's ``Part`` objects show them, for metric functions written for ADK."""
        from adjudge.model.adk_view import part_view

        return [part_view(item) for item in self.items]
