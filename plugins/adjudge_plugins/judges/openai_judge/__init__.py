"""Judges behind Chat Completions: OpenAI, and every server that speaks its protocol."""

from __future__ import annotations

from collections.abc import Iterable

from adjudge.plugin import Host, JudgeBackend, JudgeBackendSpec, hookimpl
from adjudge_plugins.judges.openai_judge.config import OpenAIJudgeConfig


def _make(config: OpenAIJudgeConfig, host: Host) -> JudgeBackend:
    from adjudge_plugins.judges.openai_judge.backend import OpenAIJudge

    return OpenAIJudge(host.environment, with_seed=config.seed)


@hookimpl.judge_backends
def judge_backends() -> Iterable[JudgeBackendSpec]:
    """Describe the ``openai`` backend."""
    return [
        JudgeBackendSpec(
            name="openai",
            summary="OpenAI, or any server with its Chat Completions: vLLM, llama.cpp, LM Studio, gateways",
            factory=_make,
            config=OpenAIJudgeConfig,
            models=("gpt-*", "chatgpt-*", "o1*", "o3*", "o4*"),
            environment=("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"),
            example="openai/gpt-5-mini",
            prices="openai",
        )
    ]
