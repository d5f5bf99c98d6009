"""JSON over HTTP, with one specific error for each kind of failure."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Sequence
from typing import Any, Final

import httpx

from adjudge.kit import http_judge
from adjudge.kit.strict_json import JsonStream
from adjudge.plugin import AgentError, InputError

_LARGEST: Final = 64 * 1024 * 1024
"""The size limit of a response in bytes."""

_REFUSED: Final = frozenset({401, 403})
_KEY_HINT: Final = (
    "\nNo key was sent. Name the environment variable that holds it: --agent-option api_key_env=NAME"
)

_RETRYABLE: Final = frozenset({408, 425, 429, 500, 502, 503, 504, 529})


class Connection:
    """One HTTP client for all sessions of a run. Requests are never retried: a turn is not idempotent."""

    def __init__(self, *, timeout: float, key: str | None, secrets: Sequence[str] = ()) -> None:
        """Store the settings; the client is created by the first request.

        Args:
            timeout: Time limit of one request, in seconds.
            key: Sent as a bearer token.
            secrets: Further secrets, taken from the address. Like the key, they are removed from messages and
            from
                what the server repeats.
        """
        self._timeout = timeout
        self._key = key
        self._secrets = [secret for secret in (key, *secrets) if secret]
        self._client: httpx.AsyncClient | None = None

    async def json(self, method: str, url: httpx.URL, body: object = None) -> Any:
        """Send a request and return the JSON of the response; ``None`` if the response is empty.

        Raises:
            AgentError: the server cannot be reached, exceeds the time limit, or answers with an error or
            without JSON.
        """
        place = http_judge.shown_address(str(url))
        try:
            # httpx applies its timeout to every chunk; this one ends a response that trickles in slowly.
            async with asyncio.timeout(self._timeout):
                status, content = await self._exchange(method, url, body)
        except (TimeoutError, httpx.TimeoutException):
            raise AgentError(
                f"{place} did not answer within {self._timeout:g} s", code="agent_timeout", retryable=True
            ) from None
        except httpx.ConnectError as error:
            raise AgentError(
                f"{place} cannot be reached: {self._redacted(error)}",
                code="agent_unreachable",
                retryable=True,
            ) from None
        except httpx.HTTPError as error:
            raise AgentError(
                f"the connection to {place} broke: {type(error).__name__}: {self._redacted(error)}",
                code="agent_disconnected",
                retryable=True,
            ) from None
        if status >= 300:
            hint = "" if status not in _REFUSED or self._key is not None else _KEY_HINT
            raise AgentError(
                f"{place} answered {status}: {self._excerpt(content)}{hint}",
                code="agent_http_error",
                retryable=status < 400 or status in _RETRYABLE,
            )
        return self._parsed(place, content)

    def probe(self, url: httpx.URL, seconds: float) -> Any:
        """Return the JSON at ``url`` during planning; ``None`` if there is no JSON. Waits ``seconds`` at most."""
        headers = {} if self._key is None else {"Authorization": f"Bearer {self._key}"}
        found = http_judge.json_at(str(url), seconds=seconds, headers=headers)
        return http_judge.without_secrets(found, self._secrets)

    async def aclose(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.aclose()
            self._client = None

    async def _exchange(self, method: str, url: httpx.URL, body: object) -> tuple[int, bytes]:
        if self._client is None:
            headers = {} if self._key is None else {"Authorization": f"Bearer {self._key}"}
            limits = httpx.Limits(max_connections=None)  # the core limits the number of open sessions
            self._client = httpx.AsyncClient(
                headers=headers,
                timeout=self._timeout,
                limits=limits,
                mounts=http_judge.direct_routes(str(url)),
            )
        request = self._client.build_request(method, url, json=body)
        response = await self._client.send(request, stream=True)
        content = await http_judge.body_within(response, _LARGEST)
        if content is None:
            place = http_judge.shown_address(str(url))
            raise AgentError(f"{place} answered more than {_LARGEST // 2**20} MiB", code="answer_too_large")
        return response.status_code, content

    def _parsed(self, place: str, content: bytes) -> Any:
        if not content.strip():
            return None
        stream = JsonStream(io.BytesIO(content), "answer")
        try:
            value = stream.value()
            stream.finish()
        except InputError as error:
            raise AgentError(
                f"{place} answered no JSON ({error.problems[0].what}): {self._excerpt(content)}",
                code="bad_answer",
            ) from None
        return http_judge.without_secrets(value, self._secrets)

    def _excerpt(self, content: bytes) -> str:
        return http_judge.excerpt(content, self._secrets)

    def _redacted(self, error: Exception) -> str:
        return http_judge.redacted(str(error), self._secrets)
