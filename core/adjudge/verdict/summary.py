"""The summary of a run, computed from its case results one at a time."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from adjudge.model.evidence import Failure
from adjudge.model.result import (
    NOTHING_MEASURED,
    USER_AT_FAULT,
    CaseResult,
    CriterionResult,
    CriterionSummary,
    RepeatedCase,
    RunSummary,
)
from adjudge.model.verdict import Status, Verdict
from adjudge.verdict.algebra import Rule, case_status, combined, exit_status, repeated


class _Tally:
    """Counts and scores of one criterion over all cases."""

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self.counts: Counter[Status] = Counter()
        self.total = 0.0
        self.scored = 0
        self.nothing_measured: list[str] = []
        """Messages about eval sets in which the criterion applied to no case."""
        self.of_logs = False

    def add(self, status: Status, score: float | None) -> None:
        self.counts[status] += 1
        if score is not None:
            self.total += score
            self.scored += 1

    def summary(self) -> CriterionSummary:
        mean = self.total / self.scored if self.scored else None
        return CriterionSummary(
            criterion_name=self.rule.criterion_name,
            criterion=self.rule.criterion,
            threshold=self.rule.threshold,
            lower_is_better=self.rule.lower_is_better,
            mean=mean if mean is None or math.isfinite(mean) else None,
            counts=dict(self.counts),
            error=self._error(),
        )

    def _error(self) -> Failure | None:
        if not self.nothing_measured:
            return None
        told = "; ".join(self.nothing_measured)
        advice = (
            "Take it out of the criteria, or judge logs that record what it needs."
            if self.of_logs
            else "Give the agent or the cases what it needs, or choose other criteria for these cases in a "
            "test_config.json."
        )
        message = f"the criterion {self.rule.criterion_name!r} measured nothing: {told}. {advice}"
        return Failure(code=NOTHING_MEASURED, message=message, origin=self.rule.criterion)


class _Applied:
    """Counts the cases of one eval set to which a criterion with a threshold applied."""

    def __init__(self) -> None:
        self.cases = 0
        self.measured = 0
        self.why_not: str | None = None

    def add(self, status: Status, results: Iterable[CriterionResult | None]) -> None:
        tried = [item for item in results if item is not None]
        if not tried and status != "not_applicable":
            return  # the agent could not be run, so it is unknown whether the criterion applies
        self.cases += 1
        self.measured += status != "not_applicable"
        if self.why_not is None:
            self.why_not = next((item.reasoning for item in tried), None)

    def told(self, file: str | None) -> str:
        """The message that the criterion applied to no case, with the reason of the first case."""
        kind = "run" if file is None else "case"
        cases = f"the only {kind}" if self.cases == 1 else f"none of the {self.cases} {kind}s"
        verb = "it does not apply to" if self.cases == 1 else "it applies to"
        where = "" if file is None else f" of {file}"
        return f"{verb} {cases}{where}" + (f" ({self.why_not})" if self.why_not else "")


def summarise(
    results: Iterable[CaseResult],
    rules: Mapping[str | None, Sequence[Rule]],
    repeats: int,
    *,
    incomplete: bool = False,
    decides: bool = True,
) -> RunSummary:
    """Compute the summary of a run from its case results.

    Args:
        results: Every repeat of every case; the repeats of a case are adjacent.
        rules: The rules of every eval-set file, by its name in the results; for runs in logs under the key ``None``.
        repeats: The planned number of repeats of every case.
        incomplete: Whether the run was interrupted. It then has no verdict, and never passes.
        decides: Whether a criterion has a threshold. A run in which none has is ``informational``.
    """
    tallies: dict[tuple[str, str, float | None], _Tally] = {}
    counts: Counter[Status] = Counter()
    kept: list[RepeatedCase] = []
    applied: dict[tuple[str | None, int], _Applied] = {}
    for (file, _, _), group in groupby(
        results, key=lambda item: (item.eval_set_file, item.source, item.eval_id)
    ):
        of_case = list(group)
        if repeats == 1 and of_case[0].criteria and of_case[0].error is None:  # decided already
            counts[of_case[0].status] += 1
            said: list[tuple[Status, float | None]] = [
                (criterion.status, criterion.score) for criterion in of_case[0].criteria
            ]
        else:
            case = over_repeats(of_case, rules[file], repeats, decides=decides)
            counts[case.status] += 1
            said = [(criterion.status, criterion.mean) for criterion in case.criteria]
            if repeats > 1:
                kept.append(case)
        for number, (rule, (its_status, score)) in enumerate(zip(rules[file], said, strict=True)):
            tally = tallies.setdefault(_key(rule), _Tally(rule))
            tally.add(its_status, score)
            if rule.gates:
                in_file = applied.setdefault((file, number), _Applied())
                in_file.add(its_status, (_of(result, number) for result in of_case))
    unmeasured = [at for at, found in applied.items() if found.cases and not found.measured]
    for file, number in unmeasured:
        tally = tallies[_key(rules[file][number])]
        tally.nothing_measured.append(applied[file, number].told(file))
        tally.of_logs = file is None
    status = combined((*counts, "error") if unmeasured else counts)
    if not decides and not incomplete:
        status = "error" if counts["error"] else "informational"
    elif status == "not_applicable" or (incomplete and status != "FAIL"):
        status = "error"
    decided = status in ("PASS", "FAIL", "UNSURE") and not incomplete
    return RunSummary(
        status=status,
        verdict=Verdict(status) if decided else None,
        exit_status=exit_status(status),
        incomplete=incomplete,
        cases=sum(counts.values()),
        repeats=repeats,
        counts=dict(counts),
        criteria=tuple(tally.summary() for tally in tallies.values()),
        repeated=tuple(kept),
    )


def _key(rule: Rule) -> tuple[str, str, float | None]:
    return rule.criterion_name, rule.criterion, rule.threshold


def over_repeats(
    results: Sequence[CaseResult], rules: Sequence[Rule], repeats: int, *, decides: bool = True
) -> RepeatedCase:
    """The result of one case over its repeats. A missing repeat counts as not measured."""
    first = results[0]
    missing: list[CriterionResult | None] = [None] * (repeats - len(results))
    criteria = tuple(
        repeated([_of(result, number) for result in results] + missing, rule)
        for number, rule in enumerate(rules)
    )
    status, error = case_status(criteria, decides=decides)
    if not decides and any(result.status == "error" for result in results):
        status = "error"
    if not missing and all(result.status == "not_applicable" for result in results):
        status = "not_applicable"
    return RepeatedCase(
        eval_set_id=first.eval_set_id,
        eval_set_file=first.eval_set_file,
        eval_id=first.eval_id,
        source=first.source,
        run=first.run,
        status=status,
        verdict=Verdict(status) if status in ("PASS", "FAIL", "UNSURE") else None,
        criteria=criteria,
        error=next((result.error for result in results if result.error is not None), error),
    )


def _of(result: CaseResult, number: int) -> CriterionResult | None:
    """The result of one criterion; ``None`` if the agent did not run, or the simulated user was at fault."""
    if result.error is not None and result.error.code == USER_AT_FAULT:
        return None
    return result.criteria[number] if result.criteria else None
