"""Curves from confidence to the probability of being right, and the pass rate behind a judge that errs."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.kit.calibration import Curve
from adjudge.kit.calibration.curve import calibrated_confidence, fit_curve, pass_probability
from adjudge.kit.calibration.isotonic import fit_isotonic, interpolated
from adjudge.kit.calibration.platt import fit_platt, logistic
from adjudge_plugins.agreement.report import LabelledVerdict
from adjudge_plugins.agreement.statistics.confidence import brier
from adjudge_plugins.agreement.statistics.confusion import Confusion, f1, precision
from adjudge_plugins.agreement.statistics.prevalence import corrected_pass_rate

pairs = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=60)


def counts(true_pass: int, false_fail: int, false_pass: int, true_fail: int) -> Confusion:
    return Confusion(true_pass=true_pass, false_fail=false_fail, false_pass=false_pass, true_fail=true_fail)


def rows(*groups: tuple[str, float, int, int]) -> list[LabelledVerdict]:
    """Groups of verdict, confidence, how many are right and how many wrong."""
    other = {"PASS": "FAIL", "FAIL": "PASS"}
    found: list[LabelledVerdict] = []
    for verdict, confidence, right, wrong in groups:
        for at in range(right + wrong):
            label = verdict if at < right else other[verdict]
            found.append(
                LabelledVerdict(
                    source=f"{len(found)}",
                    label=label,  # type: ignore[arg-type]
                    verdict=verdict,  # type: ignore[arg-type]
                    confidence=confidence,
                )
            )
    return found


def judged(*groups: tuple[str, float, int, int]) -> list[tuple[float, bool]]:
    """The same groups, as the judged P(PASS) and whether the label is PASS."""
    return [
        (pass_probability(row.verdict, row.confidence), row.label == "PASS")
        for row in rows(*groups)
        if row.verdict is not None and row.confidence is not None
    ]


# --- isotonic -----------------------------------------------------------------------------


def test_violators_are_pooled() -> None:
    """By hand: 0 1 | 0 0 1 pools to 0, 1/3, 1."""
    found = fit_isotonic([(0.1, False), (0.2, True), (0.3, False), (0.4, False), (0.5, True)])

    assert found == ((0.1, 0.0), (0.2, pytest.approx(1 / 3)), (0.4, pytest.approx(1 / 3)), (0.5, 1.0))


@given(pairs)
def test_the_curve_never_falls_and_keeps_the_mean(found: list[tuple[float, bool]]) -> None:
    points = fit_isotonic(found)
    heights = [interpolated(points, value) for value, _ in sorted(found)]

    assert heights == sorted(heights)
    assert math.fsum(heights) == pytest.approx(sum(outcome for _, outcome in found))


@given(pairs)
def test_no_rising_curve_is_nearer(found: list[tuple[float, bool]]) -> None:
    points = fit_isotonic(found)
    fitted = brier([(interpolated(points, value), outcome) for value, outcome in found])
    share = sum(outcome for _, outcome in found) / len(found)

    assert fitted is not None
    for rising in (lambda _: share, lambda value: value, lambda value: float(value > 0.5)):
        other = brier([(rising(value), outcome) for value, outcome in found])
        assert other is not None
        assert fitted <= other + 1e-12


# --- Platt --------------------------------------------------------------------------------


def test_the_curve_that_made_the_labels_is_found_again() -> None:
    draw = random.Random(3)
    values = [draw.uniform(-4, 4) for _ in range(20_000)]
    found = fit_platt([(value, draw.random() < logistic(1.7 * value - 0.6)) for value in values])

    assert found == pytest.approx((1.7, -0.6), abs=0.08)


def test_the_fit_is_where_the_gradient_vanishes() -> None:
    found = [(-2.0, False), (-1.0, True), (0.0, False), (1.0, True), (2.0, True)]
    slope, intercept = fit_platt(found)
    high, low = 4 / 5, 1 / 4
    residues = [
        (value, (high if outcome else low) - logistic(slope * value + intercept)) for value, outcome in found
    ]

    assert math.fsum(residue for _, residue in residues) == pytest.approx(0, abs=1e-6)
    assert math.fsum(value * residue for value, residue in residues) == pytest.approx(0, abs=1e-6)


@given(st.lists(st.tuples(st.floats(-7, 7), st.booleans()), min_size=1, max_size=40))
def test_labels_of_any_kind_give_a_finite_curve(found: list[tuple[float, bool]]) -> None:
    assert all(map(math.isfinite, fit_platt(found)))


# --- verdicts -----------------------------------------------------------------------------


def test_a_judge_that_is_too_sure_is_told_so() -> None:
    curve = fit_curve(judged(("PASS", 0.95, 70, 30), ("FAIL", 0.95, 70, 30)))

    assert calibrated_confidence(curve, "PASS", 0.95) == pytest.approx(0.7, abs=0.01)
    assert calibrated_confidence(curve, "FAIL", 0.95) == pytest.approx(0.7, abs=0.01)


def test_a_strict_judge_is_worth_more_where_it_passes() -> None:
    curve = fit_curve(judged(("PASS", 0.9, 98, 2), ("FAIL", 0.9, 60, 40)))

    assert calibrated_confidence(curve, "PASS", 0.9) > 0.95
    assert calibrated_confidence(curve, "FAIL", 0.9) == pytest.approx(0.6, abs=0.02)


def test_many_labels_take_the_form_that_they_have() -> None:
    curve = fit_curve(judged(("PASS", 0.9, 480, 120), ("FAIL", 0.9, 480, 120)))

    assert curve.method == "isotonic"
    assert calibrated_confidence(curve, "PASS", 0.9) == pytest.approx(0.8)
    assert calibrated_confidence(curve, "FAIL", 0.9) == pytest.approx(0.8)


@given(st.floats(0.001, 0.999))
def test_a_straight_curve_changes_nothing(confidence: float) -> None:
    for verdict in ("PASS", "FAIL"):
        found = calibrated_confidence(Curve(method="platt"), verdict, confidence)  # type: ignore[arg-type]
        assert found == pytest.approx(confidence)


@given(st.floats(0, 1), st.floats(-3, 3), st.floats(-3, 3))
def test_both_verdicts_of_one_opinion_add_up(confidence: float, slope: float, intercept: float) -> None:
    curve = Curve(method="platt", slope=slope, intercept=intercept)
    both = calibrated_confidence(curve, "PASS", confidence) + calibrated_confidence(
        curve, "FAIL", 1 - confidence
    )

    assert both == pytest.approx(1)


# --- counts -------------------------------------------------------------------------------


def test_precision_and_f1_of_a_textbook_table() -> None:
    table = counts(20, 5, 10, 15)

    assert precision(table) == pytest.approx(2 / 3)
    assert f1(table) == pytest.approx(8 / 11)
    assert precision(counts(0, 3, 0, 4)) is None
    assert f1(counts(0, 0, 0, 4)) is None


def test_the_cows_with_brucellosis() -> None:
    """23 of 150 test positive by a test of TPR 0.96 and TNR 0.89: 5.1 % are ill (the example of epiR::epi.prev)."""
    found = corrected_pass_rate(23, 150, counts(96, 4, 11, 89))

    assert found.judged == pytest.approx(0.1533, abs=1e-4)
    assert found.corrected == pytest.approx(0.051, abs=5e-4)


def test_the_interval_of_lang_and_reiczigel() -> None:
    """Worked by hand from equations 4, 6, 7, 16 and 17 for 50 of 100, TPR 9/10, TNR 9/10.

    TPR' = TNR' = 10/12, n' = 103.8415, judged' = 1/2, rate' = 1/2, shift 0;
    variance = (0.25 / 103.8415 + 2 x 0.25 x (10/12)(2/12) / 12) / (8/12)^2 = 0.018437.
    """
    found = corrected_pass_rate(50, 100, counts(9, 1, 1, 9))

    assert found.corrected == pytest.approx(0.5)
    assert found.interval == pytest.approx((0.5 - 1.959964 * 0.135782, 0.5 + 1.959964 * 0.135782), abs=1e-4)


@given(st.integers(0, 60), st.builds(counts, *[st.integers(0, 40)] * 4))
def test_a_corrected_rate_is_a_rate(passes: int, known: Confusion) -> None:
    found = corrected_pass_rate(passes, 60, known)

    if found.corrected is not None and found.interval is not None:
        assert 0 <= found.corrected <= 1
        assert 0 <= found.interval[0] <= found.interval[1] <= 1


def test_a_judge_at_chance_corrects_nothing() -> None:
    assert corrected_pass_rate(30, 60, counts(10, 10, 10, 10)).corrected is None
    assert corrected_pass_rate(30, 60, counts(10, 0, 0, 0)).corrected is None


def test_an_interval_holds_the_truth_about_as_often_as_it_says() -> None:
    draw = random.Random(11)
    held = 0
    for _ in range(300):
        tp = sum(draw.random() < 0.8 for _ in range(40))
        tn = sum(draw.random() < 0.9 for _ in range(60))
        judged = sum(draw.random() < (0.8 if draw.random() < 0.35 else 0.1) for _ in range(150))
        low, high = corrected_pass_rate(judged, 150, counts(tp, 40 - tp, 60 - tn, tn)).interval or (1, 0)
        held += low <= 0.35 <= high
    assert held / 300 >= 0.92
