"""``response_match_score``: the similarity of the final response and the reference, word by word."""

from __future__ import annotations

from adjudge.kit.matching import rouge_1
from adjudge.model import Invocation
from adjudge.plugin import (
    CaseUnderTest,
    ComponentConfig,
    Criterion,
    CriterionSpec,
    Host,
    Measurement,
    Need,
    Outcome,
    hookimpl,
)


class ResponseMatchConfig(ComponentConfig):
    """Options of ``response_match_score``, as ADK's ``BaseCriterion`` has them."""

    include_intermediate_responses_in_final: bool = False
    """Whether the texts before the final response are compared too, in the response and in the reference."""


class ResponseMatch:
    """The ROUGE-1 F-measure per turn, from 0 to 1 (seed 004, ``response_match_score``).

    The texts of a response are joined by newlines; thoughts are excluded. A turn without a
    reference response, or with a blank one, is not applicable; a missing or blank response scores 0.
    """

    def __init__(self, config: ResponseMatchConfig) -> None:
        self._with_intermediate = config.include_intermediate_responses_in_final

    async def score(self, case: CaseUnderTest) -> Measurement:
        """Return one score per turn."""
        return Measurement(
            per_invocation=tuple(self._turn(actual, expected) for actual, expected in case.pairs)
        )

    def _turn(self, actual: Invocation, expected: Invocation | None) -> Outcome:
        reference = "" if expected is None else self._text(expected)
        if not reference.strip():
            return Outcome.not_applicable("the turn has no reference response")
        answer = self._text(actual)
        if not answer.strip():
            return Outcome.scored(0.0, "the agent gave no answer")
        found = rouge_1(reference, answer)
        return Outcome.scored(
            found.f1,
            f"ROUGE-1: {found.precision:.1%} of the response's words are in the reference, "
            f"{found.recall:.1%} of the reference's words are in the response",
            details={"precision": found.precision, "recall": found.recall},
        )

    def _text(self, turn: Invocation) -> str:
        texts = [text for _, text in turn.intermediate_texts] if self._with_intermediate else []
        if turn.final_response is not None:
            texts.append(turn.final_response.text)
        return "\n".join(texts)


def _make(config: ResponseMatchConfig, host: Host) -> Criterion:  # noqa: ARG001
    return ResponseMatch(config)


@hookimpl.criteria
def criteria() -> list[CriterionSpec]:
    """The one criterion of this plugin."""
    return [
        CriterionSpec(
            name="response_match_score",
            summary="ROUGE-1 F-measure of the final response against the reference response",
            factory=_make,
            config=ResponseMatchConfig,
            needs=frozenset({Need.EXPECTED_INVOCATIONS, Need.REFERENCE_RESPONSE}),
            default_threshold=0.8,
            in_adk_default=True,
        )
    ]
