"""The ``anthropic`` backend: where it asks, and with which key.

Environment variables and headers are those of Anthropic's own client
(https://github.com/anthropics/anthropic-sdk-python).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from adjudge.kit import http_judge
from adjudge.plugin import JsonObject, JudgeError, JudgeReply, JudgeRequest
from adjudge_plugins.judges.anthropic_judge.failures import failure
from adjudge_plugins.judges.anthropic_judge.messages import body_of, reply_of

_DEFAULT: Final = "https://api.anthropic.com"
_VERSION: Final = "2023-06-01"
"""The version of the API: its answers are read as that version defines them."""


class AnthropicJudge:
    """One call of the Messages API for every request, at ``ANTHROPIC_BASE_URL``."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        """Read everything from ``environment``, anew with every call."""
        self._environment = environment
        self._connection = http_judge.ProviderConnection(classify=failure)

    async def complete(self, request: JudgeRequest) -> JudgeReply:
        """One call.

        Raises:
            JudgeError: there is no answer; its code says why.
        """
        for problem in self._problems():
            raise JudgeError(problem, code="auth")
        key = self._value("ANTHROPIC_API_KEY")
        answer = await self._connection.post(
            f"{self._base_url()}/v1/messages",
            body_of(request),
            headers={"x-api-key": key, "anthropic-version": _VERSION},
            secrets=[key],
        )
        return reply_of(answer.body, answer.headers)

    def missing(self, model: str | None) -> Iterator[str]:  # noqa: ARG002 - only a call shows which models there are
        """The key, and a usable address."""
        yield from self._problems()

    def fingerprint(self) -> JsonObject:
        """Where the calls go."""
        url = self._base_url()
        return {"base_url": None if http_judge.address_problem("ANTHROPIC_BASE_URL", url) else url}

    async def aclose(self) -> None:
        """Close the connections."""
        await self._connection.aclose()

    def _problems(self) -> Iterator[str]:
        if problem := http_judge.address_problem("ANTHROPIC_BASE_URL", self._base_url()):
            yield problem
        if not self._value("ANTHROPIC_API_KEY"):
            yield "ANTHROPIC_API_KEY is not set"
        elif problem := http_judge.key_problem(
            self._environment, address="ANTHROPIC_BASE_URL", key="ANTHROPIC_API_KEY"
        ):
            yield problem

    def _base_url(self) -> str:
        return self._value("ANTHROPIC_BASE_URL").rstrip("/") or _DEFAULT

    def _value(self, name: str) -> str:
        return self._environment.get(name, "").strip()
