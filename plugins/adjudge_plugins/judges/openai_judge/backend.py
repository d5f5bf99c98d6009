"""The ``openai`` backend.

Environment variables and headers are those of OpenAI's own client
(https://github.com/openai/openai-python).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from adjudge.kit import http_judge
from adjudge.plugin import JsonObject, JudgeError, JudgeReply, JudgeRequest

_DEFAULT: Final = "https://api.openai.com/v1"
_OWN_HOST: Final = "api.openai.com"
_HEADERS: Final = {"OPENAI_ORG_ID": "OpenAI-Organization", "OPENAI_PROJECT_ID": "OpenAI-Project"}


class OpenAIJudge:
    """One Chat Completions call for every request, at ``OPENAI_BASE_URL``."""

    def __init__(self, environment: Mapping[str, str], *, with_seed: bool) -> None:
        """Read everything from ``environment``, anew with every call."""
        self._environment = environment
        self._with_seed = with_seed
        self._chat = http_judge.ChatCompletions()

    async def complete(self, request: JudgeRequest) -> JudgeReply:
        """One call.

        Raises:
            JudgeError: there is no answer; its code says why.
        """
        for problem in self._problems():
            raise JudgeError(problem, code="auth")
        key = self._value("OPENAI_API_KEY")
        headers = {header: value for name, header in _HEADERS.items() if (value := self._value(name))}
        if key:
            headers["Authorization"] = f"Bearer {key}"
        return await self._chat.complete(
            f"{self._base_url()}/chat/completions",
            request if self._with_seed else request.model_copy(update={"seed": None}),
            headers=headers,
            secrets=[key],
            token_limit="max_completion_tokens" if self._is_openai() else "max_tokens",
        )

    def missing(self, model: str | None) -> Iterator[str]:  # noqa: ARG002 - any model may be there
        """The key, where OpenAI itself is asked; a usable address; the server, where it is on this machine."""
        yield from self._problems()
        if http_judge.nobody_listens(self._base_url()):
            yield f"no server answers at {self._base_url()} (OPENAI_BASE_URL): start it, or name another address"

    def fingerprint(self) -> JsonObject:
        """Where the calls go."""
        url = self._base_url()
        return {"base_url": None if http_judge.address_problem("OPENAI_BASE_URL", url) else url}

    async def aclose(self) -> None:
        """Close the connections."""
        await self._chat.aclose()

    def _problems(self) -> Iterator[str]:
        if problem := http_judge.address_problem("OPENAI_BASE_URL", self._base_url()):
            yield problem
        elif self._value("OPENAI_API_KEY"):
            problem = http_judge.key_problem(
                self._environment, address="OPENAI_BASE_URL", key="OPENAI_API_KEY"
            )
            if problem:
                yield problem
        elif self._is_openai():
            yield (
                "OPENAI_API_KEY is not set; a server of your own, which may need no key, is named by "
                "OPENAI_BASE_URL"
            )

    def _is_openai(self) -> bool:
        host = http_judge.host_of(self._base_url())
        return host == _OWN_HOST or host.endswith(f".{_OWN_HOST}")  # eu.api.openai.com keeps data in Europe

    def _base_url(self) -> str:
        return self._value("OPENAI_BASE_URL").rstrip("/") or _DEFAULT

    def _value(self, name: str) -> str:
        return self._environment.get(name, "").strip()
