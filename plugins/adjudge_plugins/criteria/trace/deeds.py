"""Deeds: what an agent does or says, and when it does the same again."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import dropwhile
from typing import Final, TypeAlias

from adjudge.kit import trace
from adjudge.model import ErrorItem, Invocation, Item, Observation, Step, Text, ToolCall, ToolResult
from adjudge.plugin import Trajectory

_Acting: TypeAlias = tuple[Step, dict[int, trace.Action]]
"""A step with its actions by the identity of their items."""

DeedKey: TypeAlias = tuple[str, str, str]
"""The tool or the speaker, the arguments or the words, and what came of it."""

_WORDS: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_AGAIN: Final = frozenset({"noop", "poll", "scroll", "sleep", "wait"})
_PAGING: Final = frozenset({"down", "next", "up"})
_FEWEST: Final = 20
"""Characters of a message that can be a repeat: "Yes." and "Done." are said again without a loop."""


@dataclass(frozen=True, slots=True)
class Deed:
    """An action with what came of it, or a message."""

    step: int
    """The number of the step."""
    name: str
    """The tool; empty for words."""
    key: DeedKey
    """Two deeds are the same where their keys are equal."""
    item: ToolCall | Text


def deeds_of(run: Trajectory) -> list[Deed]:
    """Every deed, in order. What is meant to be done again (scrolling, waiting, paging) is none.

    The same action on another page, or with another result, is another deed, where the log records pages or results.
    Not a single one where the run has no action and fewer than two messages: nothing can be repeated in it.
    """
    found = [deed for turn in run.invocations for deed in _deeds(turn)]
    has_action = any(deed.item.kind == "call" or trace.is_in_words(deed.item) for deed in found)
    return found if has_action or len(found) > 1 else []


def _deeds(turn: Invocation) -> Iterator[Deed]:
    steps = [(step, {id(action.item): action for action in trace.actions_of([step])}) for step in turn.steps]
    for place, (step, actions) in enumerate(steps):
        came = _came_of(steps, place) if actions else {}
        for item in step.items:
            if (action := actions.get(id(item))) is not None:
                if not _is_meant_again(action):
                    call_id = item.id if isinstance(item, ToolCall) else None
                    outcome = came.get(call_id) or came.get(None) or ""
                    yield Deed(step.number, action.name, (*action.key, outcome), action.item)
            elif isinstance(item, Text) and len(item.text.strip()) >= _FEWEST:
                said = " ".join(item.text.split())
                yield Deed(step.number, "", (step.author or step.role or "", said, ""), item)


def _came_of(steps: Sequence[_Acting], place: int) -> dict[str | None, str]:
    """What came back from the actions of a step until the next ones: by call; under ``None`` what names no call."""
    by_call: dict[str | None, list[str]] = {}
    for item in _after_actions(steps, place):
        if isinstance(item, ToolResult | Observation | ErrorItem):
            call_id = item.call_id if isinstance(item, ToolResult) else None
            found = trace.place_of(item)
            by_call.setdefault(call_id, []).append(trace.unchanging("" if found is None else found[1]))
    return {call_id: "\n".join(texts) for call_id, texts in by_call.items()}


def _after_actions(steps: Sequence[_Acting], place: int) -> Iterator[Item]:
    """The items from the first action of a step to the first one of a later step."""
    step, actions = steps[place]
    yield from dropwhile(lambda item: id(item) not in actions, step.items)
    for at in range(place + 1, len(steps)):
        step, later = steps[at]
        for item in step.items:
            if id(item) in later:
                return
            yield item


def _is_meant_again(action: trace.Action) -> bool:
    """Whether an action is of a kind that is done again and again without going in circles."""
    item = action.item
    if isinstance(item, Text):
        said = item.text.split(maxsplit=1)[:1]
    else:  # {"action": "scroll"} of a computer tool, press("PageDown")
        values = item.args.values() if item.args else [item.raw_args]
        said = [item.name, *(value for value in values if isinstance(value, str) and len(value) <= _FEWEST)]
    for text in said:
        words = {word.lower() for word in _WORDS.findall(text)}
        if words & _AGAIN or ("page" in words and words & _PAGING):
            return True
    return False
