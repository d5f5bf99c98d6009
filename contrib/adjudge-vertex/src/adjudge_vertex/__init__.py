"""The plugin ``vertex`` of adjudge: Vertex AI's evaluation service, and Gemini on Vertex AI as a judge.

Light: what talks to Google is imported on use.
"""

from __future__ import annotations

from collections.abc import Iterable

from adjudge.plugin import (
    Criterion,
    CriterionSpec,
    Host,
    JudgeBackend,
    JudgeBackendSpec,
    NoConfig,
    hookimpl,
)


@hookimpl.criteria
def criteria() -> Iterable[CriterionSpec]:
    """The prebuilt metrics of the service that ADK's criteria delegate to."""
    yield CriterionSpec(
        name="safety",
        summary="Vertex AI finds no policy violated by the final response (1.0), or one (0.0)",
        factory=_safety,
        simulated_conversations=True,
    )
    yield CriterionSpec(
        name="coherence",
        summary="How coherent Vertex AI finds the final response, from 1 to 5",
        factory=_coherence,
        simulated_conversations=True,
        value_range=(1.0, 5.0),
    )
    yield CriterionSpec(
        name="multi_turn_task_success",
        summary="Vertex AI finds that the conversation reached the user's goals",
        factory=lambda config, host: _multi_turn("multi_turn_task_success_v1", host),  # noqa: ARG005
        simulated_conversations=True,
    )
    yield CriterionSpec(
        name="multi_turn_trajectory_quality",
        summary="Vertex AI finds that the agent went a good way through the conversation",
        factory=lambda config, host: _multi_turn("multi_turn_trajectory_quality_v1", host),  # noqa: ARG005
        simulated_conversations=True,
    )
    yield CriterionSpec(
        name="multi_turn_tool_use_quality",
        summary="Vertex AI finds the agent's tool calls in the conversation right",
        factory=lambda config, host: _multi_turn("multi_turn_tool_use_quality_v1", host),  # noqa: ARG005
        simulated_conversations=True,
    )


@hookimpl.judge_backends
def judge_backends() -> Iterable[JudgeBackendSpec]:
    """Gemini on Vertex AI. Bare names such as ``gemini-2.5-flash`` stay with the Gemini API."""
    yield JudgeBackendSpec(
        name="vertex",
        summary="Gemini on Vertex AI, with the credentials of Google Cloud",
        factory=_judge,
        environment=(
            "GOOGLE_CLOUD_PROJECT",
            "GOOGLE_CLOUD_LOCATION",
            "GOOGLE_APPLICATION_CREDENTIALS",
            "GOOGLE_VERTEX_BASE_URL",
        ),
        example="vertex/gemini-2.5-flash",
        prices="google",
    )


def _safety(config: NoConfig, host: Host) -> Criterion:  # noqa: ARG001
    from adjudge_vertex.service import EvaluationService
    from adjudge_vertex.single_turn import Safety

    return Safety(EvaluationService.of(host, (0.0, 1.0)))


def _coherence(config: NoConfig, host: Host) -> Criterion:  # noqa: ARG001
    from adjudge_vertex.service import EvaluationService
    from adjudge_vertex.single_turn import Coherence

    return Coherence(EvaluationService.of(host, (1.0, 5.0)))


def _multi_turn(metric: str, host: Host) -> Criterion:
    from adjudge_vertex.multi_turn import MultiTurn
    from adjudge_vertex.service import EvaluationService

    return MultiTurn(metric, EvaluationService.of(host, (0.0, 1.0)))


def _judge(config: NoConfig, host: Host) -> JudgeBackend:
    from adjudge_vertex.backend import VertexJudge

    return VertexJudge(config, host)
