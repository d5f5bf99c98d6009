"""``intermediate_response_match_score``: whether sub-agents gave the expected intermediate responses."""

from __future__ import annotations

from adjudge.kit.matching.assignment import maximum_weight
from adjudge.kit.matching.words import rouge_1
from adjudge.model import Invocation, JsonObject
from adjudge.plugin import (
    CaseUnderTest,
    Criterion,
    CriterionSpec,
    Host,
    Measurement,
    Need,
    NoConfig,
    Outcome,
    hookimpl,
)


class IntermediateResponseMatch:
    """The similarity of the expected and the actual intermediate responses of a turn, from 0 to 1 (seed 001).

    Expected and actual texts of the same author are paired one to one, so that the sum of their ROUGE-1
    F-measures is as large as possible (maximum-weight bipartite matching). The score is that sum divided by
    the number of expected texts: a missing text scores 0, an additional text costs nothing, and order does
    not count, because sub-agents may work in parallel. If one side names no author, any author matches.

    A turn without expected intermediate responses is not applicable.
    """

    async def score(self, case: CaseUnderTest) -> Measurement:
        """Return one score per turn."""
        return Measurement(per_invocation=tuple(_turn(actual, expected) for actual, expected in case.pairs))


def _turn(actual: Invocation, expected: Invocation | None) -> Outcome:
    wanted = [] if expected is None else _texts(expected)
    if not wanted:
        return Outcome.not_applicable("the turn has no expected intermediate responses")
    given = _texts(actual)
    similar = [[_similarity(left, right) for right in given] for left in wanted]
    partners = maximum_weight(similar) if given else [None] * len(wanted)
    pairs: list[JsonObject] = []
    for row, ((author, text), partner) in enumerate(zip(wanted, partners, strict=True)):
        found = None if partner is None else given[partner][1]
        score = 0.0 if partner is None else similar[row][partner]
        pairs.append({"author": author, "expected": text, "actual": found, "score": score})
    extra = [{"author": author, "text": text} for n, (author, text) in enumerate(given) if n not in partners]
    met = sum(partner is not None for partner in partners)
    return Outcome.scored(
        sum(pair["score"] for pair in pairs) / len(pairs),
        f"{met} of {len(pairs)} expected intermediate responses have a counterpart",
        details={"pairs": pairs, "extra": extra},
    )


def _texts(turn: Invocation) -> list[tuple[str | None, str]]:
    return [(author or None, text) for author, text in turn.intermediate_texts if text.strip()]


def _similarity(expected: tuple[str | None, str], actual: tuple[str | None, str]) -> float:
    (author, text), (speaker, said) = expected, actual
    if author is not None and speaker is not None and author != speaker:
        return 0.0
    return rouge_1(text, said).f1


def _make(config: NoConfig, host: Host) -> Criterion:  # noqa: ARG001
    return IntermediateResponseMatch()


@hookimpl.criteria
def criteria() -> list[CriterionSpec]:
    """The one criterion of this plugin."""
    return [
        CriterionSpec(
            name="intermediate_response_match_score",
            summary="ROUGE-1 F-measure of expected texts of sub-agents, each with its best partner",
            factory=_make,
            needs=frozenset({Need.EXPECTED_INVOCATIONS, Need.REFERENCE_INTERMEDIATE_RESPONSES}),
            default_threshold=0.8,
        )
    ]
