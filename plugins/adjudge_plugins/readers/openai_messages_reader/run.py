"""One run: its messages as turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from adjudge.kit import logs
from adjudge.kit.openai import ROLES, messages_of_reply, step_from_item
from adjudge.model import JsonObject, Step
from adjudge.plugin import (
    InputError,
    Problem,
    ReadOptions,
    Trajectory,
)
from adjudge_plugins.readers.dialogue import AGENT, Dialogue
from adjudge_plugins.readers.openai_messages_reader import mini_swe_agent

MESSAGES: Final = ("messages", "traj")
"""The keys under which a run has its messages."""

_BEFORE_PROMPTING: Final = "raw_messages"
"""OpenHands' logs of calls: the messages as they were before tools were explained, with examples, in the words of the user."""

_REPLIES: Final = ("response", "raw_response")
"""The keys under which logs of single calls keep what the model answered to the messages."""


_HINT: Final = (
    "Say whose the messages of another role are: --roles ROLE=user, ROLE=agent or ROLE=environment."
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a run stands in its file."""

    file: str
    line: int
    path: str
    """Its JSON path inside the value that begins in the line."""
    index: int
    """How many runs stand before it."""


def trajectory_of(run: JsonObject, place: Place, options: ReadOptions, name: str) -> Trajectory:
    """A run as a trajectory.

    Args:
        run: An object with ``messages`` or ``traj``; of its other keys, ``eval_id`` or ``task_id`` names
            the case, and all of them are kept in ``extra``.
        place: Where it stands.
        options: Gives the task where the run names none.
        name: The ``eval_id`` of a run that has none.

    Raises:
        InputError: a message is broken.
    """
    key = next(key for key in (_BEFORE_PROMPTING, *MESSAGES) if isinstance(run.get(key), list))
    losses = logs.Losses()
    turns = Dialogue(losses, instructions=_words(run.get("system")), roles=options.roles)
    messages = [
        (message, f".{key}[{index}]") for index, message in enumerate(cast("Sequence[object]", run[key]))
    ]
    told = [*messages, *_reply(run, messages, losses)]
    is_mini = mini_swe_agent.is_written_by_it(run, cast("Sequence[object]", run[key]))
    if is_mini:
        told = [(mini_swe_agent.with_known_role(message), at) for message, at in told]
    named = [_names(message) for message, _ in told]
    steps = (
        logs.step_without_blobs(
            _step(_with_known_role(message, names, options.roles), f"{place.path}{at}", place), losses
        )
        for (message, at), names in zip(told, named, strict=True)
    )
    if is_mini:
        for step in mini_swe_agent.with_commands(steps, losses):
            turns.take(step, step.role or AGENT)
    else:
        for step, names in zip(steps, named, strict=True):
            turns.take(step, *names)
    invocations = turns.invocations(logs.list_of(run.get("tools")))
    if logs.has_actions_in_prose(invocations):
        losses.add(logs.ACTIONS_IN_PROSE)
    eval_id = run.get("eval_id", run.get("task_id"))
    return Trajectory(
        invocations=invocations,
        eval_id=str(eval_id) if isinstance(eval_id, str | int) else name,
        task=_task(run) or options.task,
        source=f"{place.file}:{place.line}" + ("" if place.path == "$" else f" {place.path}"),
        extra=logs.without_blobs(
            {other: value for other, value in run.items() if other not in {key, *MESSAGES}}, losses
        )
        or None,
        lost=losses.texts(),
    )


def _names(message: object) -> tuple[str, ...]:
    """What the log calls the speaker of a message: its name, then its role. A tool's name is not that of a speaker."""
    said = logs.object_of(message)
    role = said.get("role")
    names = (role,) if role in ("tool", "function") else (said.get("name"), role)
    return tuple(name for name in names if isinstance(name, str) and name)


def _with_known_role(message: object, names: Sequence[str], roles: Mapping[str, str]) -> object:
    """The message; one of a role that only the user knows, under a role that chat messages have."""
    kind = next((roles[name] for name in names if name in roles), None)
    if kind is None or (said := logs.object_of(message)).get("role") in tuple(ROLES):
        return message
    return {**said, "role": AGENT if kind == "agent" else "system" if kind == "environment" else "user"}


def _step(message: object, path: str, place: Place) -> Step:
    try:
        if not isinstance(message, dict):
            raise InputError(Problem(what=f"found {type(message).__name__}, expected a message", path=path))
        return step_from_item(
            cast("JsonObject", message), path=path, source_ref=f"{place.file}:{place.line} {path}"
        )
    except InputError as error:
        raise InputError(
            [
                Problem(
                    what=problem.what,
                    file=place.file,
                    line=place.line,
                    path=problem.path,
                    hint=_HINT if (problem.path or "").endswith(".role") else None,
                )
                for problem in error.problems
            ]
        ) from None


def _reply(
    run: JsonObject, messages: Sequence[tuple[object, str]], losses: logs.Losses
) -> list[tuple[object, str]]:
    """What the model answered to the messages, where it stands beside them and is not the last of them."""
    last = messages[-1][0] if messages else None
    if isinstance(last, dict) and cast("JsonObject", last).get("role") == AGENT:
        return []
    for key in _REPLIES:
        if found := messages_of_reply(run.get(key)):
            return [(message, f".{key}{at}") for message, at in found]
        if run.get(key):
            losses.add(f"the answer in {key!r}, which has a form that is not known")
    return []


def _words(content: object) -> str:
    """What Anthropic's requests have as ``system``: a text, or a list of texts."""
    if isinstance(content, list):
        return "\n".join(map(_words, cast("Sequence[object]", content)))
    text = cast("JsonObject", content).get("text") if isinstance(content, dict) else content
    return text if isinstance(text, str) else ""


def _task(run: JsonObject) -> str | None:
    """What tau-bench's simulated user was told to want."""
    value: Any = run
    for key in ("info", "task", "instruction"):
        value = cast("JsonObject", value).get(key) if isinstance(value, dict) else None
    return value if isinstance(value, str) else None
