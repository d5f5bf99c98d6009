"""The lines of the protocol, and how they are parsed."""

from __future__ import annotations

import json
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from adjudge.kit.strict_json import parse_json
from adjudge.model import AgentDetails, Claim, Item, JsonObject, JsonValue, Text, ToolCall, ToolResult, Usage
from adjudge.plugin import AgentError, InputError

PROTOCOL: Final = 1
"""The version that the first line names."""

_SHOWN: Final = 200
"""Bytes of a line that a message shows."""


class _Line(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Tool(_Line):
    name: str
    description: str = ""
    parameters: JsonObject | None = None


class AgentLine(_Line):
    """What an agent is told and can call."""

    type: Literal["agent"]
    name: str
    instructions: str = ""
    tools: list[_Tool] = []

    def details(self) -> AgentDetails:
        """The agent, as criteria see it."""
        tools = tuple(tool.model_dump(exclude_none=True) for tool in self.tools)
        return AgentDetails(name=self.name, instructions=self.instructions, tool_declarations=tools)


class _Call(_Line):
    name: str
    args: JsonObject = {}
    id: str | None = None


class _Result(_Line):
    value: JsonValue = None
    id: str | None = None
    name: str | None = None
    error: bool = False


class _Tokens(_Line):
    input_tokens: int | None = None
    output_tokens: int | None = None
    total_tokens: int | None = None
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None


class _Move(_Line):
    author: str | None = None
    model: str | None = None
    usage: _Tokens | None = None
    state: JsonObject | None = None

    def tokens(self) -> Usage | None:
        """What it took."""
        return None if self.usage is None else Usage(**self.usage.model_dump())


class StepLine(_Move):
    """A move of the agent, or of its tools."""

    type: Literal["step"]
    thought: str | None = None
    text: str | None = None
    calls: list[_Call] = []
    results: list[_Result] = []
    parent_call_id: str | None = None

    def items(self) -> list[Item]:
        """What the step consists of."""
        items: list[Item] = []
        if self.thought is not None:
            items.append(Claim(field="thinking", text=self.thought))
        if self.text is not None:
            items.append(Text(text=self.text))
        items += [ToolCall(name=call.name, args=call.args, id=call.id) for call in self.calls]
        items += [
            ToolResult(
                name=result.name,
                value=result.value,
                call_id=result.id,
                extra={"is_error": True} if result.error else None,
            )
            for result in self.results
        ]
        return items


class PieceLine(_Line):
    """A piece of the answer, as it comes."""

    type: Literal["piece"]
    text: str


class AnswerLine(_Move):
    """The end of a turn."""

    type: Literal["answer"]
    text: str | None = None
    output: JsonValue = None
    question: bool = False

    def words(self, pieces: list[str]) -> str:
        """The final response: the text, else the output as JSON, else the pieces."""
        if self.text is not None:
            return self.text
        if "output" in self.model_fields_set:
            return json.dumps(self.output, ensure_ascii=False)
        return "".join(pieces)


class ErrorLine(_Line):
    """The end of a turn that went wrong."""

    type: Literal["error"]
    message: str
    code: str = "agent_failed"
    retryable: bool = False


Line = AgentLine | StepLine | PieceLine | AnswerLine | ErrorLine
_LINE: Final[TypeAdapter[Line]] = TypeAdapter(Annotated[Line, Field(discriminator="type")])


def shown(line: bytes) -> str:
    """The beginning of a line, for messages."""
    return line[:_SHOWN].decode(errors="replace").strip()


def read_line(line: bytes) -> Line:
    """The line that an agent wrote.

    Raises:
        AgentError: it is none of the protocol (``bad_answer``).
    """
    try:
        data: Any = parse_json(_decoded(line), source="the line")
    except InputError as error:
        problem = error.problems[0]
        place = "" if problem.column is None else f"column {problem.column}: "
        raise AgentError(
            f"the agent wrote a line that is no JSON: {shown(line)!r} ({place}{problem.what.rstrip('.')}). "
            "Print messages for people to standard error",
            code="bad_answer",
        ) from None
    try:
        return _LINE.validate_python(data)
    except ValidationError as error:
        found = error.errors(include_url=False)[0]
        place = ".".join(map(str, found["loc"]))
        raise AgentError(
            f"the agent wrote a line of another shape: {place or 'the line'}: {found['msg']}: {shown(line)!r}",
            code="bad_answer",
        ) from None


def _decoded(line: bytes) -> str | bytes:
    """The text, which is parsed faster; the bytes where they are none, which the parser then tells."""
    try:
        return line.decode()
    except UnicodeDecodeError:
        return line
