"""Turns out of the messages of one run, for every format whose messages name a speaker and call ids."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

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
    numbered,
)
from adjudge_plugins.readers import reports

AGENT: Final = "assistant"
"""The role of an agent's step. Steps of an agent that the log does not name have it as their author too."""


ENVIRONMENT: Final = "environment"
"""The role of steps that nobody made; they have no author."""
_NOBODY: Final = (ENVIRONMENT, "system", "developer")


@dataclass(slots=True)
class _Turn:
    said: list[Item] = field(default_factory=list[Item])
    """What the user said, and the calls that a simulated user made itself."""
    calling: set[str] = field(default_factory=set[str])
    """Calls of the user that have no result yet."""
    steps: list[Step] = field(default_factory=list[Step])
    began_at: float | None = None


class Dialogue:
    """Splits messages at those of the user. A tool's result goes to the step whose call it names.

    A user's message that brings nothing but results is none of the user: Anthropic's protocol has them there. Neither
    is, in chats, one that reports what came of an action in the agent's words.
    """

    def __init__(
        self,
        losses: logs.Losses,
        *,
        instructions: str = "",
        agent: str = AGENT,
        roles: Mapping[str, str] | None = None,
    ) -> None:
        """Nothing is said yet.

        Args:
            losses: Is told what cannot be kept.
            instructions: What the log gives as the agent's instructions apart from messages.
            agent: The author of steps that have none.
            roles: Whose the messages of a role or a name are, as the user says it (``ReadOptions.roles``). ``None``
                where the format is none of plain messages: in these, agents without an interface for calls get the
                answers of their tools as messages of the user.
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
        """One message, as a step whose role says who spoke: user, system, developer, tool, function, else an agent.

        Args:
            step: The message.
            names: What the log calls its speaker, the narrowest first; the user may have said whose such messages are.
        """
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
        """Something that the environment showed or reported, as a step of its own.

        Args:
            items: Observations and errors.
            place: Where it stands.
            at: When it was, in seconds since the epoch.
            parent_call_id: The call that it happened in.
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
        """The turns, with the system's messages and the declared ``tools`` as the agent's details."""
        losses_of_roles(self._roles, self._speakers, self._losses)
        details: AppDetails | None = None
        if self._instructions or tools:
            agent = AgentDetails(
                name=self._agent_name,
                instructions="\n".join(self._instructions),
                tool_declarations=tuple(tools),
            )
            details = AppDetails(agent_details={self._agent_name: agent})
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
        if turn is None or not (_is_calling(turn) or (len(self._turns) == 1 and _is_unopened(turn))):
            turn = _Turn()
            self._turns.append(turn)
        turn.began_at = turn.began_at or step.started_at
        turn.said += said
        turn.calling.update(call.id for call in step.calls if call.id is not None)

    def _is_request(self, step: Step) -> bool:
        """Whether it stands under the user's role before the agent moved: then it has the task, whoever speaks so later."""
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
        for item in step.items:
            if isinstance(item, Opaque):
                self._losses.add(
                    f"what the agent said as {item.name!r}: it is kept, and no criterion reads it"
                )
        author = step.author or self._agent_name
        turn.steps.append(step if step.author == author else step.model_copy(update={"author": author}))
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


def losses_of_roles(roles: Mapping[str, str], speakers: Iterable[str], losses: logs.Losses) -> None:
    """Tell which of the ``roles`` that the user mapped no message of the run has."""
    known = set(speakers)
    for role in roles:
        if role not in known:
            losses.add(
                f"the role {role!r} that was mapped: no message has it; there are {', '.join(sorted(known))}"
            )


def _is_calling(turn: _Turn) -> bool:
    """Whether the user made calls of its own, after which it goes on in the same turn."""
    return not turn.steps and any(isinstance(item, ToolCall) for item in turn.said)


def _is_unopened(turn: _Turn) -> bool:
    """Whether there is nothing in it yet but what the environment showed before anybody spoke."""
    return not turn.said and all(step.role in _NOBODY for step in turn.steps)


def _invocation(turn: _Turn, details: AppDetails | None) -> Invocation:
    steps, answer = list(turn.steps), None
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
