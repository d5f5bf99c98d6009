"""The ``azure-openai`` backend.

Addresses, headers and versions: Microsoft's "Azure OpenAI REST API reference" and "API version lifecycle"
(https://learn.microsoft.com/azure/foundry/openai/api-version-lifecycle). The variables are those of
OpenAI's client for Azure, and ``AZURE_OPENAI_API_VERSION``, as Microsoft's examples write it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final
from urllib.parse import quote

from adjudge.kit import http_judge
from adjudge.plugin import JsonObject, JudgeError, JudgeReply, JudgeRequest

_ENDPOINT: Final = "AZURE_OPENAI_ENDPOINT"
_KEY: Final = "AZURE_OPENAI_API_KEY"
_TOKEN: Final = "AZURE_OPENAI_AD_TOKEN"  # noqa: S105 - a name
_VERSIONS: Final = ("AZURE_OPENAI_API_VERSION", "OPENAI_API_VERSION")
_FIRST_WITH_COMPLETION_TOKENS: Final = "2024-09"


class AzureOpenAIJudge:
    """One Chat Completions call to a deployment for every request.

    With a dated version the address of the deployment is asked; with none, or with ``preview`` or ``v1``,
    the v1 API, which knows no dates.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        """Read everything from ``environment``, anew with every call."""
        self._environment = environment
        self._chat = http_judge.ChatCompletions()

    async def complete(self, request: JudgeRequest) -> JudgeReply:
        """One call.

        Raises:
            JudgeError: there is no answer; its code says why.
        """
        for problem in self.missing(request.model):
            raise JudgeError(problem, code="auth")
        key, token = self._value(_KEY), self._value(_TOKEN)
        version = self._version()
        is_old = _is_dated(version) and version < _FIRST_WITH_COMPLETION_TOKENS
        return await self._chat.complete(
            self._url(request.model, version),
            request,
            headers={"api-key": key} if key else {"Authorization": f"Bearer {token}"},
            secrets=[key, token],
            token_limit="max_tokens" if is_old else "max_completion_tokens",
        )

    def missing(self, model: str | None) -> Iterator[str]:  # noqa: ARG002 - any deployment may be there
        """The endpoint, and a key or a token."""
        endpoint = self._endpoint()
        if not endpoint:
            yield f"{_ENDPOINT} is not set; it is like https://my-resource.openai.azure.com"
        elif problem := http_judge.address_problem(_ENDPOINT, endpoint):
            yield problem
        used = next((name for name in (_KEY, _TOKEN) if self._value(name)), None)
        if used is None:
            yield f"{_KEY} is not set, and no token of Entra ID is in {_TOKEN}"
        elif problem := http_judge.key_problem(self._environment, address=_ENDPOINT, key=used):
            yield problem

    def fingerprint(self) -> JsonObject:
        """Where the calls go."""
        endpoint = self._endpoint()
        usable = endpoint and not http_judge.address_problem(_ENDPOINT, endpoint)
        return {"base_url": endpoint if usable else None, "api_version": self._version() or None}

    async def aclose(self) -> None:
        """Close the connections."""
        await self._chat.aclose()

    def _url(self, deployment: str, version: str) -> str:
        path = f"deployments/{quote(deployment, safe='')}" if _is_dated(version) else "v1"
        query = f"?api-version={quote(version, safe='')}" if version else ""
        return f"{self._endpoint()}/openai/{path}/chat/completions{query}"

    def _endpoint(self) -> str:
        # The portal shows it with and without the path of the API.
        endpoint = self._value(_ENDPOINT).rstrip("/")
        return endpoint.removesuffix("/v1").removesuffix("/openai").rstrip("/")

    def _version(self) -> str:
        return next((version for name in _VERSIONS if (version := self._value(name))), "")

    def _value(self, name: str) -> str:
        return self._environment.get(name, "").strip()


def _is_dated(version: str) -> bool:
    return version[:1].isdigit()
