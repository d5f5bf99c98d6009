"""Deeds: the actions and messages of an agent, and a key that tells whether two of them are equal."""

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
"""A step and its actions, by the ``id()`` of their items."""

DeedKey: TypeAlias = tuple[str, str, str]
"""The tool or the speaker, the arguments or the text, and the outcome."""

_WORDS: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_AGAIN: Final = frozenset({"noop", "poll", "scroll", "sleep", "wait"})
_PAGING: Final = frozenset({"down", "next", "up"})
_FEWEST: Final = 20
"""The minimum length in characters of a message that counts: "Yes." and "Done." are repeated without a loop."""

NOTHING_TO_REPEAT: Final = f"the run has no action and fewer than two messages of at least {_FEWEST} characters, so nothing can be repeated"


@dataclass(frozen=True, slots=True)
class Deed:
    """An action with its outcome, or a message."""

    step: int
    """The number of the step."""
    name: str
    """The tool; empty for a message."""
    key: DeedKey
    """Deeds with equal keys are the same."""
    item: ToolCall | Text


def deeds_of(run: Trajectory) -> list[Deed]:
    """Collect every deed, in order. Actions that are meant to be repeated (scrolling, waiting, paging) are left out.

    The same action on another page, or with another result, is another deed, if the log records pages or
    results. The list is empty if the run has no action and fewer than two messages: nothing can be repeated
    in it.
    """
    found = [deed for turn in run.invocations for deed in _deeds(turn)]
    return found if len(found) > 1 or any(map(is_action, found)) else []


def is_action(deed: Deed) -> bool:
    """Whether a deed is an action, and not a message."""
    return isinstance(deed.item, ToolCall) or trace.is_in_words(deed.item)


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
    """The results of the actions of a step, up to the next actions, by call id; ``None`` for results without one."""
    by_call: dict[str | None, list[str]] = {}
    for item in _after_actions(steps, place):
        if isinstance(item, ToolResult | Observation | ErrorItem):
            call_id = item.call_id if isinstance(item, ToolResult) else None
            found = trace.place_of(item)
            # A thinking tool returns nothing, and often under the id of an earlier action: it is not part of
            # an outcome.
            if text := trace.unchanging("" if found is None else found[1]):
                by_call.setdefault(call_id, []).append(text)
    return {call_id: "\n".join(texts) for call_id, texts in by_call.items()}


def _after_actions(steps: Sequence[_Acting], place: int) -> Iterator[Item]:
    """The items from the first action of a step to the first action of a later step."""
    step, actions = steps[place]
    yield from dropwhile(lambda item: id(item) not in actions, step.items)
    for at in range(place + 1, len(steps)):
        step, later = steps[at]
        for item in step.items:
            if id(item) in later:
                return
            yield item


def _is_meant_again(action: trace.Action) -> bool:
    """Whether an action is of a kind that is normally repeated, such as scrolling."""
    item = action.item
    if isinstance(item, Text):
        said = item.text.split(maxsplit=1)[:1]
    else:  # for instance {"action": "scroll"} of a computer tool, or press("PageDown")
        values = item.args.values() if item.args else [item.raw_args]
        said = [item.name, *(value for value in values if isinstance(value, str) and len(value) <= _FEWEST)]
    for text in said:
        words = {word.lower() for word in _WORDS.findall(text)}
        if words & _AGAIN or ("page" in words and words & _PAGING):
            return True
    return False
