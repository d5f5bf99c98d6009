"""The plugin ``local`` of adjudge: a judge model on this machine. Light: everything is imported on use."""

from __future__ import annotations

from collections.abc import Iterable

from adjudge.plugin import Host, JudgeBackend, JudgeBackendSpec, hookimpl
from adjudge_local.config import LocalConfig


@hookimpl.judge_backends
def judge_backends() -> Iterable[JudgeBackendSpec]:
    """Describe the judge backend of this plugin."""
    yield JudgeBackendSpec(
        name="local",
        summary="A GGUF model on this machine, without a key and without a network",
        factory=_local,
        config=LocalConfig,
        environment=("HF_HOME", "HF_HUB_CACHE", "HF_ENDPOINT", "HF_HUB_OFFLINE", "HF_TOKEN"),
        example="local/MODEL.gguf",
        prices="",
    )


def _local(config: LocalConfig, host: Host) -> JudgeBackend:
    from adjudge_local.backend import LocalJudge

    return LocalJudge(config, host)
