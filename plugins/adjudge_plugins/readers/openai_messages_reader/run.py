"""One run: its messages as turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, cast

from adjudge.kit import logs
from adjudge.kit.openai import answer_among, messages_of_reply, step_from_item
from adjudge.model import (
    AgentDetails,
    AppDetails,
    Content,
    Invocation,
    Item,
    JsonObject,
    Observation,
    Opaque,
    Step,
    Text,
    ToolCall,
    ToolResult,
    numbered,
)
from adjudge.plugin import (
    InputError,
    Problem,
    ReadOptions,
    Trajectory,
)
from adjudge_plugins.readers.openai_messages_reader import mini_swe_agent

MESSAGES: Final = ("messages", "traj")
"""The keys under which a run has its messages."""

_REPLIES: Final = ("response", "raw_response")
"""The keys under which logs of single calls keep what the model answered to the messages."""

_AGENT: Final = "assistant"


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
    key = next(key for key in MESSAGES if isinstance(run.get(key), list))
    losses = logs.Losses()
    turns = _Turns(losses, _words(run.get("system")))
    messages = [
        (message, f".{key}[{index}]") for index, message in enumerate(cast("Sequence[object]", run[key]))
    ]
    told = [*messages, *_reply(run, messages, losses)]
    is_mini = mini_swe_agent.is_written_by_it(run, cast("Sequence[object]", run[key]))
    if is_mini:
        told = [(mini_swe_agent.with_known_role(message), at) for message, at in told]
    steps = (
        logs.step_without_blobs(_step(message, f"{place.path}{at}", place), losses) for message, at in told
    )
    for step in mini_swe_agent.with_commands(steps, losses) if is_mini else steps:
        turns.take(step)
    invocations = turns.invocations(run.get("tools"))
    if logs.has_actions_in_prose(invocations):
        losses.add(logs.ACTIONS_IN_PROSE)
    eval_id = run.get("eval_id", run.get("task_id"))
    return Trajectory(
        invocations=invocations,
        eval_id=str(eval_id) if isinstance(eval_id, str | int) else name,
        task=_task(run) or options.task,
        source=f"{place.file}:{place.line}" + ("" if place.path == "$" else f" {place.path}"),
        extra=logs.without_blobs({other: value for other, value in run.items() if other != key}, losses)
        or None,
        lost=losses.texts(),
    )


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
                Problem(what=problem.what, file=place.file, line=place.line, path=problem.path)
                for problem in error.problems
            ]
        ) from None


def _reply(
    run: JsonObject, messages: Sequence[tuple[object, str]], losses: logs.Losses
) -> list[tuple[object, str]]:
    """What the model answered to the messages, where it stands beside them and is not the last of them."""
    last = messages[-1][0] if messages else None
    if isinstance(last, dict) and cast("JsonObject", last).get("role") == _AGENT:
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


@dataclass(slots=True)
class _Turn:
    said: list[Item] = field(default_factory=list[Item])
    """What the user said, and the calls that a simulated user made itself."""
    calling: set[str] = field(default_factory=set[str])
    """Calls of the user that have no result yet."""
    steps: list[Step] = field(default_factory=list[Step])


class _Turns:
    """Splits messages at those of the user. A tool's result goes to the step whose call it names.

    A user's message that brings nothing but results is none of the user: Anthropic's protocol has them there.
    """

    def __init__(self, losses: logs.Losses, instructions: str) -> None:
        self._losses = losses
        self._lost: set[str] = set()
        self._turns: list[_Turn] = []
        self._instructions = [instructions] if instructions else []
        self._callers: dict[str, tuple[_Turn, int]] = {}

    def take(self, step: Step) -> None:
        """One message."""
        match step.role:
            case "user":
                self._user(step)
            case "system" | "developer":
                self._system(step)
            case "tool" | "function":
                self._tool(step)
            case _:
                self._agent(step)

    def invocations(self, tools: object) -> tuple[Invocation, ...]:
        """The turns, with the system's message and the declared tools as the agent's details."""
        details: AppDetails | None = None
        declared = tuple(cast("Sequence[object]", tools)) if isinstance(tools, list) else ()
        if self._instructions or declared:
            agent = AgentDetails(
                name=_AGENT, instructions="\n".join(self._instructions), tool_declarations=declared
            )
            details = AppDetails(agent_details={_AGENT: agent})
        return numbered(_invocation(turn, details) for turn in self._turns)

    def _user(self, step: Step) -> None:
        if step.extra:
            self._lose("user", step)
        results = [item for item in step.items if isinstance(item, ToolResult)]
        for result in results:
            self._result(result, step)
        said = [item for item in step.items if not isinstance(item, ToolResult)]
        if results and not said:
            return
        turn = self._turns[-1] if self._turns else None
        if turn is None or turn.steps or not any(isinstance(item, ToolCall) for item in turn.said):
            # After calls of its own the user goes on in the same turn.
            turn = _Turn()
            self._turns.append(turn)
        turn.said += said
        turn.calling.update(call.id for call in step.calls if call.id is not None)

    def _system(self, step: Step) -> None:
        if step.extra:
            self._lose("system", step)
        if not self._turns:
            self._instructions.append(step.text)
            return
        seen = tuple(
            Observation(text=item.text, source=step.role) if isinstance(item, Text) else item
            for item in step.items
        )
        self._turns[-1].steps.append(step.model_copy(update={"items": seen, "author": step.role}))

    def _agent(self, step: Step) -> None:
        turn = self._current()
        for item in step.items:
            if isinstance(item, Opaque):
                self._losses.add(
                    f"what the agent said as {item.name!r}: it is kept, and no criterion reads it"
                )
        turn.steps.append(step.model_copy(update={"author": _AGENT}))
        for call in step.calls:
            if call.id is not None:
                self._callers[call.id] = (turn, len(turn.steps) - 1)

    def _tool(self, step: Step) -> None:
        for result in step.results:
            extra = {**(result.extra or {}), **(step.extra or {})} or None
            self._result(result.model_copy(update={"extra": extra}), step)

    def _result(self, result: ToolResult, step: Step) -> None:
        turn = self._current()
        call_id = result.call_id
        if call_id is not None and call_id in turn.calling:
            turn.calling.remove(call_id)
            turn.said.append(result)
        elif call_id is not None and call_id in self._callers:
            caller, index = self._callers.pop(call_id)
            made = caller.steps[index]
            caller.steps[index] = made.model_copy(update={"items": (*made.items, result)})
        else:  # whose it is, the log does not say; names and positions are no proof
            turn.steps.append(step.model_copy(update={"items": (result,), "role": "tool", "extra": None}))

    def _current(self) -> _Turn:
        if not self._turns:  # the agent speaks first
            self._turns.append(_Turn())
        return self._turns[-1]

    def _lose(self, role: str, step: Step) -> None:
        lost = f"{', '.join(sorted(step.extra or {}))} of the {role}'s messages"
        if lost not in self._lost:
            self._lost.add(lost)
            self._losses.add(lost)


def _invocation(turn: _Turn, details: AppDetails | None) -> Invocation:
    steps, answer = answer_among(turn.steps, _AGENT)
    return Invocation(
        user_content=Content(role="user", items=tuple(turn.said), has_parts=bool(turn.said)),
        steps=steps,
        final_response=answer,
        app_details=details,
    )
