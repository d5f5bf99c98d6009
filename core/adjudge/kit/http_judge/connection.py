"""Exchanges JSON with a provider, with a limit on the size of answers."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from adjudge.errors import InputError, JudgeError, JudgeErrorCode
from adjudge.kit.http_judge.addresses import host_of, is_on_this_machine
from adjudge.kit.http_judge.http_errors import error_code_of_status, retry_after_of
from adjudge.kit.http_judge.keys import without_secrets
from adjudge.kit.http_judge.response_body import body_within, excerpt, redacted
from adjudge.model.base import JsonObject

if TYPE_CHECKING:
    import ssl

    import httpx  # imported at the first call, because every command that lists plugins imports this module

LARGEST: Final = 8 * 1024 * 1024
"""The maximum size of an answer in bytes, so that a hostile server cannot fill the memory."""


def direct_routes(url: str) -> dict[str, None]:
    """``mounts`` of an HTTP client for ``url`` that reach a server on this machine without a proxy.

    A proxy named in the environment could not reach this machine.
    """
    host = host_of(url)
    if not is_on_this_machine(host):
        return {}
    return {f"all://[{host}]" if ":" in host else f"all://{host}": None}


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """An answer of a provider: with status 200 to 299, or with a failure for which ``is_answer`` is true."""

    url: str
    """The address of the call, for messages."""
    body: JsonObject
    """The JSON of the answer, with API keys removed."""
    headers: Mapping[str, str]
    status: int
    excerpt: str
    """The beginning of the answer for messages, with API keys removed."""


ErrorCodeOf = Callable[[int, Any], "JudgeErrorCode | None"]
"""Returns the error code of a failure from its status and JSON body; ``None`` to derive it from the status."""

IsAnswer = Callable[[int, Any], bool]
"""Returns from status and JSON body whether a failure counts as an answer, because the question was blocked."""

RetryAfter = Callable[[Any], "float | None"]
"""Returns the requested waiting time in seconds from the JSON body of a failure."""


class ProviderConnection:
    """The HTTP client of one backend, created at its first call.

    The judge client limits parallel calls and their duration, and retries them. Redirects are not followed, so that a
    key is only sent to the configured address.
    """

    def __init__(
        self,
        *,
        error_code: ErrorCodeOf | None = None,
        retry_after: RetryAfter | None = None,
        is_answer: IsAnswer | None = None,
    ) -> None:
        """Prepare a client.

        Args:
            error_code: Returns the error code from the body of a failure.
            retry_after: Returns the waiting time from the body of a failure, if the headers do not contain it.
            is_answer: Returns whether a failure counts as an answer, because the question was blocked.
        """
        self._error_code = error_code
        self._retry_after = retry_after
        self._is_answer = is_answer
        self._client: httpx.AsyncClient | None = None

    async def post(
        self, url: str, body: JsonObject, *, headers: Mapping[str, str], secrets: Iterable[str] = ()
    ) -> HttpAnswer:
        """Send a POST with JSON, and read the JSON answer.

        Args:
            url: The full address, without a key in it.
            body: The body.
            headers: The headers, including the key if there is one.
            secrets: Keys, which are removed from the answer and from messages.

        Raises:
            JudgeError: the provider cannot be reached, rejects the call, or does not answer with a JSON object.
        """
        import httpx

        hidden = [secret for secret in secrets if secret]
        if not all(value.isascii() and value.isprintable() for value in headers.values()):
            # Check it here, because httpx would put the key into its error message.
            raise JudgeError(f"the key for {url} contains characters that cannot be sent", code="auth")
        try:
            status, received, content = await self._exchange(url, body, headers)
        except httpx.TimeoutException:
            raise JudgeError(f"{url} did not answer in time", code="timeout") from None
        except httpx.InvalidURL as error:
            raise JudgeError(f"{url} is not an address: {error}", code="bad_request") from None
        except httpx.HTTPError as error:
            reason = redacted(f"{type(error).__name__}: {error}", hidden)
            raise JudgeError(f"the connection to {url} broke: {reason}", code="network") from None
        found, shown = _json(content), excerpt(content, hidden)
        is_answer = 200 <= status < 300 or (self._is_answer is not None and self._is_answer(status, found))
        if not is_answer:
            code = (self._error_code(status, found) if self._error_code else None) or error_code_of_status(
                status
            )
            wait = retry_after_of(received)
            if wait is None and self._retry_after is not None:
                wait = self._retry_after(found)
            if 300 <= status < 400:
                place = redacted(received.get("location", "nowhere"), hidden)
                shown = f"it redirects to {place}, which is not followed, because a key is sent only to the configured address"
            raise JudgeError(f"{url} answered {status}: {shown}", code=code, retry_after=wait)
        if not isinstance(found, dict):
            raise JudgeError(f"{url} answered no JSON object: {shown}", code="malformed")
        return HttpAnswer(url, without_secrets(found, hidden), received, status, shown)

    async def aclose(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.aclose()
            self._client = None

    async def _exchange(
        self, url: str, body: JsonObject, headers: Mapping[str, str]
    ) -> tuple[int, Mapping[str, str], bytes]:
        import httpx

        if self._client is None:
            limits = httpx.Limits(max_connections=None, max_keepalive_connections=64)
            # The judge client limits the duration of the whole call; httpx would only limit each single read.
            self._client = httpx.AsyncClient(
                timeout=None,  # noqa: S113
                limits=limits,
                follow_redirects=False,
                verify=tls(),
                mounts=direct_routes(url),
            )
        # Lone surrogates, which external JSON may contain, cannot be sent: replace them by "?".
        content = json.dumps(body, ensure_ascii=False).encode(errors="replace")
        request = self._client.build_request(
            "POST", url, content=content, headers={"content-type": "application/json", **headers}
        )
        response = await self._client.send(request, stream=True)
        received = await body_within(response, LARGEST)
        if received is None:
            raise JudgeError(f"{url} answered more than {LARGEST // 2**20} MiB", code="malformed")
        return response.status_code, response.headers, received


@functools.cache
def tls() -> ssl.SSLContext:
    """The TLS context. It is cached, because reading the certificates is slow."""
    import httpx

    return httpx.create_ssl_context()


def _json(content: bytes) -> Any:
    from adjudge.adk.json_input import parse_json  # not at the top: only needed after a call

    try:
        return parse_json(content, source="answer")
    except InputError:
        return None
