"""All agreement statistics of one criterion, each with its interval."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

from adjudge.kit.calibration import Calibration
from adjudge.kit.calibration.curve import calibrated_confidence
from adjudge_plugins.agreement.report import (
    CriterionAgreement,
    Figure,
    HeldOut,
    Interval,
    LabelledVerdict,
    LengthBin,
    Localisation,
    StepAccuracy,
)
from adjudge_plugins.agreement.statistics.binomial import extreme_interval
from adjudge_plugins.agreement.statistics.bins import equal_mass
from adjudge_plugins.agreement.statistics.bootstrap import percentile_intervals
from adjudge_plugins.agreement.statistics.confidence import (
    Sureness,
    auroc,
    brier,
    calibration_error,
    reliability,
)
from adjudge_plugins.agreement.statistics.confusion import (
    Confusion,
    accuracy,
    balanced_accuracy,
    f1,
    kappa,
    precision,
    true_negative_rate,
    true_positive_rate,
)
from adjudge_plugins.agreement.statistics.localisation import (
    TOLERANCES,
    majority_agent,
    position_prior,
    share_within,
)
from adjudge_plugins.agreement.statistics.selective import risk_coverage

_LENGTH_BINS: Final = 4
_IN_A_LENGTH_BIN: Final = 10
_AGENT: Final = "agent"

Rows: TypeAlias = Sequence[LabelledVerdict]
_Measure: TypeAlias = Callable[[Rows], dict[str, float | None]]


def criterion_agreement(name: str, rows: Rows) -> CriterionAgreement:
    """What the labels say of one criterion, by its verdicts with their labels."""
    decided = [row for row in rows if row.verdict is not None]
    sure = _sureness(decided)
    return CriterionAgreement(
        criterion_name=name,
        labelled=len(rows),
        decided=len(decided),
        unsure=sum(row.unsure for row in rows),
        not_measured=sum(row.verdict is None and not row.unsure for row in rows),
        counts=counts_of(rows),
        figures=_figures(rows, _measured),
        majority_class=_majority_class(rows),
        lengths=_by_length(rows),
        risk_coverage=risk_coverage(sure, len(rows)) if sure else (),
        reliability=reliability(sure) if sure else (),
        localisation=_localisation(rows),
        notes=_notes(decided, sure),
    )


def counts_of(rows: Rows) -> Confusion:
    """Labels against verdicts, of what is decided."""
    cells = [(row.label, row.verdict) for row in rows]
    return Confusion(
        true_pass=cells.count(("PASS", "PASS")),
        false_fail=cells.count(("PASS", "FAIL")),
        false_pass=cells.count(("FAIL", "PASS")),
        true_fail=cells.count(("FAIL", "FAIL")),
    )


def _measured(rows: Rows) -> dict[str, float | None]:
    counts = counts_of(rows)
    return {
        "coverage": counts.total / len(rows) if rows else None,
        "accuracy": accuracy(counts),
        "balanced_accuracy": balanced_accuracy(counts),
        "kappa": kappa(counts),
        "precision": precision(counts),
        "true_positive_rate": true_positive_rate(counts),
        "true_negative_rate": true_negative_rate(counts),
        "f1": f1(counts),
        **_sureness_measured(_sureness(rows)),
    }


def _sureness_measured(pairs: Sequence[Sureness]) -> dict[str, float | None]:
    return {"brier": brier(pairs), "ece": calibration_error(pairs), "auroc": auroc(pairs)}


def _sureness(rows: Rows) -> list[Sureness]:
    return [
        (row.confidence, row.right) for row in rows if row.verdict is not None and row.confidence is not None
    ]


# --- figures with intervals ---------------------------------------------------------------


def _figures(rows: Rows, measure: _Measure) -> dict[str, Figure | None]:
    values = measure(rows)
    drawn = percentile_intervals(rows, measure, group=lambda row: row.source)
    shares = _shares(counts_of(rows), len(rows))
    return {name: _figure(value, drawn.get(name), shares.get(name)) for name, value in values.items()}


def _figure(
    value: float | None, drawn: tuple[float, float] | None, share: tuple[int, int] | None
) -> Figure | None:
    if value is None:
        return None
    if share is not None and share[0] in (0, share[1]):
        low, high = extreme_interval(*share)
        return Figure(value=value, interval=Interval(low=low, high=high, method="exact"))
    if drawn is None:
        return Figure(value=value)
    return Figure(value=value, interval=Interval(low=drawn[0], high=drawn[1], method="bootstrap"))


def _shares(counts: Confusion, labelled: int) -> Mapping[str, tuple[int, int]]:
    """The figures that are shares of a number of things: part and whole."""
    judged_pass = counts.true_pass + counts.false_pass
    labelled_pass = counts.true_pass + counts.false_fail
    labelled_fail = counts.true_fail + counts.false_pass
    shares = {
        "coverage": (counts.total, labelled),
        "accuracy": (counts.true_pass + counts.true_fail, counts.total),
        "precision": (counts.true_pass, judged_pass),
        "true_positive_rate": (counts.true_pass, labelled_pass),
        "true_negative_rate": (counts.true_fail, labelled_fail),
    }
    return {name: share for name, share in shares.items() if share[1]}


# --- parts of the report ------------------------------------------------------------------


def _by_length(rows: Rows) -> tuple[LengthBin, ...]:
    """Bins of equal mass: a cap on the length gives away the label, and has a bin of its own then."""
    known = [row for row in rows if row.length is not None]
    bins = equal_mass(known, _length, most=_LENGTH_BINS, least=_IN_A_LENGTH_BIN)
    if len(bins) < 2:
        return ()
    found: list[LengthBin] = []
    for inside in bins:
        figures = _figures(inside, _accuracy_and_kappa)
        found.append(
            LengthBin(
                shortest=min(map(_length, inside)),
                longest=max(map(_length, inside)),
                labelled=len(inside),
                decided=sum(row.verdict is not None for row in inside),
                accuracy=figures["accuracy"],
                kappa=figures["kappa"],
                majority_class=_majority_class(inside) or 0.0,
            )
        )
    return tuple(found)


def _accuracy_and_kappa(rows: Rows) -> dict[str, float | None]:
    counts = counts_of(rows)
    return {"accuracy": accuracy(counts), "kappa": kappa(counts)}


def _length(row: LabelledVerdict) -> int:
    return row.length or 0


def _localisation(rows: Rows) -> Localisation | None:
    located = [(row.true_step, row) for row in rows if row.true_step is not None]
    if not located:
        return None
    steps = [step for step, _ in located]
    faulty = [row for _, row in located]
    agents = [row.true_agent for row in faulty if row.true_agent is not None]
    has_agents = len(agents) == len(faulty)

    def measure(some: Rows) -> dict[str, float | None]:
        pairs = [(row.true_step, row.found_step) for row in some if row.true_step is not None]
        shares = {str(within): share_within(pairs, within) for within in TOLERANCES}
        return {**shares, _AGENT: _named_agents(some)}

    drawn = percentile_intervals(faulty, measure, group=lambda row: row.source)
    accuracies: list[StepAccuracy] = []
    for within in TOLERANCES:
        value = measure(faulty)[str(within)]
        hits = round((value or 0.0) * len(faulty))
        figure = _figure(value, drawn[str(within)], (hits, len(faulty)))
        prior = position_prior(steps, within)
        if figure is not None:
            accuracies.append(StepAccuracy(within=within, judge=figure, position_prior=prior))
    agent: Figure | None = None
    if has_agents and any(row.found_agent is not None for row in faulty):
        share = _named_agents(faulty) or 0.0
        agent = _figure(share, drawn[_AGENT], (round(share * len(faulty)), len(faulty)))
    return Localisation(
        labelled=len(faulty),
        located=sum(row.found_step is not None for row in faulty),
        accuracies=tuple(accuracies),
        agent=agent,
        majority_agent=majority_agent(agents) if has_agents else None,
    )


def _named_agents(rows: Rows) -> float | None:
    """The share of the labelled agents that the judge names; case does not count."""
    pairs = [(row.true_agent.casefold(), row.found_agent) for row in rows if row.true_agent is not None]
    if not pairs:
        return None
    return sum(found is not None and found.casefold() == true for true, found in pairs) / len(pairs)


def held_out(rows: Rows, calibration: Calibration) -> HeldOut:
    """A calibration, on rows that it was not fitted to: what the votes alone say, with their labels."""

    def sureness(some: Rows) -> list[Sureness]:
        return [
            (calibrated_confidence(calibration.curve, row.verdict, row.confidence), row.right)
            for row in some
            if row.verdict is not None and row.confidence is not None
        ]

    figures = _figures(rows, lambda some: _sureness_measured(sureness(some)))
    threshold = calibration.threshold
    kept: list[Sureness] = []
    agreement: Figure | None = None
    if threshold is not None:

        def agreeing(some: Rows) -> dict[str, float | None]:
            over = [right for confidence, right in sureness(some) if confidence >= threshold]
            return {"agreement": sum(over) / len(over) if over else None}

        kept = [pair for pair in sureness(rows) if pair[0] >= threshold]
        drawn = percentile_intervals(rows, agreeing, group=lambda row: row.source)
        right = sum(right for _, right in kept)
        agreement = _figure(
            agreeing(rows)["agreement"] if rows else None, drawn.get("agreement"), (right, len(kept))
        )
    return HeldOut(
        fitted_on=calibration.rows,
        brier=figures["brier"],
        ece=figures["ece"],
        auroc=figures["auroc"],
        threshold=threshold,
        wanted_agreement=calibration.wanted_agreement,
        coverage=None if threshold is None or not rows else len(kept) / len(rows),
        agreement=agreement,
    )


def _majority_class(rows: Rows) -> float | None:
    """Over what is decided: that is what accuracy is of."""
    labels = [row.label for row in rows if row.verdict is not None]
    return max(labels.count("PASS"), labels.count("FAIL")) / len(labels) if labels else None


def _notes(decided: Rows, sure: Sequence[Sureness]) -> tuple[str, ...]:
    notes: list[str] = []
    if len({row.label for row in decided}) == 1:
        notes.append("all labels are the same: agreement beyond chance cannot be seen")
    if len(sure) > 1 and len({confidence for confidence, _ in sure}) == 1:
        notes.append("the confidence never varies: it carries no information about single verdicts")
    if 0 < len(sure) < len(decided):
        notes.append(f"{len(decided) - len(sure)} verdicts have no confidence")
    return tuple(notes)
