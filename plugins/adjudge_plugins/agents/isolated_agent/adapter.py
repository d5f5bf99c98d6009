"""The adapter: creates the agent once in a process to inspect it, and then in a new process for each session."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from adjudge.model import JsonObject
from adjudge.plugin import AgentSession, CaseFacts, Emit, InputError, Problem, SessionRequest
from adjudge_plugins.agents.isolated_agent.config import IsolatedAgentConfig
from adjudge_plugins.agents.isolated_agent.process import AgentProcess, line_of
from adjudge_plugins.agents.isolated_agent.session import IsolatedSession

_LOADING: Final = 300.0
"""The time limit in seconds for loading an agent before a run."""


class IsolatedAdapter:
    """Creates sessions with an agent, each in its own process."""

    def __init__(self, config: IsolatedAgentConfig, folder: Path) -> None:
        """Create the agent in a process, to find problems before the run.

        Args:
            config: Which agent to create.
            folder: The working folder of every process.

        Raises:
            InputError: there is no such agent, its options are wrong, or loading it ended the process.
        """
        self._target = config.target
        self._folder = folder
        self._start: dict[str, Any] = config.model_dump(mode="json")
        self._probe: AgentProcess | None = None
        found = self._asked(self._start)
        self._notes: list[str] = found["warnings"]
        self._document: JsonObject = found["document"]
        self.folder = None if found["folder"] is None else Path(found["folder"])
        """The folder of the agent."""

    def check_plan(self, cases: Iterable[CaseFacts]) -> Iterator[str]:
        """Problems with these cases, from the agent's own adapter."""
        facts = [asdict(each) for each in cases]
        found = self._asked({"cases": facts})
        self._end_probe()
        yield from found["problems"]

    def plan_notes(self) -> Iterable[str]:
        """Notes of the agent's own adapter."""
        return self._notes

    def fingerprint(self) -> JsonObject:
        """The name of the agent's own adapter and its fingerprint."""
        return self._document

    async def open_session(self, request: SessionRequest, emit: Emit) -> AgentSession:
        """Open a session in a new process.

        Raises:
            AgentError: the agent cannot be created, or ends its process.
        """
        session = IsolatedSession(AgentProcess(self._start, self._folder), emit)
        try:
            await session.open(request)
        except BaseException:
            session.end()
            raise
        return session

    async def aclose(self) -> None:
        """End the process that was started for planning, if it still runs."""
        self._end_probe()

    def _asked(self, message: dict[str, Any]) -> JsonObject:
        """Send a message to the planning process and return its reply."""
        if self._probe is None:
            self._probe = AgentProcess(message, self._folder)
        probe = self._probe
        limit = threading.Timer(_LOADING, probe.kill)
        limit.daemon = True
        limit.start()
        try:
            with probe.connection.makefile("rwb") as talk:
                talk.write(line_of(message))
                talk.flush()
                line = talk.readline()
        except ConnectionError:
            line = b""
        except BaseException:
            self._end_probe()
            raise
        finally:
            limit.cancel()
        if not line.endswith(b"\n"):
            how = self._end_probe()
            what = f"the agent {self._target!r} cannot be used: while it was loaded, its process {how}"
            raise InputError(Problem(what=what, hint="Isolation needs an agent that can be loaded."))
        found: JsonObject = json.loads(line)
        if "refused" in found:
            self._end_probe()
            raise InputError(
                [Problem(**problem) for problem in found["refused"]], warnings=tuple(found["warnings"])
            )
        return found

    def _end_probe(self) -> str:
        probe, self._probe = self._probe, None
        if probe is None:
            return ""
        probe.connection.close()
        return probe.told()
