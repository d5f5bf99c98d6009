"""Confidence against rightness: Brier, calibration error, AUROC, curves, thresholds."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge_plugins.agreement.statistics.binomial import at_most, extreme_interval
from adjudge_plugins.agreement.statistics.bins import equal_mass
from adjudge_plugins.agreement.statistics.bootstrap import percentile_intervals
from adjudge_plugins.agreement.statistics.confidence import auroc, brier, calibration_error, reliability
from adjudge_plugins.agreement.statistics.selective import risk_coverage, threshold_for

levels = st.sampled_from([0.5, 0.6875, 0.75, 0.875, 0.9375])
pairs = st.lists(st.tuples(levels | st.floats(0, 1), st.booleans()), max_size=60)
some_pairs = pairs.filter(bool)


# --- known values -------------------------------------------------------------------------


def test_the_forecasts_of_rain() -> None:
    """By hand: (0.1 - 0)^2 + (0.9 - 1)^2 + (0.8 - 1)^2 + (0.3 - 0)^2 over 4."""
    assert brier([(0.1, False), (0.9, True), (0.8, True), (0.3, False)]) == pytest.approx(0.0375)


def test_the_area_of_a_small_example() -> None:
    """The example of scikit-learn's roc_auc_score: scores .1 .4 .35 .8 of the classes 0 0 1 1."""
    assert auroc([(0.1, False), (0.4, False), (0.35, True), (0.8, True)]) == 0.75


def test_a_judge_that_is_sure_and_right_four_times_of_five() -> None:
    assert calibration_error([(0.9, True)] * 16 + [(0.9, False)] * 4) == pytest.approx(0.1)


def test_one_bin_does_not_let_errors_of_another_cancel() -> None:
    over = [(0.9, True)] * 5 + [(0.9, False)] * 5
    under = [(0.6, True)] * 10

    assert calibration_error(over + under) == pytest.approx(0.4)


def test_nothing_is_said_of_nothing() -> None:
    assert brier([]) is None
    assert calibration_error([]) is None
    assert auroc([]) is None
    assert auroc([(0.5, True), (0.9, True)]) is None
    assert threshold_for([], 0.9) is None


@pytest.mark.parametrize(
    ("successes", "trials", "expected"),
    # The rule of three, exactly: 1 - 0.025^(1/10), as in the tables of Clopper and Pearson.
    [(0, 10, (0.0, 0.30850)), (10, 10, (0.69150, 1.0)), (1, 1, (0.025, 1.0))],
)
def test_an_interval_where_everything_is_alike(
    successes: int, trials: int, expected: tuple[float, float]
) -> None:
    assert extreme_interval(successes, trials) == pytest.approx(expected, abs=1e-5)


def test_an_exact_interval_is_only_for_none_and_all() -> None:
    with pytest.raises(ValueError, match="3 of 5"):
        extreme_interval(3, 5)


# --- properties ---------------------------------------------------------------------------


@given(st.integers(0, 30), st.integers(1, 30), st.fractions(0, 1, max_denominator=20))
def test_the_binomial_tail_is_the_sum_of_its_terms(successes: int, trials: int, chance: Fraction) -> None:
    exact = sum(
        math.comb(trials, wins) * chance**wins * (1 - chance) ** (trials - wins)
        for wins in range(min(successes, trials) + 1)
    )

    assert at_most(successes, trials, float(chance)) == pytest.approx(float(exact), abs=1e-12)


@given(some_pairs)
def test_the_area_is_the_share_of_pairs_in_order(found: list[tuple[float, bool]]) -> None:
    rights = [confidence for confidence, right in found if right]
    wrongs = [confidence for confidence, right in found if not right]
    expected = None
    if rights and wrongs:
        wins = sum((r > w) + 0.5 * (r == w) for r, w in product(rights, wrongs))
        expected = wins / (len(rights) * len(wrongs))

    assert auroc(found) == (None if expected is None else pytest.approx(expected))


@given(some_pairs)
def test_bins_hold_everything_once_and_part_nothing_that_is_equal(found: list[tuple[float, bool]]) -> None:
    bins = equal_mass(found, lambda pair: pair[0], most=10, least=10)

    assert sorted(pair for inside in bins for pair in inside) == sorted(found)
    assert 1 <= len(bins) <= max(1, min(10, len(found) // 10))
    for left, right in pairwise(bins):
        assert max(left)[0] < min(right)[0]


@given(some_pairs)
def test_errors_of_calibration_are_bounded_and_do_not_see_the_order(found: list[tuple[float, bool]]) -> None:
    error = calibration_error(found)

    assert error is not None
    assert 0 <= error <= 1
    assert calibration_error(found[::-1]) == pytest.approx(error)
    assert sum(inside.count for inside in reliability(found)) == len(found)


@given(some_pairs, st.integers(0, 20))
def test_the_curve_ends_at_what_is_decided(found: list[tuple[float, bool]], unsure: int) -> None:
    curve = risk_coverage(found, len(found) + unsure)

    assert curve[-1].coverage == pytest.approx(len(found) / (len(found) + unsure))
    assert curve[-1].agreement == pytest.approx(sum(right for _, right in found) / len(found))
    assert [point.confidence for point in curve] == sorted({c for c, _ in found}, reverse=True)
    for point in curve:
        kept = [right for confidence, right in found if confidence >= point.confidence]
        assert point.agreement == pytest.approx(sum(kept) / len(kept))


@given(some_pairs, st.sampled_from([0.5, 0.8, 0.9]))
def test_a_threshold_is_shown_by_what_lies_above_it(found: list[tuple[float, bool]], wanted: float) -> None:
    threshold = threshold_for(found, wanted)

    if threshold is not None:
        above = [right for confidence, right in found if confidence >= threshold]
        assert sum(above) / len(above) > wanted
        assert at_most(above.count(False), len(above), 1 - wanted) <= 0.05


def test_a_threshold_from_the_confidence_that_separates() -> None:
    sure = [(0.9, True)] * 60
    unsure = [(0.6, True)] * 30 + [(0.6, False)] * 30

    assert threshold_for(sure + unsure, 0.95) == 0.9
    assert threshold_for(sure + unsure, 0.6) == 0.6
    # 58 right ones in a row are the fewest that show 95 %: 0.95^58 > 0.05 > 0.95^59.
    assert threshold_for([(0.9, True)] * 58, 0.95) is None
    assert threshold_for([(0.9, True)] * 59, 0.95) == 0.9


def test_no_label_shows_that_a_judge_never_errs() -> None:
    assert threshold_for([(0.9, True)] * 500, 1.0) is None


def test_a_threshold_keeps_its_promise_over_many_label_sets() -> None:
    """The judge is right with exactly the wanted probability at every confidence: any threshold is one error."""
    import random

    draw = random.Random(7)
    wrongly = 0
    for _ in range(400):
        found = [(level / 10, draw.random() < 0.8) for level in range(10) for _ in range(20)]
        wrongly += threshold_for(found, 0.8) is not None
    assert wrongly / 400 <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 400)


# --- drawing again ------------------------------------------------------------------------


def mean(rows: list[tuple[str, float]]) -> dict[str, float | None]:
    return {"mean": sum(value for _, value in rows) / len(rows)}


def test_the_same_seed_gives_the_same_interval() -> None:
    rows = [(str(at), float(at % 7)) for at in range(50)]

    def interval(seed: int) -> object:
        return percentile_intervals(rows, lambda some: mean(list(some)), group=lambda row: row[0], seed=seed)

    assert interval(1) == interval(1)
    assert interval(1) != interval(2)


def test_an_interval_is_about_as_wide_as_theory_has_it() -> None:
    rows = [(str(at), float(at % 2)) for at in range(400)]
    drawn = percentile_intervals(rows, lambda some: mean(list(some)), group=lambda row: row[0])
    found = drawn["mean"]

    assert found is not None
    # 1.96 standard errors of a share of one half of 400.
    assert found == pytest.approx((0.5 - 0.049, 0.5 + 0.049), abs=0.012)


def test_rows_of_one_run_are_drawn_together() -> None:
    rows = [(str(at), float(at % 2)) for at in range(40) for _ in range(10)]
    together = percentile_intervals(rows, lambda some: mean(list(some)), group=lambda row: row[0])["mean"]
    apart = percentile_intervals(rows, lambda some: mean(list(some)), group=id)["mean"]

    assert together is not None
    assert apart is not None
    assert together[1] - together[0] > 2 * (apart[1] - apart[0])


def test_what_is_undefined_or_never_varies_has_no_interval() -> None:
    rows = [("a", 1.0), ("b", 1.0)]
    drawn = percentile_intervals(rows, lambda some: {"always": 1.0, "never": None}, group=lambda row: row[0])

    assert drawn == {"always": None, "never": None}
    assert percentile_intervals([], lambda some: {"x": 1.0}, group=id) == {}
