"""Metrics of a whole conversation, judged in one call with rubrics that the service writes for it."""

from __future__ import annotations

from adjudge.plugin import CaseUnderTest, Measurement, Outcome
from adjudge_vertex.contents import agent_data
from adjudge_vertex.service import EvaluationService


class MultiTurn:
    """One call per case, from 0 to 1; the rubrics and their verdicts are kept."""

    def __init__(self, metric: str, service: EvaluationService) -> None:
        """Ask for ``metric``, a name of the service's predefined metrics."""
        self._metric = metric
        self._service = service

    async def score(self, case: CaseUnderTest) -> Measurement:
        """One outcome for the case."""
        turns = case.actual.invocations
        if not turns:
            return Measurement(overall=Outcome.not_applicable("the conversation has no turn"))
        body = {
            "metrics": [{"predefinedMetricSpec": {"metricSpecName": self._metric}}],
            "instance": {"agentEvalData": agent_data(turns)},
        }
        return Measurement(overall=await self._service.outcome(body))

    async def aclose(self) -> None:
        """Close the connections."""
        await self._service.aclose()
