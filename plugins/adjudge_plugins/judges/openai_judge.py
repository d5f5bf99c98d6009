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
    """Whether votes carry a ``seed``; set it to false for a server that refuses the parameter."""


class OpenAIJudge(http_judge.ChatCompletionsJudge):
    """One Chat Completions call for every request, at ``OPENAI_BASE_URL``."""

    address_variable = "OPENAI_BASE_URL"
    default_address = "https://api.openai.com/v1"
    key_variables = ("OPENAI_API_KEY",)
    no_key_message = (
        "OPENAI_API_KEY is not set; a server of your own, which may need no key, is named by OPENAI_BASE_URL"
    )

    def __init__(self, config: OpenAIJudgeConfig, host: Host) -> None:
        """Read everything but the options from the host's environment, anew with every call."""
        super().__init__(config, host)
        self._with_seed = config.seed

    @property
    def needs_key(self) -> bool:
        """Only where OpenAI itself is asked."""
        return self._is_openai

    @property
    def token_limit(self) -> http_judge.TokenLimit:
        """What is sure to be understood: OpenAI's reasoning models refuse ``max_tokens``, other servers know it."""
        return "max_completion_tokens" if self._is_openai else "max_tokens"

    def headers(self) -> Mapping[str, str]:
        """With the organization and the project, where they are set."""
        own = {header: value for name, header in _HEADERS.items() if (value := self.variable(name))}
        return {**own, **super().headers()}

    def body(self, request: JudgeRequest) -> JsonObject:
        """The body of a call, without a seed where the options say so."""
        return super().body(request if self._with_seed else request.model_copy(update={"seed": None}))

    def missing(self, model: str | None) -> Iterator[str]:
        """The key, where OpenAI itself is asked; a usable address; the server, where it is on this machine."""
        yield from super().missing(model)
        if http_judge.nobody_listens(self.address):
            yield f"no server answers at {self.address} (OPENAI_BASE_URL): start it, or name another address"

    @property
    def _is_openai(self) -> bool:
        host = http_judge.host_of(self.address)
        return host == _OWN_HOST or host.endswith(f".{_OWN_HOST}")  # eu.api.openai.com keeps data in Europe


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
