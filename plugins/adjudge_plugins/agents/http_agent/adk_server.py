"""The ADK API server (``adk api_server``, ``adk web``) as an agent.

Addresses and shapes: google-adk 2.13.0, ``cli/api_server.py``.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, cast
from urllib.parse import quote

import httpx

from adjudge.kit import http_judge
from adjudge.kit.adk import content_to_adk
from adjudge.model import Content, Invocation, JsonObject
from adjudge.plugin import (
    AgentError,
    AgentSession,
    CaseFacts,
    Emit,
    SessionRequest,
)
from adjudge_plugins.agents.http_agent.adk_events import invocation_of
from adjudge_plugins.agents.http_agent.connection import Connection

_SECONDS: Final = 5.0
"""The time limit for listing the server's apps."""

_NAMED: Final = 20
"""The number of apps listed in a message."""


class AdkServer:
    """Creates sessions on the server, and deletes each one when its case ends."""

    def __init__(self, connection: Connection, url: httpx.URL, app: str | None) -> None:
        """Use the server at ``url``, which ends in ``/``."""
        self._connection = connection
        self._url = url
        self._app = app
        self._listed: list[str] | None = None
        self._only: str | None = None
        self._pinned: dict[tuple[str, str], asyncio.Lock] = {}

    def apps(self) -> list[str] | None:
        """The apps of the server, cached after the first answer; ``None`` if no ADK API server answers."""
        if self._listed is None:
            found = self._connection.probe(self._path("list-apps"), _SECONDS)
            apps = cast("list[object]", found) if isinstance(found, list) else [None]
            if all(isinstance(app, str) for app in apps):
                self._listed = cast("list[str]", apps)
        return self._listed

    def check_plan(self, cases: Iterable[CaseFacts]) -> Iterator[str]:
        """Report cases for which no app is known. For cases that name none, the server's only app is used."""
        if self._app is not None:
            return
        nameless = [case.eval_id for case in cases if not case.app_name]
        if not nameless:
            return
        apps = self.apps()
        if apps is not None and len(apps) == 1:
            self._only = apps[0]
            return
        named = f"{', '.join(nameless[:3])}{f' and {len(nameless) - 3} more' if len(nameless) > 3 else ''}"
        place = http_judge.shown_address(str(self._path("list-apps")))
        if apps is None:
            found = f"{place} does not say which apps there are"
        else:
            more = f" and {len(apps) - _NAMED} more" if len(apps) > _NAMED else ""
            found = (
                f"the server has {', '.join(sorted(apps)[:_NAMED])}{more}"
                if apps
                else "the server has no app"
            )
        yield f"no app_name: {named}; {found}. Name the app: --agent-option app=NAME"

    def fingerprint(self) -> JsonObject:
        """The server's only app, if neither a case nor an option names one."""
        return {} if self._only is None else {"app": self._only}

    async def open_session(self, request: SessionRequest, emit: Emit) -> AgentSession:
        """Create a session with the state of the case.

        Raises:
            AgentError: the server cannot be reached, or refuses.
        """
        start = request.session_input
        app = self._app or start.app_name or self._only
        if not app:
            raise AgentError(
                "the case has no app_name, and no app is named: --agent-option app=NAME", code="no_app"
            )
        user = start.user_id or "user"
        path = f"apps/{_quoted(app)}/users/{_quoted(user)}/sessions"
        sessions = self._path(path)
        body: JsonObject = {"state": start.state}
        pinned: asyncio.Lock | None = None
        if start.session_id is not None:
            # The case sets the id of its session, so its repeats run one after another, each in a new session
            # of that id.
            body["sessionId"] = start.session_id
            pinned = self._pinned.setdefault((user, start.session_id), asyncio.Lock())
            await pinned.acquire()
        try:
            reply = await self._connection.json("POST", sessions, body)
            created = cast("JsonObject", reply) if isinstance(reply, dict) else {}
            session_id = created.get("id")
            if not isinstance(session_id, str):
                raise AgentError(
                    f"{http_judge.shown_address(str(sessions))} answered no session: it is no ADK API server",
                    code="bad_answer",
                )
        except BaseException:
            if pinned is not None:
                pinned.release()
            raise
        return _AdkSession(
            self._connection,
            run=self._path("run"),
            session=self._path(f"{path}/{_quoted(session_id)}"),
            ids={"appName": app, "userId": user, "sessionId": session_id},
            state=_state(created),
            turns=request.turns,
            emit=emit,
            pinned=pinned,
        )

    async def aclose(self) -> None:
        """Close the connections."""
        await self._connection.aclose()

    def _path(self, path: str) -> httpx.URL:
        return self._url.copy_with(path=self._url.path + path)


class _AdkSession:
    def __init__(
        self,
        connection: Connection,
        *,
        run: httpx.URL,
        session: httpx.URL,
        ids: JsonObject,
        state: Mapping[str, Any],
        turns: int | None,
        emit: Emit,
        pinned: asyncio.Lock | None,
    ) -> None:
        self._connection = connection
        self._run = run
        self._session = session
        self._ids = ids
        self._state = state
        self._turns = turns
        self._emit = emit
        self._pinned = pinned
        self._sent = 0

    async def send(self, content: Content) -> Invocation:
        start = time.perf_counter()
        body = {**self._ids, "newMessage": {"role": "user", **content_to_adk(content)}}
        events = await self._connection.json("POST", self._run, body)
        seconds = time.perf_counter() - start
        turn = invocation_of(events, content, self._emit)
        self._sent += 1
        if self._turns is None or self._sent >= self._turns:
            self._state = _state(await self._connection.json("GET", self._session))
        return turn.model_copy(update={"duration": seconds})

    @property
    def state(self) -> Mapping[str, Any] | None:
        return self._state

    async def aclose(self) -> None:
        try:
            with contextlib.suppress(AgentError):  # a session that is not deleted changes no result
                await self._connection.json("DELETE", self._session)
        finally:
            if self._pinned is not None:
                self._pinned.release()


def _state(session: object) -> JsonObject:
    state = cast("JsonObject", session).get("state") if isinstance(session, dict) else None
    return cast("JsonObject", state) if isinstance(state, dict) else {}


def _quoted(part: str) -> str:
    return quote(part, safe="")
