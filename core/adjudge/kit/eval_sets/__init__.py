"""Edits eval-set files: adds, replaces and removes cases, compares files, and does not overwrite changes of others."""

from adjudge.adk.selection import EVAL_SET_SUFFIX
from adjudge.kit.eval_sets.differences import ABSENT, Change, changes
from adjudge.kit.eval_sets.document import EvalSetDocument, checked_id, id_from, id_of, write_whole
from adjudge.kit.eval_sets.json_place import Steps, steps_of, value_at, with_value, without
from adjudge.kit.eval_sets.marks import entry_marks

__all__ = [
    "ABSENT",
    "EVAL_SET_SUFFIX",
    "Change",
    "EvalSetDocument",
    "Steps",
    "changes",
    "checked_id",
    "entry_marks",
    "id_from",
    "id_of",
    "steps_of",
    "value_at",
    "with_value",
    "without",
    "write_whole",
]
