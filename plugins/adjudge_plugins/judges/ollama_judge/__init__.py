"""Models of an Ollama server as judges: on this machine, without a key."""

from __future__ import annotations

from collections.abc import Iterable

from adjudge.plugin import Host, JudgeBackend, JudgeBackendSpec, NoConfig, hookimpl


def _make(config: NoConfig, host: Host) -> JudgeBackend:  # noqa: ARG001 - a factory's signature
    from adjudge_plugins.judges.ollama_judge.backend import OllamaJudge

    return OllamaJudge(host.environment)


@hookimpl.judge_backends
def judge_backends() -> Iterable[JudgeBackendSpec]:
    """Describe the ``ollama`` backend."""
    return [
        JudgeBackendSpec(
            name="ollama",
            summary="Models of an Ollama server, on this machine or another",
            factory=_make,
            environment=("OLLAMA_HOST",),
            example="ollama/llama3.2:3b",
            prices="",
        )
    ]
