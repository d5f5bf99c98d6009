"""A conversation with an agent, as messages; each knows the step of the trace that it belongs to."""

from __future__ import annotations

import json
from collections.abc import Sequence

from nicegui import ui

from adjudge.model import Claim, Content, ErrorItem, Invocation, Observation, Step, Text, ToolCall, ToolResult
from adjudge_web.pages.frame import chip, text
from adjudge_web.pages.viewer import mount_trace

_LONGEST = 20_000
"""Characters of a text that are shown here; the trace shows more."""


def show_beside_trace(turns: Sequence[Invocation], trace: str) -> None:
    """The conversation, and beside it the viewer of the document at ``trace``: what it points at is marked."""
    with ui.element("div").classes("ad-beside"):
        with ui.element("div").classes("ad-said") as said:
            said.props('role="region" aria-label="Conversation" tabindex="0"')
            for turn in turns:
                show_turn(turn)
        mount_trace(trace)


def show_turn(turn: Invocation) -> None:
    """A turn: what the user said, what the agent did, what it answered."""
    show_message(turn.user_content.text, is_user=True)
    for step in turn.steps:
        show_step(step)
    if turn.final_response is not None:
        answer = show_message(_words(turn.final_response), is_user=False)
        if turn.steps:
            answer.props(f'data-step="{turn.steps[-1].number}"')


def _words(content: Content) -> str:
    return content.text or ", ".join(item.kind for item in content.items)


def show_message(said: str, *, is_user: bool) -> ui.element:
    """What the user or the agent said."""
    with ui.element("div").classes("ad-message ad-from-user" if is_user else "ad-message") as message:
        ui.label("You" if is_user else "Agent").classes("ad-sub")
        _told(said)
    return message


def show_step(step: Step) -> None:
    """What an agent did, as it comes."""
    if not step.items:
        return
    with ui.element("div").classes("ad-step").props(f'data-step="{step.number}"'):
        for item in step.items:
            match item:
                case Claim():
                    _told(item.text).classes("ad-thought")
                case ToolCall():
                    _told(f"{item.name}({json.dumps(item.args or {}, ensure_ascii=False)})", mono=True)
                case ToolResult():
                    _told(f"→ {json.dumps(item.value, ensure_ascii=False, default=str)}", mono=True)
                case Text() | Observation():
                    _told(f"{step.author}: {item.text}" if step.author else item.text)
                case ErrorItem():
                    _told(item.message).classes("ad-FAIL")
                case _:
                    chip(item.kind)


def _told(said: str, *, mono: bool = False) -> ui.label:
    """A text of any length, as much of it as a browser can take at once."""
    label = text(said[:_LONGEST], mono=mono)
    if len(said) > _LONGEST:
        ui.label(f"{len(said) - _LONGEST:,} more characters are not shown here: open the trace.").classes(
            "ad-sub"
        )
    return label
