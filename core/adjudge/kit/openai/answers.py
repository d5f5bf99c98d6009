"""The agent's answer to the user at the end of a turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from adjudge.model.items import Claim, Content, ErrorItem, Observation, Text, ToolCall, ToolResult
from adjudge.model.step import Step

_NOT_WORDS: Final = (Claim, ToolCall, ToolResult, Observation, ErrorItem)


def answer_of(step: Step) -> tuple[Step, Content | None]:
    """Split the agent's last step of a turn: the step without its texts, and the texts as the final response.

    Otherwise the texts would count twice. The step stays, with its number, calls, usage and thoughts.
    """
    words = tuple(item for item in step.items if not isinstance(item, _NOT_WORDS))
    if not any(isinstance(item, Text) for item in words):
        return step, None
    rest = tuple(item for item in step.items if isinstance(item, _NOT_WORDS))
    return step.model_copy(update={"items": rest}), Content(role="model", items=words)


def answering(steps: Sequence[Step], places: Sequence[int]) -> int | None:
    """The index of the step with the final response, among those at ``places``: normally the last one.

    If the last step has no text, for instance only thoughts, it is the last step with a text before it; unless that
    step has calls, because a text beside a call is not an answer.
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
    """The steps without the texts of the last step of ``role``, and these texts; see ``answer_of``."""
    last = answering(steps, [index for index, step in enumerate(steps) if step.role == role])
    if last is None:
        return tuple(steps), None
    step, answer = answer_of(steps[last])
    return (*steps[:last], step, *steps[last + 1 :]), answer
