"""The plugin ``text`` of adjudge: criteria that compare texts. Light: comparisons are imported on use."""

from __future__ import annotations

from collections.abc import Iterable

from adjudge.plugin import Criterion, CriterionSpec, Host, Need, hookimpl
from adjudge_text.config import (
    ContainsConfig,
    ExactMatchConfig,
    JsonEqualConfig,
    NumericToleranceConfig,
    RegexMatchConfig,
)

_REFERENCE = frozenset({Need.EXPECTED_INVOCATIONS, Need.REFERENCE_RESPONSE})


@hookimpl.criteria
def criteria() -> Iterable[CriterionSpec]:
    """Describe the criteria of this plugin."""
    yield CriterionSpec(
        name="exact_match",
        summary="The final response is the reference response",
        factory=_exact_match,
        config=ExactMatchConfig,
        needs=_REFERENCE,
        default_threshold=1.0,
    )
    yield CriterionSpec(
        name="contains",
        summary="Share of the given texts, or the reference response, that the final response contains",
        factory=_contains,
        config=ContainsConfig,
        default_threshold=1.0,
    )
    yield CriterionSpec(
        name="regex_match",
        summary="A regular expression is found in the final response",
        factory=_regex_match,
        config=RegexMatchConfig,
        example_options={"pattern": "[0-9]+"},
        simulated_conversations=True,
        default_threshold=1.0,
    )
    yield CriterionSpec(
        name="json_equal",
        summary="Final response and reference response are the same JSON value",
        factory=_json_equal,
        config=JsonEqualConfig,
        needs=_REFERENCE,
        default_threshold=1.0,
    )
    yield CriterionSpec(
        name="numeric_tolerance",
        summary="The numbers of the final response are those of the reference, within a tolerance",
        factory=_numeric_tolerance,
        config=NumericToleranceConfig,
        needs=_REFERENCE,
        default_threshold=1.0,
    )


def _exact_match(config: ExactMatchConfig, _host: Host) -> Criterion:
    from adjudge_text.criterion import AgainstReference
    from adjudge_text.texts import exact_match

    return AgainstReference(lambda actual, expected: exact_match(actual, expected, config))


def _contains(config: ContainsConfig, _host: Host) -> Criterion:
    from adjudge_text.criterion import AgainstReference, OfResponse
    from adjudge_text.texts import contains

    texts = config.texts
    if texts is not None:
        return OfResponse(lambda actual: contains(actual, texts, config))
    return AgainstReference(lambda actual, expected: contains(actual, (expected,), config))


def _regex_match(config: RegexMatchConfig, _host: Host) -> Criterion:
    from adjudge_text.criterion import OfResponse
    from adjudge_text.texts import regex_match

    return OfResponse(lambda actual: regex_match(actual, config))


def _json_equal(config: JsonEqualConfig, _host: Host) -> Criterion:
    from adjudge_text.criterion import AgainstReference
    from adjudge_text.values import json_equal

    return AgainstReference(lambda actual, expected: json_equal(actual, expected, config))


def _numeric_tolerance(config: NumericToleranceConfig, _host: Host) -> Criterion:
    from adjudge_text.criterion import AgainstReference
    from adjudge_text.values import numeric_tolerance

    return AgainstReference(lambda actual, expected: numeric_tolerance(actual, expected, config))
