"""A server that nobody has said the kind of: it is asked while the run is planned."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from adjudge.model import JsonObject
from adjudge.plugin import AgentSession, CaseFacts, Emit, SessionRequest
from adjudge_plugins.agents.http_agent.adk_server import AdkServer
from adjudge_plugins.agents.http_agent.chat import ChatEndpoint


class DetectedServer:
    """An ADK API server where the server lists its apps, else a chat endpoint."""

    def __init__(self, chat: ChatEndpoint, adk: AdkServer) -> None:
        """Take over what the server could be; neither has a connection yet."""
        self._chat = chat
        self._adk = adk
        self._served: ChatEndpoint | AdkServer = chat

    def check_plan(self, cases: Iterable[CaseFacts]) -> Iterator[str]:
        """Ask what the server is, and check what that kind of server needs."""
        if self._adk.apps() is not None:
            self._served = self._adk
        yield from self._served.check_plan(cases)

    def fingerprint(self) -> JsonObject:
        """What decides the answers of an ADK API server."""
        return self._adk.fingerprint() if self._served is self._adk else {}

    async def open_session(self, request: SessionRequest, emit: Emit) -> AgentSession:
        """A session of the kind that was found."""
        return await self._served.open_session(request, emit)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._served.aclose()
