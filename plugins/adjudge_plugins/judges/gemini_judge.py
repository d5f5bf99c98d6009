"""Gemini as a judge: ``models.generateContent`` of the Gemini API, with an API key.

Address and header: "Gemini API reference" (https://ai.google.dev/api). Environment variables, and which
key is used if two are set: Google's own client (https://github.com/googleapis/python-genai).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final
from urllib.parse import quote

from adjudge.kit import http_judge
from adjudge.plugin import JudgeBackendSpec, JudgeRequest, hookimpl

_CONTEXT: Final = 1_000_000
_COLLECTIONS: Final = ("models/", "tunedModels/")


class GeminiJudge(http_judge.GenerateContentJudge):
    """Makes one call of ``generateContent`` per request, at ``GOOGLE_GEMINI_BASE_URL``."""

    address_variable = "GOOGLE_GEMINI_BASE_URL"
    default_address = "https://generativelanguage.googleapis.com"
    key_variables = ("GOOGLE_API_KEY", "GEMINI_API_KEY")
    no_key_message = "neither GEMINI_API_KEY nor GOOGLE_API_KEY is set"

    def url(self, request: JudgeRequest) -> str:
        """The address of the model; special characters in its name are escaped."""
        collection = next((prefix for prefix in _COLLECTIONS if request.model.startswith(prefix)), "")
        name = quote(request.model.removeprefix(collection), safe="")
        return f"{self.address}/v1beta/{collection or 'models/'}{name}:generateContent"

    def context(self, model: str) -> int | None:
        """The context window in tokens of Gemini since 1.5; ``None`` for Gemma and tuned models."""
        return _CONTEXT if model.removeprefix("models/").startswith("gemini-") else None

    def headers(self) -> Mapping[str, str]:
        """The key."""
        return {"x-goog-api-key": self.key}


@hookimpl.judge_backends
def judge_backends() -> Iterable[JudgeBackendSpec]:
    """Describe the ``gemini`` backend."""
    return [
        JudgeBackendSpec(
            name="gemini",
            summary="Gemini and Gemma, by the Gemini API of Google AI",
            factory=GeminiJudge,
            models=("gemini-*", "gemma-*", "models/gemini-*", "models/gemma-*"),
            environment=("GOOGLE_API_KEY", "GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL"),
            example="gemini/gemini-2.5-flash",
            prices="google",
            adk_default="gemini-2.5-flash",
        )
    ]
