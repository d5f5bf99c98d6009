"""What Google ADK writes, as adjudge's model and back: contents, invocations, eval cases, events of a session."""

from adjudge.formats.adk_case import case_from_adk, case_to_adk
from adjudge.formats.adk_content import content_from_adk, content_to_adk
from adjudge.formats.adk_invocation import invocation_from_adk, invocation_to_adk
from adjudge.formats.eval_set_file import read_eval_cases
from adjudge.kit.adk.events import AdkEvent, turn_from_adk_events

__all__ = [
    "AdkEvent",
    "case_from_adk",
    "case_to_adk",
    "content_from_adk",
    "content_to_adk",
    "invocation_from_adk",
    "invocation_to_adk",
    "read_eval_cases",
    "turn_from_adk_events",
]
