"""Eval-set files of any size, written case by case, with what the scripted agent does as the reference."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import scripted

EVAL_SET_ID = "scripted"


def write(path: Path, cases: int, turns: int, *, wrong_every: int = 0) -> Path:
    """Write an eval set of ``cases`` cases with ``turns`` turns each.

    Args:
        path: The file.
        cases: How many cases.
        turns: How many turns each has.
        wrong_every: In every so many-th case the first turn makes another call and says other words:
            such a file is a recording with failures. 0 for none.
    """
    with path.open("w", encoding="utf-8") as stream:
        stream.write(f'{{"eval_set_id": "{EVAL_SET_ID}", "name": "{EVAL_SET_ID}", "eval_cases": [\n')
        for number, case in enumerate(_cases(cases, turns, wrong_every)):
            stream.write(",\n" if number else "")
            stream.write(json.dumps(case))
        stream.write("\n]}\n")
    return path


def _cases(cases: int, turns: int, wrong_every: int) -> Iterator[dict[str, Any]]:
    for case in range(cases):
        wrong = bool(wrong_every) and case % wrong_every == 0
        yield {
            "eval_id": f"case_{case}",
            "conversation": [_turn(case, turn, wrong=wrong and turn == 0) for turn in range(turns)],
            "session_input": {"app_name": "scripted_agent", "user_id": "user", "state": {}},
        }


def _turn(case: int, turn: int, *, wrong: bool) -> dict[str, Any]:
    text = scripted.prompt(case, turn)
    script = scripted.prompt(case + 1, turn) if wrong else text
    calls = scripted.calls(script)
    numbered = [{"id": f"call-{number}", **call} for number, call in enumerate(calls)]
    return {
        "invocation_id": f"turn-{case}-{turn}",
        "user_content": {"role": "user", "parts": [{"text": text}]},
        "final_response": {"role": "model", "parts": [{"text": scripted.answer(script)}]},
        "intermediate_data": {
            "tool_uses": numbered,
            "tool_responses": [
                {"id": call["id"], "name": call["name"], "response": scripted.response(call)}
                for call in numbered
            ],
        },
    }
