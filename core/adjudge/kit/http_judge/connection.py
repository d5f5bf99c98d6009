"""One bounded exchange of JSON with a provider."""

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

    import httpx  # at run time with the first call: every command that lists plugins imports this module

LARGEST: Final = 8 * 1024 * 1024
"""Bytes of an answer. No verdict needs more, and a hostile server must not fill the memory."""


def direct_routes(url: str) -> dict[str, None]:
    """``mounts`` of an HTTP client for ``url``, so that a server on this machine is reached directly.

    A proxy that the environment names could not find it.
    """
    host = host_of(url)
    if not is_on_this_machine(host):
        return {}
    return {f"all://[{host}]" if ":" in host else f"all://{host}": None}


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """What a provider answered: with status 200 to 299, or with one that its backend takes as an answer."""

    url: str
    """Who answered, for messages about it."""
    body: JsonObject
    """The JSON of the answer, without keys that it repeats."""
    headers: Mapping[str, str]
    status: int
    excerpt: str
    """The beginning of the answer without keys, for messages about it."""


ErrorCodeOf = Callable[[int, Any], "JudgeErrorCode | None"]
"""From the status and the JSON body (``None`` where it is none) of a failure to its code; ``None``: by status."""

IsAnswer = Callable[[int, Any], bool]
"""From the status and the JSON body of a failure to whether it is an answer all the same: a blocked question."""

RetryAfter = Callable[[Any], "float | None"]
"""From the JSON body of a failure to the seconds that it asks to wait."""


class ProviderConnection:
    """The HTTP client of one backend, made with its first call.

    How many calls are under way, how long one may take as a whole and what is tried again is the judge
    client's business. Redirects are not followed: a key goes nowhere but where the user sends it.
    """

    def __init__(
        self,
        *,
        error_code: ErrorCodeOf | None = None,
        retry_after: RetryAfter | None = None,
        is_answer: IsAnswer | None = None,
    ) -> None:
        """Prepare.

        Args:
            error_code: What the provider's own error bodies mean.
            retry_after: How long they ask to wait, where the headers do not say it.
            is_answer: Which failures are answers: where a provider says with one that it blocked the question.
        """
        self._error_code = error_code
        self._retry_after = retry_after
        self._is_answer = is_answer
        self._client: httpx.AsyncClient | None = None

    async def post(
        self, url: str, body: JsonObject, *, headers: Mapping[str, str], secrets: Iterable[str] = ()
    ) -> HttpAnswer:
        """Send JSON and read JSON.

        Args:
            url: The whole address, without a key in it.
            body: What is sent.
            headers: With the key, where there is one.
            secrets: Keys; they are taken out of whatever a message repeats of the answer.

        Raises:
            JudgeError: the provider cannot be reached, refuses, or answers with no JSON object.
        """
        import httpx

        hidden = [secret for secret in secrets if secret]
        if not all(value.isascii() and value.isprintable() for value in headers.values()):
            # httpx would say so with the value in its message.
            raise JudgeError(f"the key for {url} holds characters that cannot be sent", code="auth")
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
                shown = (
                    f"it redirects to {place}, which is not followed: keys go only where the user sends them"
                )
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
            # The judge client limits the whole call; httpx counts anew with every piece that arrives.
            self._client = httpx.AsyncClient(
                timeout=None,  # noqa: S113
                limits=limits,
                follow_redirects=False,
                verify=tls(),
                mounts=direct_routes(url),
            )
        # Half of a surrogate pair, which JSON from outside can hold, cannot be sent: "?" stands for it.
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
    """Reading the certificates takes longer than everything else before the first call: once is enough."""
    import httpx

    return httpx.create_ssl_context()


def _json(content: bytes) -> Any:
    from adjudge.adk.json_input import parse_json  # as httpx: with the first call

    try:
        return parse_json(content, source="answer")
    except InputError:
        return None
