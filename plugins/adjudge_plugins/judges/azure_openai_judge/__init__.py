"""Judges behind Azure OpenAI: Chat Completions of a deployment."""

from __future__ import annotations

from collections.abc import Iterable

from adjudge.plugin import Host, JudgeBackend, JudgeBackendSpec, NoConfig, hookimpl


def _make(config: NoConfig, host: Host) -> JudgeBackend:  # noqa: ARG001 - a factory's signature
    from adjudge_plugins.judges.azure_openai_judge.backend import AzureOpenAIJudge

    return AzureOpenAIJudge(host.environment)


@hookimpl.judge_backends
def judge_backends() -> Iterable[JudgeBackendSpec]:
    """Describe the ``azure-openai`` backend."""
    return [
        JudgeBackendSpec(
            name="azure-openai",
            summary="A model deployed in Azure OpenAI, named by its deployment",
            factory=_make,
            environment=(
                "AZURE_OPENAI_ENDPOINT",
                "AZURE_OPENAI_API_KEY",
                "AZURE_OPENAI_AD_TOKEN",
                "AZURE_OPENAI_API_VERSION",
                "OPENAI_API_VERSION",
            ),
            example="azure-openai/my-deployment",
            prices="azure",
        )
    ]
