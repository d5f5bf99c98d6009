"""The adapter: makes sessions with an agent of google-adk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from importlib import metadata
from typing import Any, Final

from google.adk.agents.base_agent import BaseAgent
from google.adk.workflow import BaseNode

from adjudge.kit.session_task import SessionTask
from adjudge.kit.thread_loops import ThreadLoop
from adjudge.model import AppDetails, Content, Invocation, JsonObject
from adjudge.plugin import (
    AgentAdapter,
    AgentError,
    AgentSession,
    Emit,
    Host,
    InputError,
    Problem,
    SessionRequest,
    did_you_mean,
)
from adjudge_adk.config import AdkAgentConfig
from adjudge_adk.conversation import Conversation
from adjudge_adk.description import described
from adjudge_adk.loading import MadeAgent, load_agent, made_now
from adjudge_adk.lost_tools import listen
from adjudge_adk.simulated_tools import SimulatedTools, simulated_tools
from adjudge_adk.targets import AgentInProgram
from adjudge_adk.turns import steps_of
from adjudge_adk.warm_up import warm_up

_RETRYABLE: Final = frozenset({408, 429, 500, 502, 503, 504})
"""Statuses of a provider of models that another attempt may not meet."""


def adk_agent(config: AdkAgentConfig, host: Host) -> AgentAdapter:
    """The adapter for an agent.

    Raises:
        InputError: there is no such agent, or no such sub-agent.
    """
    listen()
    found = load_agent(config.target, host)
    # An object belongs to the program that gives it, and may be bound to the loop that the program runs.
    given = config.target.agent if isinstance(config.target, AgentInProgram) else config.target
    loop = ThreadLoop("adjudge adk agent") if isinstance(given, str) else None
    loaded = made_now(found, str(given), loop)
    if config.agent is not None:
        _sub_agent(loaded.root, config.agent)
    services = config.target if isinstance(config.target, AgentInProgram) else None
    simulated = None
    if config.environment_simulation is not None:
        simulated = simulated_tools(config.environment_simulation, host.working_folder)
        simulated.check_names(loaded.root)
    artifact_service = None if services is None else services.artifact_service
    warm_up()
    return AdkAdapter(loaded, config.agent, loop, artifact_service, simulated)


class AdkAdapter:
    """Sessions with one agent. They share the agent and its tools, and nothing else."""

    def __init__(
        self,
        loaded: MadeAgent,
        name: str | None,
        loop: ThreadLoop | None,
        artifact_service: Any = None,
        simulated: SimulatedTools | None = None,
    ) -> None:
        """Take over an agent.

        Args:
            loaded: The agent.
            name: The sub-agent that answers; ``None`` for the root agent.
            loop: Where google-adk runs; ``None`` for the loop of the run.
            artifact_service: A service for the artifacts of all cases.
            simulated: The tools that are simulated.
        """
        self._loaded = loaded
        self._name = name
        self._loop = loop
        self._artifact_service = artifact_service
        self._simulated = simulated
        self._root = loaded.root
        self._last: Conversation | None = None

    def plan_notes(self) -> Iterator[str]:
        """Agents that nobody can tell apart, and simulated tools whose answers nobody can foretell."""
        if self._simulated is not None:
            yield from self._simulated.notes()
        names = Counter(agent.name for agent in _agents(self._root))
        for name, count in names.items():
            if count > 1:
                yield f"{count} agents are named {name!r}: their steps cannot be told apart, and a transfer reaches the first"

    def fingerprint(self) -> JsonObject:
        """The version of google-adk, and how tools are simulated."""
        simulated = {} if self._simulated is None else {"environment_simulation": self._simulated.document}
        return {"google_adk": metadata.version("google-adk"), **simulated}

    async def describe(self) -> AppDetails:
        """The instructions and the tools of the agent and of all below it.

        Raises:
            AgentError: a set of tools raised.
        """
        task = SessionTask("adk agent, description", self._loop, _refused)
        try:
            details: AppDetails = await task.call(self._described)
            return details
        finally:
            task.stop()

    async def _described(self) -> AppDetails:
        return await described(_agents(self._root))

    async def open_session(self, request: SessionRequest, emit: Emit) -> AgentSession:
        """A session with services of its own.

        Raises:
            AgentError: the session cannot begin.
        """
        task = SessionTask(
            f"adk agent, case {request.eval_id}, repeat {request.repeat}", self._loop, _refused
        )
        session = AdkSession(task, emit)
        await session.open(lambda: self._conversation(request))
        return session

    async def aclose(self) -> None:
        """Close the tools and the plugins of the agent, and end its loop."""
        if self._last is not None:
            task = SessionTask("adk agent, end of the run", self._loop, _refused)
            try:
                await task.call(self._close, self._last)
            finally:
                task.stop()
        if self._loop is not None:
            await self._loop.aclose()

    async def _conversation(self, request: SessionRequest) -> Conversation:
        conversation = Conversation(
            self._root if self._name is None else _sub_agent(self._root, self._name),
            self._loaded.app,
            self._loaded.name,
            request.session_input,
            self._artifact_service,
            None if self._simulated is None else self._simulated.for_session(request.repeat),
        )
        self._last = conversation
        await conversation.open()
        return conversation

    async def _close(self, last: Conversation) -> None:
        # Once for all cases: they share the tools, and one that ends must not close them for the others.
        await last.close_agent()
        if self._loaded.closing is not None:
            await self._loaded.closing.aclose()


class AdkSession:
    """One session, as the core talks to it."""

    def __init__(self, task: SessionTask, emit: Emit) -> None:
        self._task = task
        self._emit = emit
        self._conversation: Conversation | None = None

    async def open(self, make: Any) -> None:
        """Begin the conversation."""
        try:
            self._conversation = await self._called(make)
        except BaseException:
            self._task.stop()
            raise

    async def send(self, content: Content) -> Invocation:
        """One turn. The steps of one that fails are emitted too."""
        conversation = self._begun
        try:
            turn: Invocation = await self._called(conversation.say, content)
        except BaseException:
            for step in steps_of(conversation.recorder.turn):
                self._emit(step)
            raise
        for step in turn.steps:
            self._emit(step)
        return turn

    @property
    def state(self) -> Mapping[str, Any] | None:
        """The state of the session after the last turn."""
        return self._begun.state

    async def aclose(self) -> None:
        """End the session.

        Raises:
            AgentError: a turn that was cancelled runs still (``left_running``).
        """
        self._task.stop()
        await self._task.settled()
        if (left := self._task.left_running) is not None:
            raise AgentError(left, code="left_running", retryable=True)

    @property
    def _begun(self) -> Conversation:
        if self._conversation is None:
            raise AgentError("the session was not opened", code="bad_answer")
        return self._conversation

    async def _called(self, function: Any, *args: object) -> Any:
        try:
            return await self._task.call(function, *args)
        except AgentError:
            raise
        except Exception as error:
            if isinstance(
                error.__cause__, AgentError
            ):  # of a plugin of ours: google-adk wraps what plugins raise
                raise error.__cause__ from error
            raise AgentError(
                f"{type(error).__name__}: {error}{_advice(error)}",
                code="agent_raised",
                retryable=_may_work_later(error),
            ) from error


def _sub_agent(root: BaseNode, name: str) -> BaseNode:
    """The agent of that name.

    Raises:
        InputError: there is none, or there are several.
    """
    found = [agent for agent in _agents(root) if agent.name == name]
    if len(found) == 1:
        return found[0]
    if found:
        raise InputError(
            Problem(
                what=f"{len(found)} agents are named {name!r}", hint="Give every agent a name of its own."
            )
        )
    names = [agent.name for agent in _agents(root)]
    raise InputError(
        Problem(
            what=f"there is no agent named {name!r}.{did_you_mean(name, names)} There are: {', '.join(names)}"
        )
    )


def _agents(root: BaseNode) -> Iterable[BaseNode]:
    """An agent and all below it."""
    yield root
    for agent in root.sub_agents if isinstance(root, BaseAgent) else ():
        yield from _agents(agent)


def _advice(error: Exception) -> str:
    """What to do about an error of google-adk that does not say so."""
    if isinstance(error, KeyError) and "Context variable not found" in str(error):
        return "; give it in session_input.state of the case, or write {name?} where the instruction may go without it"
    if _lacks_key(error):
        return " Put GOOGLE_API_KEY into the environment, or into the .env file of the agent's folder."
    return ""


def _lacks_key(error: Exception) -> bool:
    return isinstance(error, ValueError) and "No API key was provided" in str(error)


def _may_work_later(error: Exception) -> bool:
    is_temporary = isinstance(error, TimeoutError) or getattr(error, "code", None) in _RETRYABLE
    return is_temporary or _lacks_key(error)


def _refused(error: BaseException) -> AgentError:
    text = f"{type(error).__name__}: {error}".rstrip(": ")
    return AgentError(f"the agent's code raised {text}", code="agent_raised")
