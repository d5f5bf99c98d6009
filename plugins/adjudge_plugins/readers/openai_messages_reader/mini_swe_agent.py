"""Messages of mini-SWE-agent: commands are in code blocks, and the shell's output is in messages of the user.

Names: mini-SWE-agent ``agents/default.py``, ``models/utils/actions_text.py`` and the templates of its
configurations.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, cast

from adjudge.kit import logs
from adjudge.model import Item, JsonObject, Observation, Step, Text, ToolCall, ToolResult
from adjudge_plugins.readers import reports

_FORMAT: Final = "mini-swe-agent"
_OWN_BLOCK: Final = "```mswea_bash_command"
_BLOCK: Final = re.compile(r"```(?:mswea_bash_command|bash)[ \t]*\n(.*?)\n?```", re.DOTALL)
_SHELL: Final = re.compile(r"\s*(?:<exception>|\Z)|.*<output>", re.DOTALL)
"""Matches shell output other than reports, and the submission, which may be empty."""
_TOOL: Final = "bash"
_GUESSED: Final = "who wrote the messages of the user after the first: they are taken for the environment's"


def is_written_by_it(run: JsonObject, messages: Sequence[Any]) -> bool:
    """Whether mini-SWE-agent wrote the run: the run says so, or a message has its kind of code block."""
    if logs.text_of(run.get("trajectory_format")).startswith(_FORMAT):
        return True
    return any(
        _OWN_BLOCK in content
        for message in messages
        if isinstance(message, dict)
        and (said := cast("JsonObject", message)).get("role") == "assistant"
        and isinstance(content := said.get("content"), str)
    )


def with_known_role(message: Any) -> Any:
    """Convert the role ``exit`` of the last message to that of the environment."""
    told = logs.object_of(message)
    return {**told, "role": "user"} if told.get("role") == "exit" else message


def with_commands(steps: Iterable[Step], losses: logs.Losses) -> Iterator[Step]:
    """Convert commands to calls, and the user messages after them to results.

    No message after the agent's first one starts a turn: messages of a person in an interactive session are
    not marked as such, and become observations.
    """
    acting: Step | None = None
    has_acted = False
    for step in steps:
        if step.role == "user" and has_acted:
            if not reports.is_report(step.text) and not _SHELL.match(step.text):
                losses.add(_GUESSED)
            if acting is None:
                seen = Observation(text=step.text, source="environment")
                yield step.model_copy(update={"items": (seen,), "role": "system"})
            else:
                acting = acting.model_copy(update={"items": (*acting.items, _answer(acting, step))})
            continue
        if acting is not None:
            yield acting
        acting = None
        if step.role == "assistant":
            acting, has_acted = _with_command(step), True
        else:
            yield step
    if acting is not None:
        yield acting


def _with_command(step: Step) -> Step:
    """Convert the single command in a step's text to a call. The format allows exactly one command."""
    text = step.text
    found = list(_BLOCK.finditer(text))
    if step.calls or len(found) != 1:
        return step
    [block] = found
    around = f"{text[: block.start()].rstrip()}\n{text[block.end() :].strip()}".strip()
    others = [item for item in step.items if not isinstance(item, Text)]
    said: list[Item] = [Text(text=around)] if around else []
    call = ToolCall(name=_TOOL, args={"command": block[1].strip()})
    return step.model_copy(update={"items": (*others, *said, call)})


def _answer(acting: Step, step: Step) -> Item:
    if len(acting.calls) == 1 and not acting.results:
        told = (step.extra or {}).get("extra")
        extra = cast("JsonObject", told) if isinstance(told, dict) else None
        return ToolResult(name=acting.calls[0].name, value=step.text, extra=extra or None)
    return Observation(text=step.text, source="environment")
