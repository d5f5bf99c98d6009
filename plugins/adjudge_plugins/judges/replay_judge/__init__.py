"""``replay``: judges that answer what was recorded with ``--record``."""

from __future__ import annotations

from collections.abc import Iterable

from adjudge.plugin import Host, JudgeBackend, JudgeBackendSpec, NoConfig, hookimpl


def _make(config: NoConfig, host: Host) -> JudgeBackend:  # noqa: ARG001 - a factory's signature
    from adjudge_plugins.judges.replay_judge.backend import ReplayJudge

    return ReplayJudge(host)


@hookimpl.judge_backends
def judge_backends() -> Iterable[JudgeBackendSpec]:
    """The ``replay`` backend."""
    return [
        JudgeBackendSpec(
            name="replay",
            summary="Answers from a recording of judge calls: replay:FILE",
            factory=_make,
            example="replay:FILE",
            prices="",
        )
    ]
