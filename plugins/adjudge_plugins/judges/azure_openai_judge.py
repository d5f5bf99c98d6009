"""Judges behind Azure OpenAI: Chat Completions of a deployment.

Addresses, headers and versions: Microsoft's "Azure OpenAI REST API reference" and "API version lifecycle"
(https://learn.microsoft.com/azure/foundry/openai/api-version-lifecycle). The variables are those of
OpenAI's client for Azure, and ``AZURE_OPENAI_API_VERSION``, as Microsoft's examples write it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final
from urllib.parse import quote

from adjudge.kit import http_judge
from adjudge.model import JsonObject
from adjudge.plugin import JudgeBackendSpec, JudgeRequest, hookimpl

_ENDPOINT: Final = "AZURE_OPENAI_ENDPOINT"
_KEY: Final = "AZURE_OPENAI_API_KEY"
_TOKEN: Final = "AZURE_OPENAI_AD_TOKEN"  # noqa: S105 - a name
_VERSIONS: Final = ("AZURE_OPENAI_API_VERSION", "OPENAI_API_VERSION")
_FIRST_WITH_COMPLETION_TOKENS: Final = "2024-09"


class AzureOpenAIJudge(http_judge.ChatCompletionsJudge):
    """Makes one Chat Completions call to a deployment per request.

    With a dated API version the address of the deployment is used; without one, or with ``preview`` or
    ``v1``, the v1 API, which has no dated versions.
    """

    address_variable = _ENDPOINT
    key_variables = (_KEY, _TOKEN)
    no_address_message = f"{_ENDPOINT} is not set; it is like https://my-resource.openai.azure.com"
    no_key_message = f"{_KEY} is not set, and no token of Entra ID is in {_TOKEN}"

    @property
    def address(self) -> str:
        """The endpoint without the API path, which the portal shows in some places."""
        return super().address.removesuffix("/v1").removesuffix("/openai").rstrip("/")

    def url(self, request: JudgeRequest) -> str:
        """The address of the deployment, or of the v1 API."""
        version = self._version
        path = f"deployments/{quote(request.model, safe='')}" if _is_dated(version) else "v1"
        query = f"?api-version={quote(version, safe='')}" if version else ""
        return f"{self.address}/openai/{path}/chat/completions{query}"

    def headers(self) -> Mapping[str, str]:
        """The API key, or the bearer token of Entra ID."""
        return {"api-key": self.key} if self.key_variable == _KEY else super().headers()

    @property
    def token_limit(self) -> http_judge.TokenLimit:
        """The name of ``max_tokens`` in this API version."""
        is_old = _is_dated(self._version) and self._version < _FIRST_WITH_COMPLETION_TOKENS
        return "max_tokens" if is_old else "max_completion_tokens"

    def fingerprint(self) -> JsonObject:
        """The endpoint and the API version."""
        return {**super().fingerprint(), "api_version": self._version or None}

    @property
    def _version(self) -> str:
        return next((version for name in _VERSIONS if (version := self.variable(name))), "")


def _is_dated(version: str) -> bool:
    return version[:1].isdigit()


@hookimpl.judge_backends
def judge_backends() -> Iterable[JudgeBackendSpec]:
    """Describe the ``azure-openai`` backend."""
    return [
        JudgeBackendSpec(
            name="azure-openai",
            summary="A model deployed in Azure OpenAI, named by its deployment",
            factory=AzureOpenAIJudge,
            environment=(_ENDPOINT, _KEY, _TOKEN, *_VERSIONS),
            example="azure-openai/my-deployment",
            prices="azure",
        )
    ]
