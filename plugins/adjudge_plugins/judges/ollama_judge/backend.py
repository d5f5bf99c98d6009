"""The ``ollama`` backend: the server at ``OLLAMA_HOST``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from adjudge.kit import http_judge
from adjudge.plugin import JsonObject, JudgeError, JudgeReply, JudgeRequest
from adjudge_plugins.judges.ollama_judge.address import base_url
from adjudge_plugins.judges.ollama_judge.chat import body_of, failure, reply_of

_SECONDS: Final = 5.0
"""How long the server may take to say which models it has, busy as it may be. One that is not there refuses at once."""


class OllamaJudge:
    """One call of ``/api/chat`` for every request."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        """Read everything from ``environment``, anew with every call."""
        self._environment = environment
        self._connection = http_judge.ProviderConnection(classify=failure)

    async def complete(self, request: JudgeRequest) -> JudgeReply:
        """One call.

        Raises:
            JudgeError: there is no answer; its code says why.
        """
        url = self._base_url()
        if problem := http_judge.address_problem("OLLAMA_HOST", url):
            raise JudgeError(problem, code="auth")
        try:
            answer = await self._connection.post(f"{url}/api/chat", body_of(request), headers={})
        except JudgeError as error:
            if error.code != "unknown_model":
                raise
            raise JudgeError(f"{error}; {_advice(request.model)}", code=error.code) from None
        return reply_of(answer.body)

    def missing(self, model: str | None) -> Iterator[str]:
        """The server; where it answers, the model."""
        url = self._base_url()
        if problem := http_judge.address_problem("OLLAMA_HOST", url):
            yield problem
            return
        names = _models_at(url)
        if names is None:
            yield f"no Ollama server answers at {url} (OLLAMA_HOST): start it with: ollama serve"
        elif model is not None and _with_tag(model) not in names:
            yield f"the Ollama server at {url} has no model {model!r}: {_advice(model)}"

    def fingerprint(self) -> JsonObject:
        """Where the calls go."""
        url = self._base_url()
        return {"base_url": None if http_judge.address_problem("OLLAMA_HOST", url) else url}

    async def aclose(self) -> None:
        """Close the connections."""
        await self._connection.aclose()

    def _base_url(self) -> str:
        return base_url(self._environment.get("OLLAMA_HOST", ""))


def _models_at(url: str) -> frozenset[str] | None:
    """The names of the models that the server has; ``None`` where no Ollama server answers."""
    found = http_judge.object_of(http_judge.json_at(f"{url}/api/tags", seconds=_SECONDS))
    if "models" not in found:
        return None
    return frozenset(
        _with_tag(http_judge.text_of(model.get("name"))) for model in http_judge.objects_of(found["models"])
    )


def _with_tag(model: str) -> str:
    return model if ":" in model.rpartition("/")[2] else f"{model}:latest"


def _advice(model: str) -> str:
    return f"fetch it with: ollama pull {model}"
