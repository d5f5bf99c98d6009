"""Shell commands in the actions of SWE-agent."""

from __future__ import annotations

from adjudge.model import ToolCall


def call_of_command(action: object) -> list[ToolCall]:
    """Convert a command to a call: the first word is the name, and the rest is kept verbatim in ``raw_args``."""
    words = action.strip().split(maxsplit=1) if isinstance(action, str) else []
    if not words:
        return []
    if len(words) == 1:
        return [ToolCall(name=words[0], args={})]
    return [ToolCall(name=words[0], raw_args=words[1])]
