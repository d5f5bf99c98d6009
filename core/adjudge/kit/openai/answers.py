"""What an agent answered its user at the end of a turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from adjudge.model.items import Claim, Content, ErrorItem, Observation, Text, ToolCall, ToolResult
from adjudge.model.step import Step

_NOT_WORDS: Final = (Claim, ToolCall, ToolResult, Observation, ErrorItem)


def answer_of(step: Step) -> tuple[Step, Content | None]:
    """The words of the agent's last message of a turn, and the step without them.

    The words are the turn's final response, and must not count twice. The step stays for its number,
    its calls, what it cost and what the agent thought.
    """
    words = tuple(item for item in step.items if not isinstance(item, _NOT_WORDS))
    if not any(isinstance(item, Text) for item in words):
        return step, None
    rest = tuple(item for item in step.items if isinstance(item, _NOT_WORDS))
    return step.model_copy(update={"items": rest}), Content(role="model", items=words)


def answering(steps: Sequence[Step], places: Sequence[int]) -> int | None:
    """Which of the steps at ``places`` has the final response: the last one.

    A last step that says nothing, for instance one that only thinks, leaves the answer to the last one
    before it that says something; unless that one made calls, because what is said with a call is no answer.
    """
    if not places or not _is_silent(steps[places[-1]]):
        return places[-1] if places else None
    spoken = next((place for place in reversed(places) if not _is_silent(steps[place])), places[-1])
    return places[-1] if steps[spoken].calls else spoken


def _is_silent(step: Step) -> bool:
    return all(
        isinstance(item, Claim) or (isinstance(item, Text) and not item.text.strip()) for item in step.items
    )


def answer_among(steps: Sequence[Step], role: str) -> tuple[tuple[Step, ...], Content | None]:
    """The words of the last step of ``role`` in a turn, and the steps without them; see ``answer_of``."""
    last = answering(steps, [index for index, step in enumerate(steps) if step.role == role])
    if last is None:
        return tuple(steps), None
    step, answer = answer_of(steps[last])
    return (*steps[:last], step, *steps[last + 1 :]), answer
