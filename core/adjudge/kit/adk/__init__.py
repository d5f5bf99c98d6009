"""Converts Google ADK's data to adjudge's model and back: contents, invocations, eval cases, session events."""

from adjudge.adk.eval_set_file import CaseEntry, EvalSetFile
from adjudge.adk.eval_set_pass import first_entries, open_eval_set
from adjudge.adk.personas import known_personas, persona_of
from adjudge.adk.selection import eval_sets_by_id, find_eval_sets, split_selection
from adjudge.kit.adk.documents import (
    case_from_adk,
    content_from_adk,
    invocation_from_adk,
    load_eval_set,
    read_eval_cases,
)
from adjudge.kit.adk.events import AdkEvent, turn_from_adk_events
from adjudge.kit.adk.golden import case_from_trajectory
from adjudge.kit.adk.migration import migrate_eval_set, read_session_file
from adjudge.kit.adk.serialization import case_to_adk, content_to_adk, dump_eval_set, invocation_to_adk

__all__ = [
    "AdkEvent",
    "CaseEntry",
    "EvalSetFile",
    "case_from_adk",
    "case_from_trajectory",
    "case_to_adk",
    "content_from_adk",
    "content_to_adk",
    "dump_eval_set",
    "eval_sets_by_id",
    "find_eval_sets",
    "first_entries",
    "invocation_from_adk",
    "invocation_to_adk",
    "known_personas",
    "load_eval_set",
    "migrate_eval_set",
    "open_eval_set",
    "persona_of",
    "read_eval_cases",
    "read_session_file",
    "split_selection",
    "turn_from_adk_events",
]
