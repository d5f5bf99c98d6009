"""The scripted agent as adjudge runs it: a function from a text to a turn."""

from __future__ import annotations

from typing import Any

import scripted


def agent(text: str) -> dict[str, Any]:
    """Do and say what the script says."""
    calls = [{"id": f"call-{number}", **call} for number, call in enumerate(scripted.calls(text))]
    responses = [
        {"id": call["id"], "name": call["name"], "response": scripted.response(call)} for call in calls
    ]
    return {
        "intermediate_data": {"tool_uses": calls, "tool_responses": responses},
        "final_response": {"role": "model", "parts": [{"text": scripted.answer(text)}]},
    }
