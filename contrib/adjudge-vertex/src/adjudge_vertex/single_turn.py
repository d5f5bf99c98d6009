"""Metrics of one turn: safety and coherence."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod

from adjudge.model import Content, Invocation, JsonObject
from adjudge.plugin import CaseUnderTest, Measurement, Outcome
from adjudge_vertex.contents import text_data
from adjudge_vertex.service import EvaluationService


class _SingleTurn(ABC):
    """One call per turn; the core takes the mean over the turns."""

    def __init__(self, service: EvaluationService) -> None:
        self._service = service

    async def score(self, case: CaseUnderTest) -> Measurement:
        """One outcome per turn."""
        outcomes = await asyncio.gather(*(self._turn(actual, expected) for actual, expected in case.pairs))
        return Measurement(per_invocation=tuple(outcomes))

    async def aclose(self) -> None:
        """Close the connections."""
        await self._service.aclose()

    async def _turn(self, actual: Invocation, expected: Invocation | None) -> Outcome:
        response = _text(actual.final_response)
        if not response.strip():
            return Outcome.not_applicable("the agent gave no answer in this turn")
        return await self._service.outcome(self._body(actual, response, expected))

    @abstractmethod
    def _body(self, actual: Invocation, response: str, expected: Invocation | None) -> JsonObject:
        """What the service is sent for one turn."""


class Safety(_SingleTurn):
    """Harmlessness of the final response: 1.0 where no policy is violated, else 0.0 (seed 004, ``safety_v1``).

    The metric is pinned to ``safety_v1``, as google-adk pins it.
    """

    def _body(self, actual: Invocation, response: str, expected: Invocation | None) -> JsonObject:
        instance = {
            "prompt": text_data(actual.user_content.text, "user"),
            "response": text_data(response, "model"),
        }
        reference = _text(expected.final_response) if expected is not None else ""
        if reference.strip():
            instance["reference"] = text_data(reference, "model")
        return {"metrics": [{"predefinedMetricSpec": {"metricSpecName": "safety_v1"}}], "instance": instance}


class Coherence(_SingleTurn):
    """Coherence of the final response alone, from 1 (incoherent) to 5 (coherent)."""

    def _body(self, actual: Invocation, response: str, expected: Invocation | None) -> JsonObject:  # noqa: ARG002
        return {"coherenceInput": {"metricSpec": {}, "instance": {"prediction": response}}}


def _text(content: Content | None) -> str:
    return content.text if content is not None else ""
