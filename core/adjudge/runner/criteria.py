"""The criteria of a plan: resolved, configured, created, and checked to apply to some case."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from math import isfinite
from typing import Any, Final

from adjudge.adk.eval_set_file import CaseEntry
from adjudge.errors import AdjudgeError, InputError, Problem, UnavailableError, did_you_mean, suggestion
from adjudge.extension.guard import configured, guarded, make
from adjudge.extension.loader import Extensions
from adjudge.extension.protocols import Criterion, SupportsSiblings
from adjudge.extension.registry import Registered
from adjudge.extension.specs import CriterionSpec, Need
from adjudge.model.case_under_test import CaseUnderTest
from adjudge.model.config import CriterionEntry, EvalConfig
from adjudge.model.measurement import Measurement, Outcome
from adjudge.model.result import NOT_MEASURED
from adjudge.model.validation import known_keys
from adjudge.runner.case_selection import SelectedFile
from adjudge.runner.groundwork import Groundwork
from adjudge.runner.plan import PlannedCriterion
from adjudge.runner.problems import Problems
from adjudge.verdict.algebra import Rule

_THRESHOLD: Final = "threshold"
_MAXIMUM: Final = "maximum"
"""The clear name for the threshold of a criterion whose lower scores are better."""


def plan_criteria(
    entries: Iterable[CriterionEntry],
    ground: Groundwork,
    check: Callable[[PlannedCriterion], None],
    *,
    source: str | None,
    path: str,
    deciding: bool = True,
) -> tuple[PlannedCriterion, ...]:
    """Create the criteria of a configuration, or of a criteria file.

    Args:
        entries: The criteria.
        ground: The groundwork of the plan.
        check: Raises what is wrong with a criterion here, as ``InputError``.
        source: The file, for messages.
        path: The place of a criterion in the file, with ``{}`` for its name.
        deciding: Whether they affect the verdict; otherwise they have no threshold.
    """
    problems, before = ground.problems, len(ground.problems)
    planned: list[PlannedCriterion] = []
    for entry in entries:
        place = {"file": source, "path": path.format(entry.name)}
        with problems.caught(**place):
            made = make_criterion(entry, ground, place)
            check(made)
            planned.append(made)
    if not deciding:
        planned = [replace(item, rule=item.rule.model_copy(update={"threshold": None})) for item in planned]
    elif planned and len(problems) == before and not any(item.rule.gates for item in planned):
        problems.add(
            "no criterion has a threshold that a score can miss, so nothing could fail",
            file=source,
            hint="Give at least one a 'threshold' that is better than its worst score, or a 'maximum' where less is better.",
        )
    _introduce(planned, problems, source)
    return tuple(planned)


def make_criterion(entry: CriterionEntry, ground: Groundwork, place: dict[str, Any]) -> PlannedCriterion:
    """One criterion, resolved, configured and made; ``place`` is where its problems are.

    Raises:
        AdjudgeError: it cannot be made.
    """
    extensions, problems = ground.extensions, ground.problems
    if entry.is_in_words and not entry.criterion:
        component = words_component(extensions)
    elif entry.is_custom_metric:
        component = extensions.criteria.said_to_be("measures_custom_metrics", "measures custom metrics")
    else:
        component = extensions.criteria.resolve(entry.criterion)
    spec = component.spec
    options, threshold = _threshold(entry, spec, problems, place)
    read_here = (_THRESHOLD, "criterion", *([_MAXIMUM] if spec.lower_is_better else []))
    config = configured(component, options, **place, read_elsewhere=read_here)
    worst = spec.value_range[1 if spec.lower_is_better else 0]
    if threshold is None and not spec.lower_is_better:
        near = next((key for key in options if suggestion(key, [_THRESHOLD])), "")
        what = f"has no 'threshold', and {spec.name!r} has no default one.{did_you_mean(near, [_THRESHOLD])}"
        hint = "Add the score from which it passes."
        if isfinite(worst):
            hint = f"{hint} {worst:g}, its worst score, measures and decides nothing."
        raise InputError(Problem(what=what, hint=hint))
    if threshold is not None and threshold == worst:
        problems.warn(
            [_at(place, f"the threshold {threshold:g} is the worst score, so that it decides nothing")]
        )
        threshold = None
    own = ground.host.for_criterion()
    criterion: Criterion
    try:
        criterion = make(component, config, own)
    except UnavailableError as error:
        if threshold is not None:
            raise
        unmeasured = _NotMeasured(component, "; ".join(problem.what for problem in error.problems))
        problems.warn([_at(place, unmeasured.reason)])
        criterion = unmeasured
    return PlannedCriterion(
        rule=Rule(
            criterion_name=entry.name,
            criterion=component.id,
            threshold=threshold,
            lower_is_better=spec.lower_is_better,
            value_range=spec.value_range,
            measures_user=spec.measures_user,
        ),
        component=component,
        config=config,
        criterion=criterion,
        judges=tuple(own.judge_documents),
        delegates=tuple(own.delegates),
        declared=own.declared,
        source=place.get("file"),
    )


def check_for_logs(planned: PlannedCriterion) -> None:
    """Check that a criterion needs only what logs have.

    Raises:
        InputError: it needs more.
    """
    spec = planned.component.spec
    has = {Need.JUDGE}
    if getattr(planned.config, "rubrics", ()):
        has.add(Need.RUBRICS)
    lacks = ", ".join(_WORDS.get(need, need.replace("_", " ")) for need in sorted(spec.needs - has))
    if not lacks and not spec.simulated_conversations:
        lacks = "an expected conversation"
    if lacks:
        raise InputError(
            Problem(
                what=f"it needs {lacks}, which a log does not have",
                hint="'adjudge eval recorded:LOG EVAL_SET' measures recorded runs against an eval set.",
            )
        )


def _introduce(planned: Sequence[PlannedCriterion], problems: Problems, source: str | None) -> None:
    """Pass the instances of a component to each of them, if it supports this."""
    components = {item.component.id: item.component for item in planned}
    for name, component in components.items():
        siblings = [item.criterion for item in planned if item.component.id == name]
        with problems.caught(file=source):
            for criterion in siblings:
                if isinstance(criterion, SupportsSiblings):
                    with guarded(component, "know_siblings", passing=(AdjudgeError,)):
                        criterion.know_siblings(siblings)


def words_component(extensions: Extensions) -> Registered[CriterionSpec]:
    """The criterion that measures criteria in words.

    Raises:
        AdjudgeError: none is installed, or it is not active.
    """
    return extensions.criteria.said_to_be("read_criteria", "judges by criteria in words")


class _NotMeasured:
    """Replaces an informational criterion with missing requirements."""

    def __init__(self, component: Registered[CriterionSpec], lacking: str) -> None:
        """Report every case as not measured, because of ``lacking``."""
        self.reason = f"it decides nothing and is not measured: {lacking}"
        self._origin = component.provenance

    async def score(self, case: CaseUnderTest) -> Measurement:  # noqa: ARG002
        return Measurement(overall=Outcome.failed(NOT_MEASURED, self.reason, origin=self._origin))


def _at(place: Mapping[str, str | None], warning: str) -> str:
    """A warning with its place, as problems have theirs."""
    return f"{', '.join(filter(None, (place['file'], place['path'])))}: {warning}"


def _threshold(
    entry: CriterionEntry, spec: CriterionSpec, problems: Problems, place: dict[str, Any]
) -> tuple[dict[str, Any], float | None]:
    options = dict(entry.options)
    threshold = entry.threshold if entry.threshold is not None else spec.default_threshold
    if spec.lower_is_better and _MAXIMUM in options and _MAXIMUM not in known_keys(spec.config):
        value = options.pop(_MAXIMUM)
        if entry.threshold is not None:
            raise InputError(Problem(what="has both 'threshold' and 'maximum', which mean the same"))
        if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
            raise InputError(Problem(what=f"'maximum' must be a finite number, found {value!r}"))
        threshold = float(value)
    low, high = spec.value_range
    if threshold is not None and not low <= threshold <= high:
        problems.add(
            f"the threshold {threshold} is outside the value range {low} to {high} of {spec.name!r}", **place
        )
    return options, threshold


_WORDS: Final = {
    Need.EXPECTED_INVOCATIONS: "an expected conversation",
    Need.CONVERSATION_SCENARIO: "a conversation_scenario: no user is simulated in a fixed conversation",
    Need.REFERENCE_RESPONSE: "a reference answer ('final_response')",
    Need.REFERENCE_INTERMEDIATE_RESPONSES: "reference answers of sub-agents ('intermediate_responses')",
    Need.FINAL_SESSION_STATE: "an expected state at the end ('final_session_state')",
    Need.RUBRICS: "rubrics, in the case or in the criterion",
}
"""The possible requirements of a criterion, as texts for messages."""

_REFERENCES: Final = frozenset(
    (Need.EXPECTED_INVOCATIONS, Need.REFERENCE_RESPONSE, Need.REFERENCE_INTERMEDIATE_RESPONSES)
)
_NO_REFERENCE: Final = (
    "a reference, and in a conversation with a simulated user nothing is expected turn by turn"
)
_NOT_WRITTEN: Final = "a conversation in the eval set, and the user of this case is simulated"


def check_applicable(
    planned: PlannedCriterion, files: Iterable[SelectedFile], problems: Problems, config: EvalConfig
) -> None:
    """Report every eval set to none of whose cases a deciding criterion applies: it would not be covered, unseen."""
    name = planned.rule.criterion_name
    for file in files if planned.rule.gates else ():
        entries = file.entries
        missing = [lacking(planned, entry) for entry in entries]
        if not missing or not all(missing):
            continue
        cases = "the case lacks" if len(entries) == 1 else f"none of {len(entries)} cases has"
        hint = "Add it to the cases, or give this eval set a configuration without the criterion."
        if config.is_default:
            hint = (
                "There is no test_config.json beside this eval set, so the default criteria apply. Choose others in "
                "such a file, or in one that --config_file_path names; 'adjudge criteria' lists them."
            )
        problems.add(
            f"{'the default criterion' if config.is_default else 'criterion'} {name!r} applies to none of the "
            f"selected cases: {cases} what it needs: {missing[0]}",
            file=file.shown_path,
            hint=hint,
        )


def decides_anything(criteria: Iterable[PlannedCriterion], entry: CaseEntry) -> bool:
    """Whether a criterion with a threshold can measure a case."""
    return any(item.rule.gates and not lacking(item, entry) for item in criteria)


def lacking(planned: PlannedCriterion, entry: CaseEntry) -> str:
    """Messages about requirements of a criterion that a case does not meet; empty if it can be measured."""
    spec = planned.component.spec
    if entry.is_scenario and not spec.simulated_conversations:
        return _NO_REFERENCE if spec.needs & _REFERENCES else _NOT_WRITTEN
    met = {
        Need.EXPECTED_INVOCATIONS: not entry.is_scenario,
        Need.CONVERSATION_SCENARIO: entry.is_scenario,
        Need.REFERENCE_RESPONSE: entry.has_reference_response,
        Need.REFERENCE_INTERMEDIATE_RESPONSES: entry.has_reference_intermediate,
        Need.FINAL_SESSION_STATE: entry.has_final_session_state,
        Need.RUBRICS: entry.has_rubrics or bool(getattr(planned.config, "rubrics", ())),
        Need.JUDGE: True,
    }
    return " and ".join(words for need, words in _WORDS.items() if need in spec.needs and not met[need])
