"""Answers: calls by which an agent ends its run or speaks to its user, and changes nothing."""

from __future__ import annotations

from typing import Final

_ANSWERING: Final = frozenset(
    {
        "answer", "complete", "done", "exit", "final_answer", "final_response", "finish", "give_final_answer",
        "report_infeasible", "respond", "response", "return_answer", "send_msg_to_user", "stop", "submit_answer",
        "terminate",
    }
)  # fmt: skip


def is_answer(tool: str) -> bool:
    """Whether a call of a tool of this name is an answer: what it says are the agent's own words."""
    return tool.lower() in _ANSWERING
