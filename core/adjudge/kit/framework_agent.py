"""Agent adapters and sessions for agent frameworks that run in this process."""

from __future__ import annotations

import copy
import inspect
import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any, Final, Protocol

from adjudge.kit.named_objects import is_of_class, load_object
from adjudge.kit.plain_json import plain_json
from adjudge.kit.session_task import SessionTask
from adjudge.kit.strict_json import is_object
from adjudge.kit.thread_loops import ThreadLoop
from adjudge.kit.turn_steps import TurnSteps
from adjudge.model import AppDetails, Content, Invocation, JsonObject
from adjudge.plugin import AgentError, AgentSession, Emit, Host, InputError, Problem, SessionRequest

__all__ = [
    "AgentSource",
    "FrameworkAgent",
    "FrameworkConversation",
    "agent_source",
    "answer_text",
    "approved",
    "case_context",
    "may_work_later",
    "shown_state",
]

_RETRYABLE: Final = frozenset({408, 429, 500, 502, 503, 504, 529})
"""HTTP statuses of model providers after which another attempt may succeed."""

_SUPPRESSED: Final = "a context manager of the agent suppressed the error for which it could not begin"

_YES: Final = frozenset(
    {"yes", "y", "yeah", "yep", "ok", "okay", "sure", "approve", "approved", "allow", "confirm", "confirmed"}
)


class FrameworkConversation(Protocol):
    """The conversation of one case with an agent. Its coroutines run in sequence, in the same task."""

    async def say(self, said: Content, turn: TurnSteps) -> None:
        """Run one turn: add the agent's steps and its answer to ``turn``.

        Raises:
            Exception: any exception of the agent.
        """
        ...

    @property
    def state(self) -> JsonObject | None:
        """A copy of the state after the last turn; ``None`` if the agent has no state."""
        ...


@dataclass(frozen=True, slots=True)
class AgentSource:
    """The source of the agents: one agent for all cases, or a function that creates one for each case."""

    found: Any
    """The agent of all cases, or the function."""
    is_agent: Callable[[object], bool]
    """Whether an object is an agent."""
    loop: ThreadLoop | None
    """The event loop of the agent; ``None`` for the loop of the run."""

    async def agent(self, stack: AsyncExitStack) -> Any:
        """Get the agent for one case.

        Args:
            stack: If the function returns a context manager, it is entered on this stack.

        Raises:
            AgentError: the function did not return an agent (``bad_answer``).
        """
        if self.is_agent(self.found):
            return self.found
        made = self.found()
        if inspect.isawaitable(made):
            made = await made
        if hasattr(made, "__aenter__") and not self.is_agent(made):
            made = await stack.enter_async_context(made)
        if not self.is_agent(made):
            raise AgentError(
                f"the function that makes the agent gave an object of type {type(made).__name__}",
                code="bad_answer",
            )
        return made


def agent_source(target: object, host: Host, kind: str, is_agent: Callable[[object], bool]) -> AgentSource:
    """Find the agent of a target: an object, or a function that creates one for each case.

    Args:
        target: ``package.module:name``; from Python also the object itself.
        host: The host, which imports the module.
        kind: The kind of agent, for messages.
        is_agent: Returns whether an object is an agent of this kind.

    Raises:
        InputError: there is no such object, or it is neither an agent nor a function.
    """
    # An object of the calling program may be bound to the program's event loop, so it does not get another one.
    loop = ThreadLoop(f"adjudge {kind}") if isinstance(target, str) else None
    found = load_object(target, host) if isinstance(target, str) else target
    if is_agent(found) or callable(found):
        return AgentSource(found, is_agent, loop)
    shown = target if isinstance(target, str) else type(target).__name__
    raise InputError(
        Problem(
            what=f"the agent {shown!r} cannot be used: it is an object of type {type(found).__name__}, not {kind}",
            hint=f"Name {kind}, or a function without parameters that makes one for every case.",
        )
    )


class FrameworkAgent:
    """An agent adapter. Its sessions share the agent, but no data that a turn changes."""

    def __init__(
        self,
        name: str,
        loop: ThreadLoop | None,
        converse: Callable[[SessionRequest, AsyncExitStack], Awaitable[FrameworkConversation]],
        describe: Callable[[AsyncExitStack], Awaitable[AppDetails]],
        fingerprint: JsonObject,
    ) -> None:
        """Create an adapter.

        Args:
            name: The agent's name, for the names of tasks.
            loop: The event loop of the framework; ``None`` for the loop of the run.
            converse: Begins a case. Contexts entered on the stack are closed at the end of the case, in its task.
            describe: Returns the agent's instructions and tools. Contexts entered on the stack are closed afterwards.
            fingerprint: Settings besides the options that determine the answers, such as the framework's version.
        """
        self._name = name
        self._loop = loop
        self._converse = converse
        self._describe = describe
        self._fingerprint = fingerprint

    def fingerprint(self) -> JsonObject:
        """The settings that must be the same when a run is resumed."""
        return self._fingerprint

    async def describe(self) -> AppDetails:
        """The instructions and the tools of the agent."""
        task = SessionTask(f"{self._name}, description", self._loop, _refused)
        try:
            details: AppDetails = await _called(task, _described, self._describe)
            return details
        finally:
            task.stop()

    async def open_session(self, request: SessionRequest, emit: Emit) -> AgentSession:
        """Open a session with one conversation of the framework.

        Raises:
            AgentError: the conversation cannot begin.
        """
        name = f"{self._name}, case {request.eval_id}, repeat {request.repeat}"
        task = SessionTask(name, self._loop, _refused)
        try:
            conversation, stack = await _called(task, _begun, self._converse, request)
            return _Session(task, conversation, stack, emit)
        except BaseException:
            task.stop()
            raise

    async def aclose(self) -> None:
        """End the loop of the framework."""
        if self._loop is not None:
            await self._loop.aclose()


async def _described(describe: Callable[[AsyncExitStack], Awaitable[AppDetails]]) -> AppDetails:
    async with AsyncExitStack() as stack:
        return await describe(stack)
    raise AgentError(_SUPPRESSED, code="agent_raised")


async def _begun(
    converse: Callable[[SessionRequest, AsyncExitStack], Awaitable[FrameworkConversation]],
    request: SessionRequest,
) -> tuple[FrameworkConversation, AsyncExitStack]:
    """Begin a conversation; returns it with the contexts to close at its end. If it fails, they are closed at once."""
    async with AsyncExitStack() as stack:
        conversation = await converse(request, stack)
        return conversation, stack.pop_all()
    raise AgentError(_SUPPRESSED, code="agent_raised")


class _Session:
    def __init__(
        self, task: SessionTask, conversation: FrameworkConversation, stack: AsyncExitStack, emit: Emit
    ) -> None:
        self._task = task
        self._conversation = conversation
        self._stack = stack
        self._emit = emit

    async def send(self, content: Content) -> Invocation:
        turn = TurnSteps(content, self._emit)
        try:
            await _called(self._task, self._conversation.say, content, turn)
            return turn.invocation()
        except BaseException:
            turn.broken_off()
            raise

    @property
    def state(self) -> Mapping[str, Any] | None:
        return self._conversation.state

    async def aclose(self) -> None:
        try:
            await self._task.settled()
            if self._task.left_running is None:
                await _called(self._task, self._stack.aclose)
        finally:
            self._task.stop()
        if (left := self._task.left_running) is not None:
            raise AgentError(left, code="left_running", retryable=True)


def case_context(made_by: str | None, host: Host) -> Callable[[SessionRequest], Any]:
    """A function that creates the context of a case's tools: a copy of its state, or the result of a user's function.

    Args:
        made_by: ``package.module:name`` of the user's function; ``None`` if the tools use the state itself.
        host: The host, which imports the module.

    Raises:
        InputError: there is no such function.
    """
    make: Any = None if made_by is None else load_object(made_by, host, what="context")

    def made(request: SessionRequest) -> Any:
        state = copy.deepcopy(request.session_input.state)
        return state if make is None else make(state)

    return made


def shown_state(context: object) -> JsonObject | None:
    """The content of a context as JSON, for a mapping, a dataclass or a model; ``None`` for other objects."""
    # In a list, because plain_json then keeps the default values of a model.
    [state] = plain_json([context])
    return state if is_object(state) else None


def answer_text(output: object) -> str:
    """A final output as a text: a text unchanged, other values as JSON."""
    return output if isinstance(output, str) else json.dumps(plain_json([output])[0], ensure_ascii=False)


def approved(said: Content) -> bool:
    """Whether the user's answer to a request for approval begins with a yes."""
    words = "".join(letter if letter.isalpha() else " " for letter in said.text.lower()).split()
    return bool(words) and words[0] in _YES


def may_work_later(error: BaseException) -> bool:
    """Whether an error, or an error that caused it, is one of the network or of a busy provider."""
    seen: set[int] = set()
    found: BaseException | None = error
    while found is not None and id(found) not in seen:
        seen.add(id(found))
        status = getattr(found, "status_code", getattr(getattr(found, "response", None), "status_code", None))
        if isinstance(found, TimeoutError | ConnectionError) or is_of_class(found, "httpx", "TransportError"):
            return True
        if isinstance(status, int) and status in _RETRYABLE:
            return True
        found = found.__cause__
    return False


async def _called(task: SessionTask, function: Callable[..., Awaitable[Any]], *args: object) -> Any:
    try:
        return await task.call(function, *args)
    except AgentError:
        raise
    except Exception as error:
        text = f"{type(error).__name__}: {error}".rstrip(": ")
        raise AgentError(text, code="agent_raised", retryable=may_work_later(error)) from error


def _refused(error: BaseException) -> AgentError:
    text = f"{type(error).__name__}: {error}".rstrip(": ")
    return AgentError(f"the agent's code raised {text}", code="agent_raised")
