"""Vertex AI's Gen AI evaluation service: one metric of one instance for each call.

Protocol: ``projects.locations.evaluateInstances``
(https://cloud.google.com/vertex-ai/docs/reference/rest/v1beta1/projects.locations/evaluateInstances).
"""

from __future__ import annotations

import asyncio
import math
import random
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from adjudge.kit import http_judge
from adjudge.model import JsonObject, RubricScore
from adjudge.plugin import (
    Host,
    JudgeError,
    JudgeErrorCode,
    Outcome,
    UnavailableError,
)
from adjudge_vertex.credentials import AccessToken, credentials_problem
from adjudge_vertex.place import Place, place_of, place_problems

if TYPE_CHECKING:
    from tenacity import RetryCallState

AT_A_TIME: Final = 8
"""Calls of one criterion under way; the service's default quota is small."""

_TIMEOUT: Final = 180.0
"""Seconds that one call may take: a whole conversation is judged in it, rubrics and all."""
_LONGEST_WAIT: Final = 60.0

_ATTEMPTS: Final[dict[JudgeErrorCode, int]] = {
    "rate_limit": 6,
    "overload": 6,
    "server": 4,
    "network": 4,
    "timeout": 2,
    "malformed": 3,
}
"""How often a call is made at most, by the class of its last failure. Other failures are final."""

_LASTING: Final[frozenset[JudgeErrorCode]] = frozenset({"auth", "quota", "unknown_model"})
"""Failures that every further call would meet. They can be mended, and the run resumed."""

_STATUSES: Final[dict[int, JudgeErrorCode]] = {
    4: "timeout",
    5: "unknown_model",
    7: "auth",
    8: "rate_limit",
    10: "overload",
    13: "server",
    14: "overload",
    16: "auth",
}
"""Codes of ``google.rpc.Status`` in the result of a metric; the others concern the request."""


class EvaluationService:
    """The service as one criterion asks it: limited, tried again, and in outcomes."""

    def __init__(self, place: Place, token: AccessToken, value_range: tuple[float, float]) -> None:
        """Ask at ``place``; scores outside ``value_range`` are no scores."""
        self._place = place
        self._token = token
        self._range = value_range
        self._connection = http_judge.ProviderConnection(
            error_code=http_judge.generate_content_error_code,
            retry_after=http_judge.generate_content_retry_after,
        )
        self._slots: tuple[asyncio.AbstractEventLoop, asyncio.Semaphore] | None = None
        self._lasting: JudgeError | None = None

    @classmethod
    def of(cls, host: Host, value_range: tuple[float, float]) -> EvaluationService:
        """The service that the host's environment names. Nothing is asked over the network.

        Raises:
            UnavailableError: the project, the location or the credentials are missing or wrong; all of them at once.
        """
        environment = host.environment
        problems = place_problems(environment)
        if (problem := credentials_problem(environment)) is not None:
            problems.append(problem)
        if problems:
            raise UnavailableError(problems)
        return cls(place_of(environment), AccessToken(environment), value_range)

    async def outcome(self, body: JsonObject) -> Outcome:
        """What the service finds; a failure that lasts is an outcome of the class ``error``."""
        async with self._at_a_time():
            try:
                if self._lasting is not None:
                    raise self._lasting
                return await self._evaluated(body)
            except JudgeError as error:
                if error.code in _LASTING:
                    self._lasting = error
                retryable = error.code in _ATTEMPTS or error.code in _LASTING
                return Outcome.failed(error.code, str(error), origin="vertex", retryable=retryable)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._connection.aclose()

    def _at_a_time(self) -> asyncio.Semaphore:
        # A semaphore belongs to one event loop; a criterion may see several, one after the other.
        loop = asyncio.get_running_loop()
        if self._slots is None or self._slots[0] is not loop:
            self._slots = (loop, asyncio.Semaphore(AT_A_TIME))
        return self._slots[1]

    async def _evaluated(self, body: JsonObject) -> Outcome:
        from tenacity import AsyncRetrying

        retrying = AsyncRetrying(retry=_may_pass, wait=_wait, reraise=True)
        return await retrying(self._once, body)

    async def _once(self, body: JsonObject) -> Outcome:
        deadline = asyncio.timeout(_TIMEOUT)
        try:
            async with deadline:
                headers, token = await self._token.headers()
                answer = await self._connection.post(
                    self._place.evaluate_instances, body, headers=headers, secrets=[token]
                )
        except TimeoutError:
            if not deadline.expired():
                raise
            raise JudgeError(f"Vertex AI did not answer within {_TIMEOUT:g} s", code="timeout") from None
        return self._read(answer.body)

    def _read(self, body: Mapping[str, object]) -> Outcome:
        results = [
            *http_judge.objects_or_empty(body.get("metricResults")),
            http_judge.object_or_empty(body.get("coherenceResult")),
        ]
        result = results[0]
        if not result:
            raise JudgeError("Vertex AI answered without the result of a metric", code="malformed")
        if status := http_judge.object_or_empty(result.get("error")):
            number = status.get("code")
            code = _STATUSES.get(number, "bad_request") if isinstance(number, int) else "bad_request"
            said = http_judge.text_or_empty(status.get("message"))[:300] or f"code {number}"
            raise JudgeError(f"Vertex AI could not measure: {said}", code=code)
        score = result.get("score")
        if isinstance(score, bool) or not isinstance(score, int | float) or not math.isfinite(score):
            raise JudgeError("Vertex AI answered without a score", code="malformed")
        low, high = self._range
        if not low <= score <= high:
            raise JudgeError(
                f"Vertex AI answered the score {score:g}, expected {low:g} to {high:g}", code="malformed"
            )
        return _outcome(float(score), result)


def _outcome(score: float, result: JsonObject) -> Outcome:
    """A score with what google-adk keeps beside it: a rubric score per verdict, and one named ``explanation``."""
    rubrics = [
        _verdict(i, verdict)
        for i, verdict in enumerate(http_judge.objects_or_empty(result.get("rubricVerdicts")))
    ]
    explanation = http_judge.text_or_empty(result.get("explanation")) or None
    if explanation is not None:
        rubrics.append(RubricScore(rubric_id="explanation", rationale=explanation, state="not_applicable"))
    return Outcome.scored(score, explanation).model_copy(update={"rubric_scores": tuple(rubrics)})


def _verdict(index: int, verdict: JsonObject) -> RubricScore:
    rubric = http_judge.object_or_empty(verdict.get("evaluatedRubric"))
    said = http_judge.object_or_empty(http_judge.object_or_empty(rubric.get("content")).get("property"))
    return RubricScore(
        rubric_id=http_judge.text_or_empty(said.get("description"))
        or http_judge.text_or_empty(rubric.get("rubricId"))
        or f"rubric_{index}",
        # A verdict that is false is left out on the wire.
        score=1.0 if verdict.get("verdict") is True else 0.0,
        rationale=http_judge.text_or_empty(verdict.get("reasoning")) or None,
    )


def _may_pass(state: RetryCallState) -> bool:
    error = _error_of(state)
    return (
        error is not None
        and state.attempt_number < _ATTEMPTS.get(error.code, 1)
        and (error.retry_after or 0) <= _LONGEST_WAIT
    )


def _wait(state: RetryCallState) -> float:
    """Seconds before the next attempt: what the service asks for, else twice as long each time; with jitter."""
    error = _error_of(state)
    asked = error.retry_after if error is not None else None
    jitter = random.uniform(0.5, 1.0)  # noqa: S311 - no secret
    return jitter * 2 ** (state.attempt_number - 2) if asked is None else asked + jitter / 4


def _error_of(state: RetryCallState) -> JudgeError | None:
    error = state.outcome.exception() if state.outcome is not None else None
    return error if isinstance(error, JudgeError) else None
