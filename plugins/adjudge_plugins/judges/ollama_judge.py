"""Models of an Ollama server as judges, usually on this machine and without a key.

Definitions: "Generate a chat message" (https://docs.ollama.com/api/chat), "Structured outputs", the
options of a Modelfile, and ``api/types.go`` of https://github.com/ollama/ollama for ``truncate`` and
``shift``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from adjudge.kit import http_judge
from adjudge.model import FinishReason, JsonObject, Usage
from adjudge.plugin import (
    JudgeBackendSpec,
    JudgeError,
    JudgeErrorCode,
    JudgeReply,
    JudgeRequest,
    hookimpl,
)
from adjudge_plugins.judges.ollama_host import base_url

_SECONDS: Final = 5.0
"""The time limit in seconds for listing the models of a busy server. Without a server the call fails at once."""

_NAMES: Final = {"max_tokens": "num_predict"}

_BESIDE_OPTIONS: Final = frozenset(
    {
        *("model", "messages", "stream", "format", "options", "truncate", "shift"),
        *("keep_alive", "think", "tools", "logprobs", "top_logprobs"),
    }
)
"""Fields of the request itself. Every other option (``num_ctx``, ``repeat_penalty``, …) goes into ``options``."""

_ERROR_MESSAGES: Final[tuple[tuple[re.Pattern[str], JudgeErrorCode], ...]] = (
    (re.compile(r"context (?:size|length|window)|exceed_context_size"), "context_too_long"),
    (re.compile(r"invalid format|json schema|\bgrammar\b"), "schema_rejected"),
    # Treated like a missing model: no further call can succeed.
    (re.compile(r"requires more system memory|does not support chat"), "unknown_model"),
)


class OllamaJudge(http_judge.HttpJudge):
    """Makes one call of ``/api/chat`` per request."""

    address_variable = "OLLAMA_HOST"
    path = "/api/chat"

    @property
    def address(self) -> str:
        """The URL in ``OLLAMA_HOST``, or Ollama's default."""
        return base_url(self.variable(self.address_variable))

    def body(self, request: JudgeRequest) -> JsonObject:
        """Build the body of a call.

        By default the server silently cuts off the beginning of a prompt that exceeds the context, and the
        verdict would rest on the remainder. ``truncate`` and ``shift`` turn that into an error.

        Raises:
            JudgeError: an option that the client sets itself.
        """
        options: JsonObject = {_NAMES.get(name, name): value for name, value in request.parameters.items()}
        if request.seed is not None:
            options["seed"] = request.seed
        further = request.provider_options
        beside = {name: value for name, value in further.items() if name in _BESIDE_OPTIONS}
        inside = {name: value for name, value in further.items() if name not in _BESIDE_OPTIONS}
        body: JsonObject = {
            "model": request.model,
            "messages": [{"role": message.role, "content": message.text} for message in request.messages],
            "stream": False,
            "truncate": False,
            "shift": False,
            "options": http_judge.with_options(options, inside),
        }
        if request.schema_ is not None:
            body["format"] = request.schema_
        return http_judge.with_options(body, beside)

    def reply(self, answer: http_judge.HttpAnswer) -> JudgeReply:
        """Return the message without the model's thinking.

        Raises:
            JudgeError: the response has no message, is not finished, or is empty.
        """
        body = answer.body
        message = body.get("message")
        text = http_judge.text_or_empty(http_judge.object_or_empty(message).get("content"))
        reason = http_judge.text_or_empty(body.get("done_reason"))
        # Old servers send no done_reason.
        finish: FinishReason = (
            "stop" if reason in ("stop", "") else "length" if reason == "length" else "other"
        )
        if not isinstance(message, dict) or body.get("done") is False:
            raise JudgeError("the answer contains no finished message", code="malformed")
        if finish == "stop" and not text:
            raise JudgeError("the answer is finished and contains no text", code="malformed")
        read = http_judge.count_or_none(body.get("prompt_eval_count"))
        written = http_judge.count_or_none(body.get("eval_count"))
        total = http_judge.sum_or_none(read, written)
        return JudgeReply(
            text=text,
            finish_reason=finish,
            model_version=http_judge.text_or_empty(body.get("model")) or None,
            usage=None
            if total is None
            else Usage(input_tokens=read, output_tokens=written, total_tokens=total),
        )

    def error_code(self, status: int, body: Any) -> JudgeErrorCode | None:
        """The error code for a failure; ``None`` if only the HTTP status tells."""
        message = http_judge.text_or_empty(http_judge.object_or_empty(body).get("error")).lower()
        if status == 404 and "not found" in message:
            return "unknown_model"
        return next((code for pattern, code in _ERROR_MESSAGES if pattern.search(message)), None)

    async def complete(self, request: JudgeRequest) -> JudgeReply:
        """Make one call.

        Raises:
            JudgeError: there is no answer. Its code says why; for a missing model its message says how to get
            it.
        """
        try:
            return await super().complete(request)
        except JudgeError as error:
            if error.code != "unknown_model":
                raise
            raise JudgeError(f"{error}; {_advice(request.model)}", code=error.code) from None

    def missing(self, model: str | None) -> Iterator[str]:
        """Report an invalid address, a server that does not answer, or a model that the server does not have."""
        problems = list(self.problems())
        yield from problems
        if problems:
            return
        names = _models_at(self.address)
        if names is None:
            yield f"no Ollama server answers at {self.address} (OLLAMA_HOST): start it with: ollama serve"
        elif model is not None and _with_tag(model) not in names:
            yield f"the Ollama server at {self.address} has no model {model!r}: {_advice(model)}"


def _models_at(url: str) -> frozenset[str] | None:
    """The names of the models that the server has; ``None`` where no Ollama server answers."""
    found = http_judge.object_or_empty(http_judge.json_at(f"{url}/api/tags", seconds=_SECONDS))
    if "models" not in found:
        return None
    return frozenset(
        _with_tag(http_judge.text_or_empty(model.get("name")))
        for model in http_judge.objects_or_empty(found["models"])
    )


def _with_tag(model: str) -> str:
    return model if ":" in model.rpartition("/")[2] else f"{model}:latest"


def _advice(model: str) -> str:
    return f"fetch it with: ollama pull {model}"


@hookimpl.judge_backends
def judge_backends() -> Iterable[JudgeBackendSpec]:
    """Describe the ``ollama`` backend."""
    return [
        JudgeBackendSpec(
            name="ollama",
            summary="Models of an Ollama server, on this machine or another",
            factory=OllamaJudge,
            environment=("OLLAMA_HOST",),
            example="ollama/llama3.2:3b",
            prices="",
        )
    ]
