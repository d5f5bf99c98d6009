"""The keys of ADK's schema: google-adk ``evaluation/*`` and google-genai ``types``, version 2.13.0.

Both spellings are known: ``tool_uses`` and ``toolUses``.
"""

from __future__ import annotations

from functools import cache
from typing import Final


class Schema:
    """The keys of one kind of object."""

    __slots__ = ("fields", "keeps", "keys", "name", "open")

    def __init__(self, name: str, fields: str, *, is_open: bool = False, keeps: bool = True) -> None:
        self.name = name
        """What messages call it."""
        self.fields = tuple(fields.split())
        self.keys: dict[str, str] = {
            spelling: field for field in self.fields for spelling in (field, camel(field))
        }
        """Every accepted spelling, to the field."""
        self.open = is_open
        """Whether further keys are taken rather than refused."""
        self.keeps = keeps
        """Whether further keys that were taken are written again when the eval set is saved."""


@cache
def camel(name: str) -> str:
    """``tool_uses`` as ``toolUses``."""
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() for part in rest)


EVAL_SET: Final = Schema(
    "EvalSet", "eval_set_id name description eval_cases creation_timestamp", is_open=True
)
EVAL_CASE: Final = Schema(
    "EvalCase",
    "eval_id conversation conversation_scenario session_input creation_timestamp rubrics final_session_state",
    is_open=True,
)
SESSION_INPUT: Final = Schema("SessionInput", "app_name user_id session_id state", is_open=True)
SCENARIO: Final = Schema("ConversationScenario", "starting_prompt conversation_plan user_persona")
INVOCATION: Final = Schema(
    "Invocation",
    "invocation_id user_content final_response intermediate_data creation_timestamp duration"
    " model_duration tool_duration rubrics app_details",
)
INTERMEDIATE_DATA: Final = Schema("IntermediateData", "tool_uses tool_responses intermediate_responses")
INVOCATION_EVENTS: Final = Schema("InvocationEvents", "invocation_events")
INVOCATION_EVENT: Final = Schema(
    "InvocationEvent",
    "author content grounding_metadata usage_metadata model_version",
    is_open=True,
)
RUBRIC: Final = Schema("Rubric", "rubric_id rubric_content description type")
RUBRIC_CONTENT: Final = Schema("RubricContent", "text_property")
APP_DETAILS: Final = Schema("AppDetails", "agent_details")
AGENT_DETAILS: Final = Schema("AgentDetails", "name instructions tool_declarations")
CONTENT: Final = Schema("Content", "role parts")
PART: Final = Schema(
    "Part",
    "text thought function_call function_response inline_data file_data executable_code"
    " code_execution_result tool_call tool_response audio_transcription thought_signature"
    " video_metadata media_resolution media_processing speech_metadata part_metadata",
)
FUNCTION_CALL: Final = Schema("FunctionCall", "id name args partial_args will_continue")
FUNCTION_RESPONSE: Final = Schema("FunctionResponse", "id name response parts scheduling will_continue")
INLINE_DATA: Final = Schema("Blob", "data mime_type display_name")
FILE_DATA: Final = Schema("FileData", "file_uri mime_type display_name")
USAGE: Final = Schema(
    "GenerateContentResponseUsageMetadata",
    "prompt_token_count candidates_token_count total_token_count cached_content_token_count"
    " thoughts_token_count tool_use_prompt_token_count cache_tokens_details candidates_tokens_details"
    " prompt_tokens_details tool_use_prompt_tokens_details traffic_type",
)

# In a log they may be those of a newer version: their further keys are no fault of it.
GROWING: Final = (CONTENT, PART, FUNCTION_CALL, FUNCTION_RESPONSE, INLINE_DATA, FILE_DATA, USAGE)

# The shapes from before the schema.
OLD_CASE: Final = Schema("case of the old shape", "name data initial_session", is_open=True)
OLD_TURN: Final = Schema(
    "turn of the old shape",
    "query expected_tool_use expected_intermediate_agent_responses reference",
    is_open=True,
    keeps=False,
)
OLD_TOOL_USE: Final = Schema("expected_tool_use", "tool_name tool_input", is_open=True, keeps=False)
OLD_RESPONSE: Final = Schema(
    "expected_intermediate_agent_responses", "author text", is_open=True, keeps=False
)
OLD_SESSION: Final = Schema("initial session", "app_name user_id state", is_open=True)
