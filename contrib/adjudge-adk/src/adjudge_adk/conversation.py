"""One case with an agent, on the event loop of google-adk, with its own session, services and runner."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Sequence
from typing import Any

from google.adk.agents.run_config import RunConfig
from google.adk.apps.app import App
from google.adk.artifacts.in_memory_artifact_service import InMemoryArtifactService
from google.adk.memory.in_memory_memory_service import InMemoryMemoryService
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.runners import Runner
from google.adk.sessions.base_session_service import GetSessionConfig
from google.adk.sessions.in_memory_session_service import InMemorySessionService
from google.adk.workflow import BaseNode
from google.genai import types

from adjudge.kit.adk import content_to_adk
from adjudge.kit.plain_json import plain_json
from adjudge.model import Content, Invocation, JsonObject, SessionInput
from adjudge.plugin import AgentError
from adjudge_adk.exhibits import Exhibits
from adjudge_adk.lost_tools import lost_tools
from adjudge_adk.recorder import Recorder
from adjudge_adk.simulated_tools import Simulation
from adjudge_adk.turns import invocation_of

_PREFIX = "adk-eval-session-"
"""What the ids of sessions begin with that ADK's own evaluation makes."""


class Conversation:
    """Everything that the case has of its own: nothing of it is seen by another case."""

    def __init__(
        self,
        agent: BaseNode,
        app: App | None,
        app_name: str,
        start: SessionInput,
        artifact_service: Any = None,
        simulation: Simulation | None = None,
    ) -> None:
        """Prepare.

        Args:
            agent: Who answers.
            app: What it belongs to, where it belongs to an ``App``: its plugins and its configuration hold.
            app_name: What the app is called where the case does not say.
            start: How the session starts.
            artifact_service: A service of the program's own, which other cases see.
            simulation: What answers in place of tools.
        """
        self.recorder = Recorder()
        self._simulated = set[str]() if simulation is None else simulation.answered
        self.state: JsonObject = {}
        self._app_name = start.app_name or app_name
        self._start = start
        self._sessions = InMemorySessionService()
        self._session_id = start.session_id or f"{_PREFIX}{uuid.uuid4()}"
        self._exhibits = Exhibits()
        self._runner = Runner(
            # The recorder is asked first: it notes calls that no tool answers.
            app=_app(agent, app, self._app_name, [self.recorder, *([simulation] if simulation else [])]),
            app_name=self._app_name,
            session_service=self._sessions,
            artifact_service=artifact_service or InMemoryArtifactService(),
            memory_service=InMemoryMemoryService(),
        )

    async def open(self) -> None:
        """Create the session."""
        session = await self._sessions.create_session(
            app_name=self._app_name,
            user_id=self._start.user_id,
            state=self._start.state,
            session_id=self._session_id,
        )
        self.state = plain_json(session.state)

    async def say(self, content: Content) -> Invocation:
        """One turn.

        Raises:
            Exception: whatever the agent raises.
            AgentError: it ended with an error; or a set of its tools could not be loaded (``tools_not_loaded``): this
                was not the agent that is to be measured.
        """
        lost = lost_tools()
        self.recorder.begin()
        began, started = time.time(), time.monotonic()
        events = self._runner.run_async(
            user_id=self._start.user_id,
            session_id=self._session_id,
            new_message=_message(content),
            run_config=RunConfig(),
        )
        try:
            async for event in events:
                self.recorder.take(event)
        finally:
            await events.aclose()
        if lost:
            raise AgentError("; ".join(dict.fromkeys(lost)), code="tools_not_loaded", retryable=True)
        turn = invocation_of(
            self.recorder.turn, content, began, time.monotonic() - started, self._exhibits, self._simulated
        )
        self.state = await self._state()
        return turn

    async def close_agent(self) -> None:
        """Close the tools of the agent and the plugins of its app, which other conversations use too."""
        await self._runner.close()

    async def _state(self) -> JsonObject:
        session = await self._sessions.get_session(
            app_name=self._app_name,
            user_id=self._start.user_id,
            session_id=self._session_id,
            config=GetSessionConfig(num_recent_events=0),
        )
        return {} if session is None else plain_json(session.state)


def _app(agent: BaseNode, app: App | None, name: str, own: Sequence[BasePlugin]) -> App:
    """The app with plugins of ours; what a program made stays as it is."""
    if app is None:
        # As the runner itself does with a bare agent: the name of a folder need not be one that an App may have.
        return App.model_construct(name=name, root_agent=agent, plugins=list(own))
    return app.model_copy(update={"plugins": [*app.plugins, *own], "root_agent": agent})


def _message(content: Content) -> types.Content:
    # From JSON, so that pictures and files are read from base64.
    return types.Content.model_validate_json(json.dumps({**content_to_adk(content), "role": "user"}))
