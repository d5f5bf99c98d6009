"""Converts one chat: every message is a step of its agent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any, Final

from adjudge.kit import logs
from adjudge.kit.openai import answer_of, step_from_openai
from adjudge.model import (
    Content,
    Invocation,
    Item,
    JsonObject,
    Step,
    Text,
    ToolResult,
    numbered,
)
from adjudge.plugin import (
    InputError,
    Problem,
    ReadOptions,
    Trajectory,
)
from adjudge_plugins.readers import reports
from adjudge_plugins.readers.dialogue import losses_of_roles

_TASKS: Final = ("task", "question")
_NAMES: Final = ("eval_id", "task_id", "id", "chat_id")
_KEPT: Final = ("chat_id", "summary", "cost", "human_input")
"""Keys of ``ChatResult`` besides the messages."""

_NO_CODE: Final = "There is no code from the last"
"""The answer of ``ConversableAgent``, in many configurations, if there was no code to execute."""
_ENDS: Final = "TERMINATE"
"""The text by which an agent ends the chat."""
_KINDS: Final = ("user", "agent", "environment")
_FUNCTIONS: Final = ("function", "tool")
"""Roles in which ``name`` is the name of the function."""


def trajectory_of(
    chat: JsonObject, key: str, place: logs.Place, options: ReadOptions, name: str
) -> Trajectory:
    """Convert a chat to a trajectory.

    Only messages and keys of ``ChatResult`` are kept. Data sets store answers and labels next to the chat,
    and a judge must not see these.

    Args:
        chat: The object with the messages.
        key: The key of the messages.
        place: The place of the object.
        options: Supplies the task if the chat has none.
        name: The ``eval_id`` if the chat has none.

    Raises:
        InputError: a message is malformed.
    """
    losses = logs.Losses()
    messages = place.key(key).as_objects(chat[key])
    task = next((chat[key] for key in _TASKS if isinstance(chat.get(key), str)), None) or options.task
    told = [message for message, _ in messages]
    said_to_be = {kind: {role for role, named in options.roles.items() if named == kind} for kind in _KINDS}
    steps = _Steps(
        (_executors(told) | said_to_be["environment"]) - said_to_be["user"] - said_to_be["agent"],
        said_to_be["user"],
        losses,
    )
    for message, at in messages:
        steps.take(message, at)
    losses_of_roles(options.roles, filter(None, map(_author, told)), losses)
    turns = steps.invocations(task)
    if not any(turn.tool_calls for turn in turns):
        losses.add(logs.ACTIONS_IN_PROSE)
    known = {key, *_TASKS, *_NAMES, *_KEPT}
    for other in chat:
        if other not in known:
            losses.add(f"{other!r} of the chat")
    named = next((chat[key] for key in _NAMES if isinstance(chat.get(key), str | int)), name)
    return Trajectory(
        invocations=turns,
        eval_id=str(named),
        task=task,
        source=str(place),
        extra={key: chat[key] for key in _KEPT if key in chat} or None,
        lost=losses.texts(),
    )


def _executors(messages: Sequence[JsonObject]) -> frozenset[str]:
    """The participants that execute code instead of asking a model: all their messages are reports of execution.

    A participant with any other message may have written such a report itself.
    """
    said: dict[str, list[str]] = {}
    for message in messages:
        said.setdefault(_author(message) or "", []).append(logs.text_of(message.get("content")))
    return frozenset(
        author
        for author, texts in said.items()
        if author and all(reports.is_of_execution(text) or text.startswith(_NO_CODE) for text in texts)
    )


def _author(message: Mapping[str, Any]) -> str | None:
    name = message.get("name")
    is_participant = "tool_responses" in message or message.get("role") not in _FUNCTIONS
    return name if is_participant and isinstance(name, str) and name else None


class _Steps:
    """The messages as steps. The format has no step numbers: a step's number is its position from 1."""

    def __init__(self, executors: Set[str], users: Set[str], losses: logs.Losses) -> None:
        self._executors = executors
        self._users = users
        self._losses = losses
        self._steps: list[Step] = []
        self._callers: dict[str | None, int] = {}

    def take(self, message: JsonObject, place: logs.Place) -> None:
        """Add the next message."""
        author = _author(message)
        step = logs.step_without_blobs(_read(message, len(self._steps) + 1, place), self._losses)
        if not isinstance(message.get("role"), str | None):
            self._losses.add("the role of a message, which is no text")
        own: list[Item] = []
        for item in _observed(step.items) if author in self._executors else step.items:
            if isinstance(item, ToolResult) and item.call_id in self._callers:
                self._give(item, self._callers.pop(item.call_id))
            else:
                own.append(item)
        self._callers |= {call.id: len(self._steps) for call in step.calls if call.id is not None}
        self._steps.append(step.model_copy(update={"items": tuple(own), "author": author}))

    def _give(self, result: ToolResult, at: int) -> None:
        """Add a result to the step of the call whose id it has."""
        caller = self._steps[at]
        self._steps[at] = caller.model_copy(update={"items": (*caller.items, result)})

    def invocations(self, task: str | None) -> tuple[Invocation, ...]:
        """One turn for the whole chat, or one per message of the speaker that the user has declared to be the user."""
        asked = Content.of_text(task, "user") if task else Content(role="user", has_parts=False)
        turns: list[tuple[Content, list[Step]]] = []
        for step in self._steps:
            if step.author in self._users:
                turns.append((Content(role="user", items=step.items), []))
            else:
                if not turns:
                    turns.append((asked, []))
                turns[-1][1].append(step)
        return numbered(self._turn(said, steps) for said, steps in turns or [(asked, [])])

    def _turn(self, said: Content, steps: list[Step]) -> Invocation:
        """Build a turn; the last text of the agents is the final response, unless it only ends the chat."""
        answer = None
        if steps and steps[-1].author not in self._executors and steps[-1].text.strip() != _ENDS:
            last, answer = answer_of(steps[-1])
            steps = [*steps[:-1], last]
        return Invocation(user_content=said, steps=tuple(steps), final_response=answer)


def _read(message: JsonObject, number: int, place: logs.Place) -> Step:
    """Convert a message like one of OpenAI's, except that ``tool_responses`` may have several results."""
    responses = message.get("tool_responses")
    rest = {
        key: value
        for key, value in message.items()
        if key != "tool_responses" and (key != "name" or message.get("role") in _FUNCTIONS)
    }
    if responses:
        rest |= {"role": "assistant", "content": None}  # the content repeats the responses
    try:
        step = step_from_openai(rest, number=number, path=place.path, source_ref=str(place))
    except InputError as error:
        raise InputError(
            [
                Problem(what=problem.what, file=place.file, line=place.line, path=problem.path)
                for problem in error.problems
            ]
        ) from None
    results = [
        ToolResult(
            name=logs.text_of(response.get("name")) or None,
            value=response.get("content"),
            call_id=logs.text_of(response.get("tool_call_id")) or None,
        )
        for response, _ in place.key("tool_responses").as_objects(responses or None)
    ]
    role = message.get("role")
    known = role if isinstance(role, str) else None
    return step.model_copy(update={"items": (*step.items, *results), "role": known})


def _observed(items: Sequence[Item]) -> tuple[Item, ...]:
    """Convert the texts of a participant that executes code to observations."""
    return tuple(reports.item_of(item.text) if isinstance(item, Text) else item for item in items)
