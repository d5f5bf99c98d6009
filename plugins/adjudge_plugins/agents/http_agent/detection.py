"""Detects the kind of a server during planning, if the options do not name it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from adjudge.model import JsonObject
from adjudge.plugin import AgentSession, CaseFacts, Emit, SessionRequest
from adjudge_plugins.agents.http_agent.adk_server import AdkServer
from adjudge_plugins.agents.http_agent.chat import ChatEndpoint


class DetectedServer:
    """An ADK API server where the server lists its apps, else a chat endpoint."""

    def __init__(self, chat: ChatEndpoint, adk: AdkServer) -> None:
        """Store both candidates; neither has opened a connection yet."""
        self._chat = chat
        self._adk = adk
        self._served: ChatEndpoint | AdkServer = chat

    def check_plan(self, cases: Iterable[CaseFacts]) -> Iterator[str]:
        """Detect the kind of server, and report the problems of that kind."""
        if self._adk.apps() is not None:
            self._served = self._adk
        yield from self._served.check_plan(cases)

    def fingerprint(self) -> JsonObject:
        """The settings that determine the answers of an ADK API server."""
        return self._adk.fingerprint() if self._served is self._adk else {}

    async def open_session(self, request: SessionRequest, emit: Emit) -> AgentSession:
        """Open a session of the detected kind."""
        return await self._served.open_session(request, emit)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._served.aclose()
