"""Shared code of trace readers: opening and recognising logs, and reading JSON with positions."""

from adjudge.kit.logs.blobs import blob_of, items_without_blobs, step_without_blobs, without_blobs
from adjudge.kit.logs.json_stream import opened
from adjudge.kit.logs.location import Place
from adjudge.kit.logs.loss_report import Losses
from adjudge.kit.logs.mending import MendingJsonStream, parse_mending
from adjudge.kit.logs.numbers import with_numbers
from adjudge.kit.logs.outlines import Outline, outline
from adjudge.kit.logs.prose import ACTIONS_IN_PROSE, has_actions_in_prose
from adjudge.kit.logs.unpacking import open_log
from adjudge.kit.logs.values import list_of, moment_of, object_of, seconds_of, text_of
from adjudge.kit.openai import arguments_of

__all__ = [
    "ACTIONS_IN_PROSE",
    "Losses",
    "MendingJsonStream",
    "Outline",
    "Place",
    "arguments_of",
    "blob_of",
    "has_actions_in_prose",
    "items_without_blobs",
    "list_of",
    "moment_of",
    "object_of",
    "open_log",
    "opened",
    "outline",
    "parse_mending",
    "seconds_of",
    "step_without_blobs",
    "text_of",
    "with_numbers",
    "without_blobs",
]
