"""Converts the steps of one ATIF document to turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, cast

from adjudge.kit import logs
from adjudge.kit.openai import answer_among
from adjudge.model import AgentDetails, AppDetails, Content, Invocation, Item, JsonObject, Observation, Step
from adjudge.plugin import (
    ReadOptions,
    Trajectory,
)
from adjudge_plugins.readers.atif_reader.steps import step_of

_NOT_KEPT_AGAIN: Final = frozenset({"session_id", "agent"})


@dataclass(slots=True)
class _Turn:
    said: list[Item] = field(default_factory=list[Item])
    steps: list[Step] = field(default_factory=list[Step])
    began_at: float = 0.0


class Document:
    """A trajectory in ATIF that is being read."""

    def __init__(self, place: logs.Place) -> None:
        """Start reading the document at ``place``."""
        self.place = place
        self.about: JsonObject = {}
        """All keys except the steps."""
        self._steps: list[Step] = []
        self._numbers: list[object] = []
        self._losses = logs.Losses()

    def take_step(self, value: object, place: logs.Place) -> None:
        """Add the next step.

        Raises:
            InputError: the value is not a step.
        """
        data = place.as_object(value, "a step")
        self._numbers.append(data.get("step_id"))
        self._steps.append(step_of(data, place, self._losses, len(self._steps) + 1))

    @property
    def name(self) -> str | None:
        """The name of the trajectory in the document."""
        return _text(self.about.get("trajectory_id")) or _text(self.about.get("session_id"))

    def trajectory(self, name: str, options: ReadOptions) -> Trajectory:
        """Build the trajectory, with ``name`` as its ``eval_id``.

        Raises:
            InputError: the description of the agent is malformed.
        """
        agent = self.place.key("agent").as_object(self.about.get("agent") or {})
        agent_name = _text(agent.get("name")) or "agent"
        turns, instructions = self._turns(agent_name, _text(agent.get("model_name")))
        tools: Any = agent.get("tool_definitions")
        details = AgentDetails(
            name=agent_name,
            instructions=instructions,
            tool_declarations=tuple(cast("Sequence[object]", tools)) if isinstance(tools, list) else (),
        )
        app = AppDetails(agent_details={agent_name: details})
        about = {key: value for key, value in self.about.items() if key not in _NOT_KEPT_AGAIN}
        about["agent"] = {key: value for key, value in agent.items() if key != "tool_definitions"}
        invocations = tuple(_invocation(turn, app) for turn in turns)
        if logs.has_actions_in_prose(invocations):
            self._losses.add(logs.ACTIONS_IN_PROSE)
        return Trajectory(
            invocations=invocations,
            eval_id=name,
            task=options.task,
            agent=agent_name,
            session_id=_text(self.about.get("session_id")),
            source=str(self.place),
            extra=logs.without_blobs({key: value for key, value in about.items() if value}, self._losses)
            or None,
            lost=self._losses.texts(),
        )

    def _turns(self, agent: str, model: str | None) -> tuple[list[_Turn], str]:
        """The turns, each with a user's message and the agent's steps, and the instructions before the first turn."""
        turns: list[_Turn] = []
        instructions: list[str] = []
        for step in logs.with_numbers(self._steps, self._numbers, key="step_id"):
            is_instruction = step.role == "system" and not turns and not step.results
            if is_instruction:
                instructions += [item.text for item in step.items if isinstance(item, Observation)]
                continue
            if not turns or (step.role == "user" and turns[-1].steps):
                turns.append(_Turn())
            if step.role == "user":
                self._say(step, turns[-1])
                continue
            known = (
                {"author": agent, "model": step.model or model}
                if step.role == "agent"
                else {"author": step.role}
            )
            turns[-1].steps.append(step.model_copy(update=known))
        return turns, "\n".join(instructions)

    def _say(self, step: Step, turn: _Turn) -> None:
        turn.said += step.items
        turn.began_at = turn.began_at or step.started_at or 0.0
        for key in step.extra or {}:
            self._losses.add(f"{key} of the user's steps")


def _invocation(turn: _Turn, app: AppDetails) -> Invocation:
    steps, answer = answer_among(turn.steps, "agent")
    return Invocation(
        user_content=Content(role="user", items=tuple(turn.said), has_parts=bool(turn.said)),
        steps=steps,
        final_response=answer,
        app_details=app,
        creation_timestamp=turn.began_at,
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
