"""One case with an A2A server, and the adapter that starts it."""

from __future__ import annotations

import asyncio
import base64
import uuid
from contextlib import AsyncExitStack, suppress
from importlib import metadata
from typing import Final

import httpx
from a2a.client import A2ACardResolver, Client, ClientConfig, create_client
from a2a.client.errors import A2AClientError
from a2a.types.a2a_pb2 import AgentCard, CancelTaskRequest, Message, Part, Role, SendMessageRequest
from a2a.utils.errors import A2AError

from adjudge.kit.framework_agent import FrameworkAgent, FrameworkConversation, may_work_later
from adjudge.kit.http_judge import direct_routes
from adjudge.kit.turn_steps import TurnSteps
from adjudge.model import AgentDetails, AppDetails, Blob, Content, Item, JsonObject, Text
from adjudge.plugin import AgentAdapter, AgentError, Host, InputError, Problem, SessionRequest
from adjudge_a2a import A2AConfig
from adjudge_a2a.task import TaskView

_BINDINGS: Final = ("JSONRPC", "HTTP+JSON")
_CONNECTING: Final = 30.0
"""Seconds that a server may take to accept a connection. An answer may take as long as the case may."""
_CANCELLING: Final = 2.0
"""Seconds that a server may take to hear that a task is cancelled."""


def a2a_agent(config: A2AConfig, host: Host) -> AgentAdapter:
    """The adapter for a server.

    Raises:
        InputError: the address is none, or the variable with the key is not set.
    """
    if not config.target.startswith(("http://", "https://")):
        problem = f"{config.target!r} is no address of an A2A server"
        raise InputError(Problem(what=problem, hint="Write a2a:http://… or a2a:https://…"))
    headers: dict[str, str] = {}
    if config.api_key_env is not None:
        key = host.environment.get(config.api_key_env, "").strip()
        if not key:
            problem = "the environment variable that option 'api_key_env' names is not set"
            raise InputError(Problem(what=problem))
        headers["Authorization"] = f"Bearer {key}"

    def connection() -> httpx.AsyncClient:
        return httpx.AsyncClient(
            headers=headers,
            timeout=httpx.Timeout(None, connect=_CONNECTING),
            mounts=direct_routes(config.target),
        )

    async def converse(request: SessionRequest, stack: AsyncExitStack) -> FrameworkConversation:  # noqa: ARG001 - a case has no state here
        http = await stack.enter_async_context(connection())
        card = await _card(http, config.target)
        client = await _client(card, http)
        stack.push_async_callback(client.close)
        return _Conversation(client, card)

    async def describe(stack: AsyncExitStack) -> AppDetails:
        found = _details(await _card(await stack.enter_async_context(connection()), config.target))
        return AppDetails(agent_details={found.name: found})

    return FrameworkAgent("a2a agent", None, converse, describe, {"a2a_sdk": metadata.version("a2a-sdk")})


class _Conversation:
    def __init__(self, client: Client, card: AgentCard) -> None:
        self._client = client
        self._card = card
        self._before: TaskView | None = None

    async def say(self, said: Content, turn: TurnSteps) -> None:
        turn.agents[self._card.name] = _details(self._card)
        task = TaskView(turn, self._card.name, self._before)
        message = Message(
            message_id=str(uuid.uuid4()),
            role=Role.ROLE_USER,
            parts=[_part(item) for item in said.items],
            context_id=task.context_id,
            task_id=task.task_id,
        )
        try:
            async for event in self._client.send_message(SendMessageRequest(message=message)):
                task.take(event)
        except asyncio.CancelledError:
            await self._cancel(task.task_id)
            raise
        except (A2AError, httpx.HTTPError) as error:
            raise _failure(error) from error
        self._before = task
        task.tell_answer()

    async def _cancel(self, task_id: str) -> None:
        if task_id:
            with suppress(A2AError, httpx.HTTPError, TimeoutError):
                await asyncio.wait_for(
                    self._client.cancel_task(CancelTaskRequest(id=task_id)), timeout=_CANCELLING
                )

    @property
    def state(self) -> JsonObject | None:
        return None


async def _card(http: httpx.AsyncClient, address: str) -> AgentCard:
    try:
        return await A2ACardResolver(http, address).get_agent_card()
    except (A2AError, httpx.HTTPError) as error:
        raise _failure(error) from error


async def _client(card: AgentCard, http: httpx.AsyncClient) -> Client:
    config = ClientConfig(httpx_client=http, supported_protocol_bindings=list(_BINDINGS))
    try:
        return await create_client(card, config)
    except ValueError as error:
        found = ", ".join(each.protocol_binding for each in card.supported_interfaces) or "none"
        what = f"the agent's card names no interface of {' or '.join(_BINDINGS)}; it names {found}"
        raise AgentError(what, code="bad_answer") from error


def _details(card: AgentCard) -> AgentDetails:
    """What the card says. An A2A server tells neither its instructions nor its tools."""
    skills = [f"- {skill.name}: {skill.description}" for skill in card.skills]
    said = "\n".join([card.description, *skills])
    return AgentDetails(
        name=card.name, instructions=f"What the agent's card says, not its instructions:\n{said}"
    )


def _failure(error: Exception) -> AgentError:
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, httpx.TransportError):
        cause = cause.__cause__ or cause.__context__
    text = f"{type(error).__name__}: {error}".rstrip(": ")
    if cause is not None:
        return AgentError(text, code="agent_unreachable", retryable=True)
    code = "agent_http_error" if isinstance(error, A2AClientError | httpx.HTTPError) else "agent_failed"
    return AgentError(text, code=code, retryable=may_work_later(error))


def _part(item: Item) -> Part:
    match item:
        case Text():
            return Part(text=item.text)
        case Blob(uri=str(uri)):
            return Part(url=uri, media_type=item.mime_type or "")
        case Blob(data=str(data)):
            return Part(raw=base64.b64decode(data), media_type=item.mime_type or "")
        case _:
            what = f"the user's message has a part ({type(item).__name__}) that A2A does not take"
            raise AgentError(what, code="unsupported_content")
