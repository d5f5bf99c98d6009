"""Commands for the shell, as SWE-agent writes its actions."""

from __future__ import annotations

from adjudge.model import ToolCall


def call_of_command(action: object) -> list[ToolCall]:
    """A command as a call: its first word is the name, the rest stays as it is in ``raw_args``."""
    words = action.strip().split(maxsplit=1) if isinstance(action, str) else []
    if not words:
        return []
    if len(words) == 1:
        return [ToolCall(name=words[0], args={})]
    return [ToolCall(name=words[0], raw_args=words[1])]
