"""The ``gemini`` backend: ``models.generateContent`` of the Gemini API.

Address and header: "Gemini API reference" (https://ai.google.dev/api). Environment variables, and which
key holds where two are set: Google's own client (https://github.com/googleapis/python-genai).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final
from urllib.parse import quote

from adjudge.kit import http_judge
from adjudge.plugin import JsonObject, JudgeError, JudgeReply, JudgeRequest

_DEFAULT: Final = "https://generativelanguage.googleapis.com"
_COLLECTIONS: Final = ("models/", "tunedModels/")


class GeminiJudge:
    """One call of ``generateContent`` for every request, at ``GOOGLE_GEMINI_BASE_URL``."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        """Read everything from ``environment``, anew with every call."""
        self._environment = environment
        self._connection = http_judge.ProviderConnection(
            classify=http_judge.generate_content_failure, delay=http_judge.generate_content_retry_after
        )

    async def complete(self, request: JudgeRequest) -> JudgeReply:
        """One call.

        Raises:
            JudgeError: there is no answer; its code says why.
        """
        for problem in self._problems():
            raise JudgeError(problem, code="auth")
        key = self._key()
        answer = await self._connection.post(
            f"{self._base_url()}/v1beta/{_resource(request.model)}:generateContent",
            http_judge.generate_content_body(request),
            headers={"x-goog-api-key": key},
            secrets=[key],
        )
        return http_judge.generate_content_reply(answer.body)

    def missing(self, model: str | None) -> Iterator[str]:  # noqa: ARG002 - only a call shows which models there are
        """The key, and a usable address."""
        yield from self._problems()

    def fingerprint(self) -> JsonObject:
        """Where the calls go."""
        url = self._base_url()
        return {"base_url": None if http_judge.address_problem("GOOGLE_GEMINI_BASE_URL", url) else url}

    async def aclose(self) -> None:
        """Close the connections."""
        await self._connection.aclose()

    def _problems(self) -> Iterator[str]:
        if problem := http_judge.address_problem("GOOGLE_GEMINI_BASE_URL", self._base_url()):
            yield problem
        if not self._key():
            yield "neither GEMINI_API_KEY nor GOOGLE_API_KEY is set"
        elif problem := http_judge.key_problem(
            self._environment, address="GOOGLE_GEMINI_BASE_URL", key=self._key_name()
        ):
            yield problem

    def _key(self) -> str:
        return self._value(self._key_name())

    def _key_name(self) -> str:
        return "GOOGLE_API_KEY" if self._value("GOOGLE_API_KEY") else "GEMINI_API_KEY"

    def _base_url(self) -> str:
        return self._value("GOOGLE_GEMINI_BASE_URL").rstrip("/") or _DEFAULT

    def _value(self, name: str) -> str:
        return self._environment.get(name, "").strip()


def _resource(model: str) -> str:
    """``models/NAME``, whatever characters a configuration has in the name."""
    collection = next((prefix for prefix in _COLLECTIONS if model.startswith(prefix)), "")
    return (collection or "models/") + quote(model.removeprefix(collection), safe="")
