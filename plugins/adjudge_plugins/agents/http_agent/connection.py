"""Requests that carry JSON, and one clear error for everything that can happen to them."""

from __future__ import annotations

import asyncio
import io
from typing import Any, Final

import httpx

from adjudge.plugin import AgentError, InputError, JsonStream, providers

_LARGEST: Final = 64 * 1024 * 1024
"""Bytes of an answer. Whatever is longer is not an agent's turn."""

_RETRYABLE: Final = frozenset({408, 425, 429, 500, 502, 503, 504, 529})


class Connection:
    """One HTTP client for all sessions of a run. Nothing is sent twice: a turn is not idempotent."""

    def __init__(self, *, timeout: float, key: str | None) -> None:
        """Prepare; the client is made with the first request.

        Args:
            timeout: Seconds that one request may take.
            key: Sent as a bearer token; it appears in no message.
        """
        self._timeout = timeout
        self._key = key
        self._client: httpx.AsyncClient | None = None

    async def json(self, method: str, url: httpx.URL, body: object = None) -> Any:
        """The JSON that the server answers; ``None`` where it answers nothing.

        Raises:
            AgentError: it cannot be reached or takes too long, or answers with an error or no JSON.
        """
        try:
            # httpx counts its timeout anew with every piece; a slow trickle must end as well.
            async with asyncio.timeout(self._timeout):
                status, content = await self._exchange(method, url, body)
        except (TimeoutError, httpx.TimeoutException):
            raise AgentError(
                f"{url} did not answer within {self._timeout:g} s", code="agent_timeout", retryable=True
            ) from None
        except httpx.ConnectError as error:
            raise AgentError(
                f"{url} cannot be reached: {error}", code="agent_unreachable", retryable=True
            ) from error
        except httpx.HTTPError as error:
            raise AgentError(
                f"the connection to {url} broke: {type(error).__name__}: {error}",
                code="agent_disconnected",
                retryable=True,
            ) from error
        if status >= 300:
            raise AgentError(
                f"{url} answered {status}: {self._excerpt(content)}",
                code="agent_http_error",
                retryable=status < 400 or status in _RETRYABLE,
            )
        return self._parsed(url, content)

    async def aclose(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.aclose()
            self._client = None

    async def _exchange(self, method: str, url: httpx.URL, body: object) -> tuple[int, bytes]:
        if self._client is None:
            headers = {} if self._key is None else {"Authorization": f"Bearer {self._key}"}
            limits = httpx.Limits(max_connections=None)  # how many sessions are open is the core's business
            self._client = httpx.AsyncClient(headers=headers, timeout=self._timeout, limits=limits)
        request = self._client.build_request(method, url, json=body)
        response = await self._client.send(request, stream=True)
        content = await providers.body_within(response, _LARGEST)
        if content is None:
            raise AgentError(f"{url} answered more than {_LARGEST // 2**20} MiB", code="answer_too_large")
        return response.status_code, content

    def _parsed(self, url: httpx.URL, content: bytes) -> Any:
        if not content.strip():
            return None
        stream = JsonStream(io.BytesIO(content), "answer")
        try:
            value = stream.value()
            stream.finish()
        except InputError as error:
            raise AgentError(
                f"{url} answered no JSON ({error.problems[0].what}): {self._excerpt(content)}",
                code="bad_answer",
            ) from None
        return value

    def _excerpt(self, content: bytes) -> str:
        return providers.excerpt(content, [self._key] if self._key else [])
