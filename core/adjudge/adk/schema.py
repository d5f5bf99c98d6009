"""The classes of ADK's files: google-adk ``evaluation/*`` and google-genai ``types``, version 2.13.0.

The classes have the same names as in ADK, also in messages. Keys are read in both spellings: ``tool_uses`` and
``toolUses``.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Final, Self, TypeAlias

from pydantic import AfterValidator, BeforeValidator, ConfigDict, model_validator

from adjudge.adk.validation import FileObject, field_mistake, is_list, kind, listed, value_mistake
from adjudge.model.base import JsonObject, JsonValue


class OpenObject(FileObject):
    """An object that may have unknown keys: they are stored with a warning; one similar to a known key is an error."""

    model_config = ConfigDict(extra="allow")


# --- contents ---------------------------------------------------------------------------------


class FunctionCall(FileObject):
    """A call of a tool."""

    id: str | None = None
    name: str | None = None
    args: JsonObject | None = None
    partial_args: JsonValue = None
    will_continue: JsonValue = None


class FunctionResponse(FileObject):
    """The result of a tool call."""

    id: str | None = None
    name: str | None = None
    response: JsonObject | None = None
    parts: JsonValue = None
    scheduling: JsonValue = None
    will_continue: JsonValue = None


class Blob(FileObject):
    """Binary data in base64."""

    data: str | None = None
    mime_type: str | None = None
    display_name: JsonValue = None


class FileData(FileObject):
    """Binary data at a URI."""

    file_uri: str | None = None
    mime_type: str | None = None
    display_name: JsonValue = None


class Part(FileObject):
    """A part of a ``Content``."""

    text: str | None = None
    thought: bool | None = None
    function_call: FunctionCall | None = None
    function_response: FunctionResponse | None = None
    inline_data: Blob | None = None
    file_data: FileData | None = None
    executable_code: JsonValue = None
    code_execution_result: JsonValue = None
    tool_call: JsonValue = None
    tool_response: JsonValue = None
    audio_transcription: JsonValue = None
    thought_signature: JsonValue = None
    video_metadata: JsonValue = None
    media_resolution: JsonValue = None
    media_processing: JsonValue = None
    speech_metadata: JsonValue = None
    part_metadata: JsonValue = None


class Content(FileObject):
    """A message."""

    role: str | None = None
    parts: list[Part] | None = None


# --- turns ------------------------------------------------------------------------------------


class GenerateContentResponseUsageMetadata(FileObject):
    """The token counts of one call to a model."""

    prompt_token_count: int | None = None
    candidates_token_count: int | None = None
    total_token_count: int | None = None
    cached_content_token_count: int | None = None
    thoughts_token_count: int | None = None
    tool_use_prompt_token_count: int | None = None
    cache_tokens_details: JsonValue = None
    candidates_tokens_details: JsonValue = None
    prompt_tokens_details: JsonValue = None
    tool_use_prompt_tokens_details: JsonValue = None
    traffic_type: JsonValue = None


class InvocationEvent(OpenObject):
    """One event of a turn."""

    author: str
    content: Content | None = None
    grounding_metadata: JsonObject | None = None
    usage_metadata: GenerateContentResponseUsageMetadata | None = None
    model_version: str | None = None


def _pair(value: object) -> tuple[Any, ...]:
    if is_list(value) and len(value) == 2 and isinstance(value[0], str) and is_list(value[1]):
        return tuple(value)
    found = "another list" if is_list(value) else kind(value)
    raise value_mistake(f"an intermediate response must be [author, [part, ...]], found {found}.")


IntermediateResponse: TypeAlias = Annotated[tuple[str, list[Part]], BeforeValidator(_pair)]


class IntermediateData(FileObject):
    """The steps of a turn: either ``invocation_events`` (ADK's ``InvocationEvents``) or the other keys."""

    tool_uses: list[FunctionCall] | None = None
    tool_responses: list[FunctionResponse] | None = None
    intermediate_responses: list[IntermediateResponse] | None = None
    invocation_events: list[InvocationEvent] | None = None

    @model_validator(mode="after")
    def _has_one_form(self) -> Self:
        if "invocation_events" in self.model_fields_set and len(self.model_fields_set) > 1:
            raise value_mistake("'invocation_events' and the keys of IntermediateData exclude each other.")
        return self


class RubricContent(FileObject):
    """The text of a rubric."""

    text_property: str | None = None


class Rubric(FileObject):
    """A property of a response that a judge decides with yes or no."""

    rubric_id: str
    rubric_content: RubricContent
    description: str | None = None
    type: str | None = None


class AgentDetails(FileObject):
    """Instructions and tools of one agent."""

    name: str
    instructions: str | None = None
    tool_declarations: list[Any] | None = None


class AppDetails(FileObject):
    """The agents of an application."""

    agent_details: dict[str, AgentDetails] | None = None


class Invocation(FileObject):
    """One turn."""

    invocation_id: str | None = None
    user_content: Content
    final_response: Content | None = None
    intermediate_data: IntermediateData | None = None
    creation_timestamp: float | None = None
    duration: float | None = None
    model_duration: float | None = None
    tool_duration: float | None = None
    rubrics: list[Rubric] | None = None
    app_details: AppDetails | None = None


# --- cases ------------------------------------------------------------------------------------


class SessionInput(OpenObject):
    """The initial data of a session."""

    app_name: str
    user_id: str
    session_id: str | None = None
    state: JsonObject | None = None


def _persona(value: object) -> object:
    if value is None or isinstance(value, str | dict):
        return value  # pyright: ignore[reportUnknownVariableType]
    raise field_mistake(f"'user_persona' must be an id or an object, found {kind(value)}.")


class ConversationScenario(FileObject):
    """A conversation with a simulated user."""

    starting_prompt: str
    conversation_plan: str
    user_persona: Annotated[Any, AfterValidator(_persona)] = None


class UserBehavior(OpenObject):
    """One behaviour of a simulated user."""

    name: str
    description: str
    behavior_instructions: list[str]
    violation_rubrics: list[str]


class UserPersona(OpenObject):
    """The character of a simulated user."""

    id: str
    description: str
    behaviors: list[UserBehavior]


class EvalCase(OpenObject):
    """One case."""

    eval_id: str
    conversation: list[Invocation] | None = None
    conversation_scenario: ConversationScenario | None = None
    session_input: SessionInput | None = None
    creation_timestamp: float | None = None
    rubrics: list[Rubric] | None = None
    final_session_state: JsonObject | None = None


class EvalSet(OpenObject):
    """An eval set. Its cases are validated separately, one at a time."""

    eval_set_id: str
    name: str | None = None
    description: str | None = None
    eval_cases: list[Any]
    creation_timestamp: float | None = None


# --- configurations -----------------------------------------------------------------------------

_DOTTED: Final = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)+\Z")


def _dotted(function: str) -> str:
    if not _DOTTED.match(function):
        raise field_mistake(
            f"'name' must be a dotted path to a function, found {function!r}.",
            hint="For instance my_package.my_module.my_function.",
        )
    return function


class CodeConfig(FileObject):
    """The function of a custom metric."""

    name: Annotated[str, AfterValidator(_dotted)]


class CustomMetricConfig(OpenObject):
    """A metric that is measured by the user's own function."""

    code_config: CodeConfig
    metric_info: JsonObject | None = None
    description: str | None = None


class EvalConfig(OpenObject):
    """A configuration file, ``test_config.json``."""

    criteria: JsonObject | None = None
    custom_metrics: dict[str, CustomMetricConfig] | None = None
    user_simulator_config: JsonObject | None = None
    live_model_config: JsonObject | None = None


# --- formats older than the schema ------------------------------------------------------------

FOREIGN_ARGUMENTS: Final = ("tool_parameters", "tool_args")
"""Other names of ``tool_input`` that occur in users' files. ADK rejects them."""

# fmt: off
_OF_TOOLS: Final = frozenset({
    "tool", "tools", "tooluse", "toolcall", "toolcalls", "call", "calls", "function", "functions", "trajectory",
})
"""Words in unknown keys of a turn that probably mean expected tool calls."""
_OF_ANSWERS: Final = frozenset({
    "expected", "expect", "expects", "reference", "references", "response", "responses", "answer", "answers", "output",
    "golden",
})
# fmt: on
"""Words in unknown keys of a turn that probably mean an expected answer, or any other expectation."""


class OldSession(OpenObject):
    """The initial session in an older format."""

    model_config = ConfigDict(title="initial session")

    app_name: str | None = None
    user_id: str | None = None
    state: JsonObject | None = None


class OldToolUse(OpenObject):
    """An expected tool call.

    A call without arguments in the file is a problem: it would expect a call with no arguments, and an agent that
    makes the right call would fail.
    """

    model_config = ConfigDict(title="expected_tool_use")
    keeps = False

    tool_name: str
    tool_input: JsonObject | None = None
    tool_parameters: JsonObject | None = None
    tool_args: JsonObject | None = None

    @property
    def arguments(self) -> dict[str, JsonObject]:
        """The arguments by the key under which they are given."""
        names = ("tool_input", *FOREIGN_ARGUMENTS)
        return {name: value for name in names if (value := getattr(self, name)) is not None}

    @model_validator(mode="after")
    def _has_arguments(self) -> Self:
        if len(self.arguments) > 1:
            raise value_mistake(
                f"the arguments are given more than once: {listed(list(self.arguments))}.",
                hint="Keep them under 'tool_input' alone.",
            )
        if not self.model_fields_set & {"tool_input", *FOREIGN_ARGUMENTS}:
            keys = [*(name for name, _ in self if name in self.model_fields_set), *(self.model_extra or {})]
            raise value_mistake(
                f"expected_tool_use has no 'tool_input'; it has {listed(keys) or 'no key'}.",
                hint="Name the arguments 'tool_input'. A call without arguments has \"tool_input\": {}.",
            )
        return self


class OldResponse(OpenObject):
    """An expected text of a sub-agent."""

    model_config = ConfigDict(title="expected_intermediate_agent_responses")
    keeps = False

    author: str
    text: str


class OldTurn(OpenObject):
    """One turn."""

    model_config = ConfigDict(title="turn of the old shape")
    keeps = False

    query: str
    expected_tool_use: list[OldToolUse] | None = None
    expected_intermediate_agent_responses: list[OldResponse] | None = None
    reference: str | None = None

    @classmethod
    def meant_by(cls, key: str) -> str | None:
        """The known key that an unknown key probably means; ``None`` if it expresses no expectation."""
        words = set(re.sub(r"([a-z])([A-Z])", r"\1_\2", key).lower().split("_"))
        if "mock" in words:  # a result that a tool should return, not an expectation
            return None
        if words & _OF_TOOLS:
            return "expected_tool_use"
        return "reference" if words & _OF_ANSWERS else None


class OldCase(OpenObject):
    """A named case."""

    model_config = ConfigDict(title="case of the old shape")

    name: str
    data: list[OldTurn]
    initial_session: OldSession | None = None
