"""Formats: ADK's files, read into the model and written from it without loss.

This floor knows the new schema, both shapes from before it, and configuration files. The logs of
other tools are the business of trace readers.
"""

from adjudge.adk.case import case_from_adk, case_to_adk
from adjudge.adk.config import load_config, parse_config
from adjudge.adk.content import content_from_adk, content_to_adk
from adjudge.adk.eval_set_file import (
    EvalSetFile,
    load_eval_set,
    open_eval_set,
    read_eval_cases,
)
from adjudge.adk.eval_set_pass import CaseEntry
from adjudge.adk.eval_set_writing import dump_eval_set, eval_set_to_adk, migrate_eval_set
from adjudge.adk.invocation import invocation_from_adk, invocation_to_adk
from adjudge.adk.json_input import parse_json, read_json
from adjudge.adk.labelled import read_labelled
from adjudge.adk.selection import find_eval_sets, split_selection

__all__ = [
    "CaseEntry",
    "EvalSetFile",
    "case_from_adk",
    "case_to_adk",
    "content_from_adk",
    "content_to_adk",
    "dump_eval_set",
    "eval_set_to_adk",
    "find_eval_sets",
    "invocation_from_adk",
    "invocation_to_adk",
    "load_config",
    "load_eval_set",
    "migrate_eval_set",
    "open_eval_set",
    "parse_config",
    "parse_json",
    "read_eval_cases",
    "read_json",
    "read_labelled",
    "split_selection",
]
