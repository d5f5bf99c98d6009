"""Gemini as a judge, by the Gemini API and its key."""

from __future__ import annotations

from collections.abc import Iterable

from adjudge.plugin import Host, JudgeBackend, JudgeBackendSpec, NoConfig, hookimpl


def _make(config: NoConfig, host: Host) -> JudgeBackend:  # noqa: ARG001 - a factory's signature
    from adjudge_plugins.judges.gemini_judge.backend import GeminiJudge

    return GeminiJudge(host.environment)


@hookimpl.judge_backends
def judge_backends() -> Iterable[JudgeBackendSpec]:
    """Describe the ``gemini`` backend."""
    return [
        JudgeBackendSpec(
            name="gemini",
            summary="Gemini and Gemma, by the Gemini API of Google AI",
            factory=_make,
            models=("gemini-*", "gemma-*", "models/gemini-*", "models/gemma-*"),
            environment=("GOOGLE_API_KEY", "GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL"),
            example="gemini/gemini-2.5-flash",
            prices="google",
            adk_default="gemini-2.5-flash",
        )
    ]
