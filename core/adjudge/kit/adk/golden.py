"""Converts a recorded run into an eval case that expects the recorded behaviour."""

from __future__ import annotations

from collections.abc import Mapping

from adjudge.model.eval_set import EvalCase, SessionInput
from adjudge.model.invocation import Invocation
from adjudge.model.items import Blob, Content, Item, Text, ToolCall, ToolResult
from adjudge.model.step import Step
from adjudge.model.trajectory import Trajectory
from adjudge.plugin import InputError, Problem


def case_from_trajectory(trajectory: Trajectory, eval_id: str) -> EvalCase:
    """Create the case that expects this run.

    A turn contains the user's message, the calls of the agent's own steps with their results, intermediate texts of
    agents, and the final response. Thoughts, observations, timings, tokens and raw events are left out.

    Args:
        trajectory: The run. Its final session state becomes the expected one.
        eval_id: The id of the case.

    Raises:
        InputError: the run contains nothing of the agent, or no user message.
    """
    if trajectory.nothing_of_the_agent is not None:
        raise InputError(Problem(what=trajectory.nothing_of_the_agent, file=trajectory.source))
    turns = [_expected(turn) for turn in trajectory.invocations]
    if turns and not turns[0].user_content.items and trajectory.task:
        turns[0] = turns[0].model_copy(update={"user_content": Content.of_text(trajectory.task, "user")})
    if not turns[0].user_content.items:
        raise InputError(
            Problem(
                what="the run does not contain the user's request: it has neither a message of a user nor a task",
                file=trajectory.source,
                hint="Give the task: --task TEXT.",
            )
        )
    case = EvalCase(eval_id=eval_id, conversation=tuple(turns), session_input=_session(trajectory))
    if not trajectory.final_session_state:
        return case
    return case.model_copy(update={"final_session_state": trajectory.final_session_state})


def _session(trajectory: Trajectory) -> SessionInput | None:
    """The user of the session, if the log contains it."""
    extra = trajectory.extra or {}
    user = extra.get("user_id", extra.get("userId"))
    if trajectory.agent is None and not isinstance(user, str):
        return None
    return SessionInput(app_name=trajectory.agent or "", user_id=user if isinstance(user, str) else "user")


def _expected(turn: Invocation) -> Invocation:
    names = {call.id: call.name for call in turn.tool_calls}
    steps = tuple(kept for step in turn.own_steps if (kept := _acted(step, names)) is not None)
    answer = None if turn.final_response is None else _said(turn.final_response)
    return Invocation(
        invocation_id=turn.invocation_id,
        user_content=_said(turn.user_content),
        steps=steps,
        final_response=answer,
        form="intermediate_data" if steps else None,
    )


def _acted(step: Step, names: Mapping[str | None, str]) -> Step | None:
    """The calls, results and texts of a step; ``None`` if there are none. ``names`` are names of calls by id."""
    items = tuple(_plain(item) for item in step.items if isinstance(item, ToolCall | ToolResult | Text))
    items = tuple(
        item.model_copy(update={"name": names.get(item.call_id)})
        if isinstance(item, ToolResult) and item.name is None and item.call_id is not None
        else item
        for item in items
    )
    if not any(not isinstance(item, Text) or item.text.strip() for item in items):
        return None
    return Step(number=step.number, author=step.author, items=items)


def _said(content: Content) -> Content:
    items = tuple(_plain(item) for item in content.items if isinstance(item, Text | Blob))
    return Content(role=content.role, items=items)


def _plain(item: Item) -> Item:
    """The item without the additional data of its source format."""
    return item.model_copy(update={"extra": None}) if item.extra else item
