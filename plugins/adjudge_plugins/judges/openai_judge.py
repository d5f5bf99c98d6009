"""Judges behind Chat Completions: OpenAI, and every server that speaks its protocol.

Environment variables and headers are those of OpenAI's own client
(https://github.com/openai/openai-python).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from adjudge.kit import http_judge
from adjudge.model import JsonObject
from adjudge.plugin import ComponentConfig, Host, JudgeBackendSpec, JudgeRequest, hookimpl

_OWN_HOST: Final = "api.openai.com"
_HEADERS: Final = {"OPENAI_ORG_ID": "OpenAI-Organization", "OPENAI_PROJECT_ID": "OpenAI-Project"}


class OpenAIJudgeConfig(ComponentConfig):
    """``[judge.backends.openai]`` in ``adjudge.toml``."""

    seed: bool = True
    """Whether requests have the parameter ``seed``. Set it to false for a server that rejects this parameter."""


_CONTEXT: Final = 128_000
"""The context window of OpenAI's chat models in tokens; newer models have more."""


class OpenAIJudge(http_judge.ChatCompletionsJudge):
    """Makes one Chat Completions call per request, at ``OPENAI_BASE_URL``."""

    address_variable = "OPENAI_BASE_URL"
    default_address = "https://api.openai.com/v1"
    key_variables = ("OPENAI_API_KEY",)
    no_key_message = (
        "OPENAI_API_KEY is not set; a server of your own, which may need no key, is named by OPENAI_BASE_URL"
    )

    def __init__(self, config: OpenAIJudgeConfig, host: Host) -> None:
        """Store the options. Everything else is read from the host's environment at every call."""
        super().__init__(config, host)
        self._with_seed = config.seed

    @property
    def needs_key(self) -> bool:
        """Whether a key is required: only for OpenAI itself."""
        return self._is_openai

    @property
    def token_limit(self) -> http_judge.TokenLimit:
        """The name of the token limit: OpenAI's reasoning models refuse ``max_tokens``, which other servers expect."""
        return "max_completion_tokens" if self._is_openai else "max_tokens"

    def context(self, model: str) -> int | None:  # noqa: ARG002
        """The context window in tokens of OpenAI's models since GPT-4 Turbo; ``None`` for other servers."""
        return _CONTEXT if self._is_openai else None

    def headers(self) -> Mapping[str, str]:
        """The key, and the organization and project if they are set."""
        own = {header: value for name, header in _HEADERS.items() if (value := self.variable(name))}
        return {**own, **super().headers()}

    def body(self, request: JudgeRequest) -> JsonObject:
        """Build the body of a call, without ``seed`` if the options disable it."""
        return super().body(request if self._with_seed else request.model_copy(update={"seed": None}))

    def missing(self, model: str | None) -> Iterator[str]:
        """Report a missing key for OpenAI itself, an invalid address, or a local server that does not answer."""
        yield from super().missing(model)
        if http_judge.nobody_listens(self.address):
            yield f"no server answers at {self.address} (OPENAI_BASE_URL): start it, or name another address"

    @property
    def _is_openai(self) -> bool:
        host = http_judge.host_of(self.address)
        return host == _OWN_HOST or host.endswith(f".{_OWN_HOST}")  # such as eu.api.openai.com


@hookimpl.judge_backends
def judge_backends() -> Iterable[JudgeBackendSpec]:
    """Describe the ``openai`` backend."""
    return [
        JudgeBackendSpec(
            name="openai",
            summary="OpenAI, or any server with its Chat Completions: vLLM, llama.cpp, LM Studio, gateways",
            factory=OpenAIJudge,
            config=OpenAIJudgeConfig,
            models=("gpt-*", "chatgpt-*", "o1*", "o3*", "o4*"),
            environment=("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"),
            example="openai/gpt-5-mini",
            prices="openai",
        )
    ]
