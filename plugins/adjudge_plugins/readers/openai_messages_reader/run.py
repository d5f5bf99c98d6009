"""Converts the messages of one run to turns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
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
"""The keys of the messages in a run."""

_BEFORE_PROMPTING: Final = "raw_messages"
"""In OpenHands' logs of model calls: the messages before tool descriptions were added to them as user text."""

_REPLIES: Final = ("response", "raw_response")
"""The keys under which logs of single model calls keep the answer."""


_HINT: Final = "Assign other roles: --roles ROLE=user, ROLE=agent or ROLE=environment."


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a run in its file."""

    file: str
    line: int
    path: str
    """The JSON path inside the value that begins in that line."""
    index: int
    """The number of runs before this one."""


def trajectory_of(run: JsonObject, place: Place, options: ReadOptions, name: str) -> Trajectory:
    """Convert a run to a trajectory.

    Args:
        run: An object with ``messages`` or ``traj``, whose messages are removed. Of its other keys, ``eval_id`` or
            ``task_id`` is the id of the case; all of them are kept in ``extra``.
        place: The place of the run.
        options: Supplies the task if the run has none.
        name: The ``eval_id`` if the run has none.

    Raises:
        InputError: a message is malformed.
    """
    key = next(key for key in (_BEFORE_PROMPTING, *MESSAGES) if isinstance(run.get(key), list))
    losses = logs.Losses()
    turns = Dialogue(losses, instructions=_words(run.get("system")), roles=options.roles)
    messages = cast("list[object]", run[key])
    reply = _reply(run, messages, losses)
    is_mini = mini_swe_agent.is_written_by_it(run, messages)

    def told() -> Iterator[tuple[Step, Sequence[str]]]:
        """Yield every message with its speaker's names, one at a time, because one run may fill a whole file."""
        placed = ((message, f".{key}[{index}]") for index, message in enumerate(_drained(messages)))
        for message, at in chain(placed, reply):
            known = mini_swe_agent.with_known_role(message) if is_mini else message
            names = _names(known) if options.roles else ()
            if names:
                known = _with_known_role(known, names, options.roles)
            yield logs.step_without_blobs(_step(known, f"{place.path}{at}", place), losses), names

    if is_mini:
        for step in mini_swe_agent.with_commands((step for step, _ in told()), losses):
            turns.take(step, step.role or AGENT)
    else:
        for step, names in told():
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


def _drained(messages: list[object]) -> Iterator[object]:
    """Yield every message, and remove it from the list: its step has the texts, and one run may fill a whole file."""
    for index, message in enumerate(messages):
        messages[index] = None
        yield message


def _names(message: object) -> tuple[str, ...]:
    """The names of a message's speaker: its name, then its role. The name of a tool does not count."""
    said = logs.object_of(message)
    role = said.get("role")
    names = (role,) if role in ("tool", "function") else (said.get("name"), role)
    return tuple(name for name in names if isinstance(name, str) and name)


def _with_known_role(message: object, names: Sequence[str], roles: Mapping[str, str]) -> object:
    """Replace a role that only the user's mapping defines by a standard chat role."""
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


def _reply(run: JsonObject, messages: Sequence[object], losses: logs.Losses) -> list[tuple[object, str]]:
    """The model's answer, if it is stored next to the messages and is not the last of them."""
    last = messages[-1] if messages else None
    if isinstance(last, dict) and cast("JsonObject", last).get("role") == AGENT:
        return []
    for key in _REPLIES:
        if found := messages_of_reply(run.get(key)):
            return [(message, f".{key}{at}") for message, at in found]
        if run.get(key):
            losses.add(f"the answer in {key!r}, which has a form that is not known")
    return []


def _words(content: object) -> str:
    """The text of ``system`` in Anthropic's requests, which is a text or a list of texts."""
    if isinstance(content, list):
        return "\n".join(map(_words, cast("Sequence[object]", content)))
    text = cast("JsonObject", content).get("text") if isinstance(content, dict) else content
    return text if isinstance(text, str) else ""


def _task(run: JsonObject) -> str | None:
    """The instructions to tau-bench's simulated user."""
    value: Any = run
    for key in ("info", "task", "instruction"):
        value = cast("JsonObject", value).get(key) if isinstance(value, dict) else None
    return value if isinstance(value, str) else None
