"""Strict JSON with places: what every file of JSON is read with, so that each problem names file, line and path."""

from adjudge.formats.adk_schema import Schema
from adjudge.formats.findings import Findings, is_list, is_object, kind
from adjudge.formats.json_input import JsonStream, open_file, parse_json, read_json

__all__ = [
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
