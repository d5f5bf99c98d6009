"""Builds turns from the messages of one run, for formats whose messages have a speaker and call ids."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count, pairwise
from typing import Any, Final

from adjudge.kit import logs
from adjudge.kit.openai import answer_of, answering
from adjudge.model import (
    AgentDetails,
    AppDetails,
    Claim,
    Content,
    Invocation,
    Item,
    JsonValue,
    Observation,
    Opaque,
    Step,
    Text,
    ToolCall,
    ToolResult,
)
from adjudge_plugins.readers import reports

AGENT: Final = "assistant"
"""The role of an agent's step, and the author of steps whose agent the log does not name."""


ENVIRONMENT: Final = "environment"
"""The role of steps without an author."""
_NOBODY: Final = (ENVIRONMENT, "system", "developer")


@dataclass(slots=True)
class _Turn:
    said: list[Item] = field(default_factory=list[Item])
    """The user's message, and the calls that a simulated user made."""
    calling: set[str] = field(default_factory=set[str])
    """The ids of the user's calls that have no result yet."""
    steps: list[Step] = field(default_factory=list[Step])
    unnamed: set[int] = field(default_factory=set[int])
    """The indices of the agent's steps without an author."""
    results: dict[int, list[ToolResult]] = field(default_factory=dict[int, list[ToolResult]])
    """What came back for the calls of a step, by its index."""
    began_at: float | None = None


class Dialogue:
    """Groups messages into turns, each started by a user's message. A tool's result goes to the step of its call.

    A message in the role ``user`` does not start a turn if it has only results, as in Anthropic's protocol;
    nor, in plain chats, if it reports the result of an action that the agent described in words.
    """

    def __init__(
        self,
        losses: logs.Losses,
        *,
        instructions: str = "",
        agent: str = AGENT,
        roles: Mapping[str, str] | None = None,
    ) -> None:
        """Start with no turns.

        Args:
            losses: Collects what cannot be kept.
            instructions: The agent's instructions, if the log has them outside of messages.
            agent: The author of steps without one.
            roles: Maps roles or names of messages to user, agent or environment, as set by the user
                (``ReadOptions.roles``). ``None`` if the format is not plain chat messages: in plain chats,
                agents without
                function calling receive tool results as messages of the user.
        """
        self._losses = losses
        self._agent_name = agent
        self._is_chat = roles is not None
        self._roles = dict(roles or {})
        self._speakers: dict[str, None] = {}
        self._lost: set[str] = set()
        self._turns: list[_Turn] = []
        self._instructions = [instructions] if instructions else []
        self._callers: dict[str, tuple[_Turn, int]] = {}

    def take(self, step: Step, *names: str) -> None:
        """Add a message. The role of the step is the speaker: user, system, developer, tool, function, else an agent.

        Args:
            step: The message.
            names: The names of its speaker in the log, the most specific first; ``roles`` may map any of
            them.
        """
        if not self._roles:
            self._by_role(step)
            return
        self._speakers.update(dict.fromkeys(names))
        match next((self._roles[name] for name in names if name in self._roles), None):
            case "user":
                self._user(step.model_copy(update={"role": "user", "author": None}))
            case "agent":
                named = None if names[0] in ("user", AGENT) else names[0]
                made = {"role": AGENT, "author": step.author or named}
                self._agent(step.model_copy(update=made))
            case "environment" if step.role not in ("tool", "function") and not self._is_request(step):
                self._environment(step)
            case _:
                self._by_role(step)

    def _by_role(self, step: Step) -> None:
        match step.role:
            case "user" if self._is_report(step):
                self._losses.add(reports.GUESSED)
                self._environment(step)
            case "user":
                self._user(step)
            case "system" | "developer":
                self._system(step)
            case "tool" | "function":
                self._tool(step)
            case _:
                self._agent(step)

    def observe(
        self,
        items: Sequence[Item],
        place: logs.Place,
        *,
        at: float | None = None,
        parent_call_id: str | None = None,
    ) -> None:
        """Add something that the environment showed or reported, as a separate step.

        Args:
            items: Observations and errors.
            place: Their place in the log.
            at: The time, in seconds since the epoch.
            parent_call_id: The call during which it happened.
        """
        self._current().steps.append(
            Step(
                number=1,
                items=tuple(items),
                role=ENVIRONMENT,
                source_ref=str(place),
                started_at=at,
                parent_call_id=parent_call_id,
            )
        )

    def invocations(self, tools: Sequence[JsonValue] = ()) -> tuple[Invocation, ...]:
        """Build the turns. The system's messages and the declared ``tools`` become the agent's details."""
        losses_of_roles(self._roles, self._speakers, self._losses)
        details: AppDetails | None = None
        if self._instructions or tools:
            agent = AgentDetails(
                name=self._agent_name,
                instructions="\n".join(self._instructions),
                tool_declarations=tuple(tools),
            )
            details = AppDetails(agent_details={self._agent_name: agent})
        steps = [step for turn in self._turns for step in turn.steps]
        is_numbered = all(left.number < right.number for left, right in pairwise(steps))
        numbers = (step.number for step in steps) if is_numbered else count(1)
        return tuple(_invocation(turn, details, self._agent_name, numbers) for turn in self._turns)

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
        if turn is None or not (_is_calling(turn) or (len(self._turns) == 1 and _is_unopened(turn))):
            turn = _Turn()
            self._turns.append(turn)
        turn.began_at = turn.began_at or step.started_at
        turn.said += said
        turn.calling.update(call.id for call in step.calls if call.id is not None)

    def _is_request(self, step: Step) -> bool:
        """Whether the message has the role ``user`` and precedes the agent: it is the task even if the role is mapped."""
        return step.role == "user" and not any(
            made.role not in _NOBODY for turn in self._turns for made in turn.steps
        )

    def _is_report(self, step: Step) -> bool:
        if not self._is_chat or not self._turns:
            return False
        before = next((made for made in reversed(self._turns[-1].steps) if made.role not in _NOBODY), None)
        return before is not None and before.role == AGENT and reports.is_answer_to(before, step)

    def _environment(self, step: Step) -> None:
        seen = tuple(
            reports.item_of(item.text) if isinstance(item, Text | Claim) else item for item in step.items
        )
        self._current().steps.append(step.model_copy(update={"items": seen, "role": ENVIRONMENT}))

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
        index = len(turn.steps)
        for item in step.items:
            if isinstance(item, ToolCall):
                if item.id is not None:
                    self._callers[item.id] = (turn, index)
            elif isinstance(item, Opaque):
                self._losses.add(
                    f"what the agent said as {item.name!r}: it is kept, and no criterion reads it"
                )
        if step.author is None:
            turn.unnamed.add(index)
        turn.steps.append(step)

    def _tool(self, step: Step) -> None:
        for result in step.results:
            if step.extra:
                result = result.model_copy(update={"extra": {**(result.extra or {}), **step.extra}})
            self._result(result, step)

    def _result(self, result: ToolResult, step: Step) -> None:
        turn = self._current()
        call_id = result.call_id
        if call_id is not None and call_id in turn.calling:
            turn.calling.remove(call_id)
            turn.said.append(result)
        elif call_id is not None and call_id in self._callers:
            caller, index = self._callers.pop(call_id)
            caller.results.setdefault(index, []).append(result)
        else:  # no call has this id; names and positions are not used to match results
            turn.steps.append(step.model_copy(update={"items": (result,), "role": "tool", "extra": None}))

    def _current(self) -> _Turn:
        if not self._turns:  # the first message is the agent's
            self._turns.append(_Turn())
        return self._turns[-1]

    def _lose(self, role: str, step: Step) -> None:
        lost = f"{', '.join(sorted(step.extra or {}))} of the {role}'s messages"
        if lost not in self._lost:
            self._lost.add(lost)
            self._losses.add(lost)


def losses_of_roles(roles: Mapping[str, str], speakers: Iterable[str], losses: logs.Losses) -> None:
    """Report mapped ``roles`` that no message of the run has."""
    known = set(speakers)
    for role in roles:
        if role not in known:
            losses.add(
                f"the role {role!r} that was mapped: no message has it; there are {', '.join(sorted(known))}"
            )


def _is_calling(turn: _Turn) -> bool:
    """Whether the user has made calls without a result yet; its next message then belongs to the same turn."""
    return not turn.steps and any(isinstance(item, ToolCall) for item in turn.said)


def _is_unopened(turn: _Turn) -> bool:
    """Whether the turn has only observations from before the first message."""
    return not turn.said and all(step.role in _NOBODY for step in turn.steps)


def _invocation(turn: _Turn, details: AppDetails | None, agent: str, numbers: Iterator[int]) -> Invocation:
    steps, answer = [_finished(turn, index, agent, next(numbers)) for index in range(len(turn.steps))], None
    places = [index for index, step in enumerate(steps) if step.role == AGENT and step.parent_call_id is None]
    last = answering(steps, places)
    if last is not None:
        steps[last], answer = answer_of(steps[last])
    return Invocation(
        user_content=Content(role="user", items=tuple(turn.said), has_parts=bool(turn.said)),
        steps=tuple(steps),
        final_response=answer,
        creation_timestamp=turn.began_at or 0.0,
        app_details=details,
    )


def _finished(turn: _Turn, index: int, agent: str, number: int) -> Step:
    """A step with its number, its author and the results of its calls."""
    step = turn.steps[index]
    changed: dict[str, Any] = {} if step.number == number else {"number": number}
    if index in turn.unnamed:
        changed["author"] = agent
    if index in turn.results:
        changed["items"] = (*step.items, *turn.results[index])
    return step.model_copy(update=changed) if changed else step
