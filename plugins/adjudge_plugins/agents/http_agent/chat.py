"""An OpenAI-compatible chat endpoint as an agent: sends the conversation so far, and gets one message.

The endpoint is the agent, and runs its tools itself. Calls in its answer are recorded as its actions;
adjudge runs no tools and sends no results.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, cast

import httpx

from adjudge.kit import http_judge, logs
from adjudge.kit.openai import answer_of, step_from_openai, usage_from_openai
from adjudge.model import Blob, Content, Invocation, JsonObject, SessionInput, Step, Text
from adjudge.plugin import (
    AgentError,
    AgentSession,
    CaseFacts,
    Emit,
    InputError,
    SessionRequest,
)
from adjudge_plugins.agents.http_agent.connection import Connection

_UNKNOWN: Final = "application/octet-stream"
"""The media type of a blob that names none and has no known magic number."""


class ChatEndpoint:
    """Creates sessions that send the whole conversation so far with every turn."""

    def __init__(self, connection: Connection, url: httpx.URL, model: str | None) -> None:
        """Use the endpoint at ``url``, which ends in ``/chat/completions``."""
        self._connection = connection
        self._url = url
        self._model = model

    def check_plan(self, cases: Iterable[CaseFacts]) -> Iterator[str]:
        """Report cases with an initial session state: this protocol has no field for it."""
        named = [case.eval_id for case in cases if case.has_state]
        if named:
            more = f" and {len(named) - 3} more" if len(named) > 3 else ""
            yield (
                f"a chat endpoint cannot start a session with a state, as {', '.join(named[:3])}{more} "
                f"{'does' if len(named) == 1 else 'do'}. An ADK API server can: --agent-option kind=adk"
            )

    async def open_session(self, request: SessionRequest, emit: Emit) -> AgentSession:
        """Start an empty conversation."""
        return _Chat(self._connection, self._url, self._model, request.session_input, emit)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._connection.aclose()


class _Chat:
    def __init__(
        self,
        connection: Connection,
        url: httpx.URL,
        model: str | None,
        session_input: SessionInput,
        emit: Emit,
    ) -> None:
        self._connection = connection
        self._url = url
        self._place = http_judge.shown_address(str(url))
        self._emit = emit
        self._messages: list[JsonObject] = []
        self._body: JsonObject = {"messages": self._messages}
        if model is not None:
            self._body["model"] = model
        if session_input.user_id:
            self._body["user"] = session_input.user_id

    async def send(self, content: Content) -> Invocation:
        self._messages.append({"role": "user", "content": _content(content)})
        start = time.perf_counter()
        reply = await self._connection.json("POST", self._url, self._body)
        step, answer = answer_of(self._step(reply))
        self._emit(step)
        # The calls are left out: the server would refuse a conversation that has a tool call without its
        # result.
        self._messages.append({"role": "assistant", "content": "" if answer is None else answer.text})
        return Invocation(
            user_content=content,
            steps=(step,),
            final_response=answer,
            duration=time.perf_counter() - start,
        )

    @property
    def state(self) -> Mapping[str, Any] | None:
        return None

    async def aclose(self) -> None:
        """Does nothing: the server keeps no session."""

    def _step(self, reply: object) -> Step:
        body = cast("JsonObject", reply) if isinstance(reply, dict) else {}
        choices = body.get("choices")
        try:
            message = choices[0]["message"]  # type: ignore[index]
            step = step_from_openai({"role": "assistant", **message}, path="$.choices[0].message")
        except (LookupError, TypeError):
            raise AgentError(
                f"{self._place} answered without choices[0].message: it is no chat endpoint",
                code="bad_answer",
            ) from None
        except InputError as error:
            raise AgentError(
                f"{self._place} answered a message that is not one: {error}", code="bad_answer"
            ) from None
        usage, model = body.get("usage"), body.get("model")
        return step.model_copy(
            update={
                "author": "assistant",
                "model": model if isinstance(model, str) else None,
                "usage": usage_from_openai(cast("JsonObject", usage)) if isinstance(usage, dict) else None,
            }
        )


def _content(content: Content) -> str | list[JsonObject]:
    if all(isinstance(item, Text) for item in content.items):
        return content.text
    return [_part(item) for item in content.items]


def _part(item: object) -> JsonObject:
    match item:
        case Text():
            return {"type": "text", "text": item.text}
        case Blob(uri=str(uri)):
            return {"type": "image_url", "image_url": {"url": uri}}
        case Blob(data=str(data)):
            mime_type = item.mime_type or logs.blob_of(data).mime_type or _UNKNOWN
            return {"type": "image_url", "image_url": {"url": f"data:{mime_type};base64,{data}"}}
        case _:
            raise AgentError(
                f"the user's message has a part ({type(item).__name__}) that a chat endpoint does not take",
                code="unsupported_content",
            )
