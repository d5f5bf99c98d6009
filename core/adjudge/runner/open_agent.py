"""An agent that is opened outside of a run, for instance to serve it from its own process."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from adjudge.errors import AgentError
from adjudge.extension.coroutine_guard import awaited, closed
from adjudge.extension.guard import PluginRaisedError
from adjudge.extension.plugin_loops import plugin_loops
from adjudge.extension.project import project_extensions
from adjudge.model.evidence import Failure
from adjudge.model.invocation import Invocation
from adjudge.runner.agents import plan_agent
from adjudge.runner.conversation import checked_answer, failure_of
from adjudge.runner.groundwork import Groundwork
from adjudge.runner.plan import PlannedAgent
from adjudge.runner.request import RunRequest


@dataclass(frozen=True, slots=True)
class OpenAgent:
    """An agent opened outside of a run by ``adjudge.open_agent``. Answers and errors are handled as in a run."""

    agent: PlannedAgent
    """Its adapter, its specification, the settings that determine its answers, and its folder."""
    warnings: tuple[str, ...]
    """Warnings about the agent."""

    async def run(self, session: Callable[[], Awaitable[None]]) -> None:
        """Run a coroutine on the event loop of the adapter. Use it for all calls to one session."""
        await awaited(self.agent.component, "the session", session)

    def checked(self, answer: object) -> Invocation:
        """Validate the answer of a session.

        Raises:
            AgentError: the answer is invalid.
        """
        return checked_answer(self.agent.component, answer)

    def failure(self, error: BaseException) -> Failure:
        """Convert an exception of the agent into the error of a case."""
        if not isinstance(error, AgentError):
            error = PluginRaisedError(self.agent.component, "the session", error)
        return failure_of(self.agent, error)


@asynccontextmanager
async def open_agent(
    target: str, agent_options: Mapping[str, Any] | None = None, *, disable: Iterable[str] = ()
) -> AsyncGenerator[OpenAgent]:
    """Open the agent named by a target, without a run. Paths are relative to the working folder.

    Args:
        target: As on the command line: ``"package.module:name"``, or a folder.
        agent_options: Options of the agent adapter.
        disable: Plugins or distributions that are not imported.

    Raises:
        InputError: there is no such agent, or its options are wrong; it names every problem.
        PluginError: a required plugin is not available.
    """
    request = RunRequest(agent=target, agent_options=dict(agent_options or {}), eval_sets=())
    ground = Groundwork(request, project_extensions(Path.cwd(), disable=disable))
    ground.read_environment()
    made = plan_agent(target, request, (), ground)
    ground.problems.raise_any()
    if made is None:
        raise AssertionError("an agent that cannot be made is a problem, and was raised")
    async with plugin_loops():
        try:
            yield OpenAgent(made, ground.problems.warnings)
        finally:
            await closed(made.component, made.adapter)
