"""Collects the steps of a turn as they happen, with their agents and results."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable

from adjudge.model import AgentDetails, AppDetails, Content, Invocation, Item, JsonObject, Step, Text, Usage
from adjudge.plugin import AgentError, Emit

__all__ = ["TurnSteps", "union_seconds"]


class TurnSteps:
    """Creates the steps of a turn, and emits them as they happen.

    The last step is emitted later, when it is known whether its text is the final response, which steps do not repeat.
    """

    def __init__(self, said: Content, emit: Emit) -> None:
        """Start a turn.

        Args:
            said: The user's message.
            emit: Called with every step, also of a turn that fails later.
        """
        self.said = said
        """The user's message."""
        self.agents: dict[str, AgentDetails] = {}
        """The instructions and tools of the known agents, by name."""
        self.model_seconds: list[tuple[float, float]] = []
        """Beginnings and ends of calls to models, on the clock of ``time.monotonic``."""
        self.tool_seconds: list[tuple[float, float]] = []
        """Beginnings and ends of tool calls. The turn's ``tool_duration`` does not include the time of model calls."""
        self._emit = emit
        self._began, self._started = time.time(), time.monotonic()
        self._steps: list[Step] = []
        self._last: Step | None = None
        self._answer: Content | None = None
        self._extra: JsonObject = {}

    def add(
        self,
        *items: Item,
        author: str | None = None,
        model: str | None = None,
        usage: Usage | None = None,
        seconds: tuple[float, float] | None = None,
        parent_call_id: str | None = None,
        extra: JsonObject | None = None,
    ) -> None:
        """Add a step.

        Args:
            items: The items of the step.
            author: The agent that acted.
            model: The model version.
            usage: The tokens of the step.
            seconds: The beginning and end of the step, on the clock of ``time.monotonic``.
            parent_call_id: The id of the call, if the step is part of an agent called as a tool.
            extra: Other data of the framework.
        """
        self._flush()
        began, ended = seconds or (None, None)
        self._last = Step(
            number=len(self._steps) + 1,
            items=items,
            author=author,
            model=model,
            usage=usage,
            started_at=None if began is None else round(self._began + began - self._started, 6),
            duration=None if began is None or ended is None else round(ended - began, 6),
            parent_call_id=parent_call_id,
            extra=extra or None,
        )

    def answer(self, answer: Content | str, *, asks: Iterable[JsonObject] = ()) -> None:
        """Set the final response.

        Args:
            answer: The final response.
            asks: The requests for which the agent waits, if it stopped to ask the user.
        """
        self._answer = Content.of_text(answer, role="model") if isinstance(answer, str) else answer
        waiting = list(asks)
        self._extra = {"interrupts": waiting} if waiting else {}

    def invocation(self) -> Invocation:
        """Finish the turn and return it.

        Raises:
            AgentError: there is neither a step nor an answer (``no_answer``).
        """
        if self._last is not None and self._answer is not None:
            self._last = _without_answer(self._last, self._answer.text)
        self._flush()
        if self._answer is None and not self._steps:
            raise AgentError(
                "the agent ended its turn without a step and without an answer", code="no_answer"
            )
        return Invocation(
            user_content=self.said,
            steps=tuple(self._steps),
            final_response=self._answer,
            creation_timestamp=self._began,
            duration=round(time.monotonic() - self._started, 6),
            model_duration=round(union_seconds(self.model_seconds), 6) if self.model_seconds else None,
            tool_duration=round(self._tools_alone(), 6) if self.tool_seconds else None,
            app_details=AppDetails(agent_details=dict(self.agents)) if self.agents else None,
            extra=self._extra or None,
        )

    def broken_off(self) -> None:
        """Emit the last step, because the turn has failed."""
        self._flush()

    def _tools_alone(self) -> float:
        # An agent that is called as a tool makes its own calls to models.
        return union_seconds([*self.model_seconds, *self.tool_seconds]) - union_seconds(self.model_seconds)

    def _flush(self) -> None:
        if self._last is not None:
            self._steps.append(self._last)
            self._emit(self._last)
            self._last = None


def _without_answer(step: Step, answer: str) -> Step:
    """The step without the texts that the final response repeats: all of them, or the last."""
    texts = [item for item in step.items if isinstance(item, Text)]
    # Frameworks join the texts of a model in different ways, or take the last, and write its JSON again.
    if any(_is_same(text, answer) for text in ("".join(item.text for item in texts), step.text)):
        dropped = texts
    elif texts and _is_same(texts[-1].text, answer):
        dropped = texts[-1:]
    else:
        return step
    items = tuple(item for item in step.items if all(item is not each for each in dropped))
    return step.model_copy(update={"items": items})


def _is_same(text: str, answer: str) -> bool:
    if text == answer:
        return True
    try:
        return bool(json.loads(text) == json.loads(answer))
    except (ValueError, RecursionError):
        return False


def union_seconds(intervals: Iterable[tuple[float, float]]) -> float:
    """The total length in seconds of the union of intervals."""
    total, until = 0.0, float("-inf")
    for began, ended in sorted(intervals):
        total += max(ended - max(began, until), 0.0)
        until = max(until, ended)
    return total
