"""Strict JSON with places: what every file of JSON is read with, so that each problem names file, line and path."""

from adjudge.adk.json_decoder import MAX_DEPTH
from adjudge.adk.json_input import JsonStream, open_file, parse_json, read_json
from adjudge.adk.schema import Schema
from adjudge.adk.validation import Findings, is_list, is_object, kind

__all__ = [
    "MAX_DEPTH",
    "Findings",
    "JsonStream",
    "Schema",
    "is_list",
    "is_object",
    "kind",
    "open_file",
    "parse_json",
    "read_json",
]
