"""Strict JSON with places: reads JSON files so that each problem names file, line and path."""

from adjudge.adk.json_decoder import MAX_DEPTH
from adjudge.adk.json_input import JsonStream, open_file, parse_json, read_json
from adjudge.adk.validation import (
    FileObject,
    Findings,
    field_mistake,
    is_list,
    is_object,
    kind,
    value_mistake,
)

__all__ = [
    "MAX_DEPTH",
    "FileObject",
    "Findings",
    "JsonStream",
    "field_mistake",
    "is_list",
    "is_object",
    "kind",
    "open_file",
    "parse_json",
    "read_json",
    "value_mistake",
]
