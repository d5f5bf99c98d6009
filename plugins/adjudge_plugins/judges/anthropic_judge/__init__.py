"""Claude as a judge, by Anthropic's Messages API."""

from __future__ import annotations

from collections.abc import Iterable

from adjudge.plugin import Host, JudgeBackend, JudgeBackendSpec, NoConfig, hookimpl


def _make(config: NoConfig, host: Host) -> JudgeBackend:  # noqa: ARG001 - a factory's signature
    from adjudge_plugins.judges.anthropic_judge.backend import AnthropicJudge

    return AnthropicJudge(host.environment)


@hookimpl.judge_backends
def judge_backends() -> Iterable[JudgeBackendSpec]:
    """Describe the ``anthropic`` backend."""
    return [
        JudgeBackendSpec(
            name="anthropic",
            summary="Claude, by Anthropic's Messages API",
            factory=_make,
            models=("claude-*",),
            environment=("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"),
            example="anthropic/claude-haiku-4-5",
            prices="anthropic",
        )
    ]
