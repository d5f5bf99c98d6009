"""An agent that was made for no run: a process of its own serves it to the run."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from adjudge.errors import AgentError
from adjudge.extension.guard import PluginRaisedError, awaited, closed
from adjudge.extension.plugin_loops import plugin_loops
from adjudge.extension.project import project_extensions
from adjudge.model.evidence import Failure
from adjudge.model.invocation import Invocation
from adjudge.runner.agents import plan_agent
from adjudge.runner.conversation import checked_answer, failure_of
from adjudge.runner.host import RunHost
from adjudge.runner.plan import PlannedAgent
from adjudge.runner.problems import Problems
from adjudge.runner.request import RunRequest


@dataclass(frozen=True, slots=True)
class OpenAgent:
    """An agent, and what a run does with what it gives and raises. Use ``adjudge.open_agent``."""

    agent: PlannedAgent
    """Its adapter, its specification, what decides its answers, and its folder."""
    warnings: tuple[str, ...]
    """What is odd about it."""

    async def run(self, session: Callable[[], Awaitable[None]]) -> None:
        """Run a coroutine where the adapter's coroutines run: all that is said to one session, from its beginning."""
        await awaited(self.agent.component, "the session", session)

    def checked(self, answer: object) -> Invocation:
        """The answer of a session, where it is one.

        Raises:
            AgentError: it is none.
        """
        return checked_answer(self.agent.component, answer)

    def failure(self, error: BaseException) -> Failure:
        """What came out of the agent, as the error of a case."""
        if not isinstance(error, AgentError):
            error = PluginRaisedError(self.agent.component, "the session", error)
        return failure_of(self.agent, error)


@asynccontextmanager
async def open_agent(
    target: str, agent_options: Mapping[str, Any] | None = None, *, disable: Iterable[str] = ()
) -> AsyncGenerator[OpenAgent]:
    """Make the agent that a target names, in the working folder, for no run.

    Args:
        target: As on the command line: ``"package.module:name"``, a folder.
        agent_options: Options of the agent adapter.
        disable: Plugins or distributions that are not imported.

    Raises:
        InputError: there is no such agent, or its options are wrong; every problem is named.
        PluginError: a required plugin is not available.
    """
    folder, problems = Path.cwd(), Problems()
    extensions = project_extensions(folder, disable=disable)
    host = RunHost(extensions, folder)
    request = RunRequest(agent=target, agent_options=dict(agent_options or {}), eval_sets=())
    with problems.caught():
        host.read_environment(agent_folder=None)
    made = plan_agent(target, request, (), extensions, host, problems)
    problems.raise_any()
    if made is None:
        raise AssertionError("an agent that cannot be made is a problem, and was raised")
    async with plugin_loops():
        try:
            yield OpenAgent(made, problems.warnings)
        finally:
            await closed(made.component, made.adapter)
