"""Short facts about each case for a list of cases, without reading the whole case."""

from __future__ import annotations

from adjudge.adk.eval_set_file import CaseEntry


def entry_marks(entry: CaseEntry) -> list[str]:
    """Short notes about a case for a list: its size, and which parts it has or lacks."""
    marks = {
        "rubrics": entry.has_rubrics,
        "initial state": entry.has_state,
        "final state": entry.has_final_session_state,
        "intermediate responses": entry.has_reference_intermediate,
        "no reference response": not entry.is_scenario and not entry.has_reference_response,
    }
    size = "scenario" if entry.is_scenario else f"{entry.turns} turn{'' if entry.turns == 1 else 's'}"
    return [size, *(name for name, has in marks.items() if has)]
