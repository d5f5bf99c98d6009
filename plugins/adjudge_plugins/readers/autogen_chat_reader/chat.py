"""One chat: every message is a step of the agent that it names."""

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
"""Of ``ChatResult``, besides the messages."""

_NO_CODE: Final = "There is no code from the last"
"""What ``ConversableAgent`` answers, in many configurations, where there was no code to execute."""
_ENDS: Final = "TERMINATE"
"""What an agent says to end the chat."""
_KINDS: Final = ("user", "agent", "environment")
_FUNCTIONS: Final = ("function", "tool")
"""Roles under which a message's name is that of the function."""


def trajectory_of(
    chat: JsonObject, key: str, place: logs.Place, options: ReadOptions, name: str
) -> Trajectory:
    """A chat as a trajectory.

    What is neither a message nor a key of ``ChatResult`` is not kept: beside the chats of data sets stand
    answers and labels, which nobody who judges the chat may see.

    Args:
        chat: The object.
        key: Where its messages are.
        place: Where it stands.
        options: Gives the task where the chat names none.
        name: The ``eval_id`` of a chat that has none.

    Raises:
        InputError: a message is broken.
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
    """The participants that are no models: they run code, and say nothing but what came of it, or that there is none.

    One that says anything else may have written its report itself.
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
    """The messages as steps. Their numbers are their positions from 1: the format has none."""

    def __init__(self, executors: Set[str], users: Set[str], losses: logs.Losses) -> None:
        self._executors = executors
        self._users = users
        self._losses = losses
        self._steps: list[Step] = []
        self._callers: dict[str | None, int] = {}

    def take(self, message: JsonObject, place: logs.Place) -> None:
        """The next message."""
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
        """A result goes to the step of the call that it names."""
        caller = self._steps[at]
        self._steps[at] = caller.model_copy(update={"items": (*caller.items, result)})

    def invocations(self, task: str | None) -> tuple[Invocation, ...]:
        """The whole chat as one turn, unless the user named somebody whose messages begin turns."""
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
        """The agents' last words are the answer, unless they only end the chat."""
        answer = None
        if steps and steps[-1].author not in self._executors and steps[-1].text.strip() != _ENDS:
            last, answer = answer_of(steps[-1])
            steps = [*steps[:-1], last]
        return Invocation(user_content=said, steps=tuple(steps), final_response=answer)


def _read(message: JsonObject, number: int, place: logs.Place) -> Step:
    """A message as a step: like one of OpenAI's, but ``tool_responses`` may hold several results."""
    responses = message.get("tool_responses")
    rest = {
        key: value
        for key, value in message.items()
        if key != "tool_responses" and (key != "name" or message.get("role") in _FUNCTIONS)
    }
    if responses:
        rest |= {"role": "assistant", "content": None}  # the content is the responses once more
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
    """The words of a participant that runs code: what came back from outside."""
    return tuple(reports.item_of(item.text) if isinstance(item, Text) else item for item in items)
