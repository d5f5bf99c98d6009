"""What counts of labels against verdicts say."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge_plugins.agreement.statistics.confusion import (
    Confusion,
    accuracy,
    balanced_accuracy,
    chance_probability,
    doubt,
    kappa,
    true_negative_rate,
    true_positive_rate,
)


def counts(true_pass: int, false_fail: int, false_pass: int, true_fail: int) -> Confusion:
    return Confusion(true_pass=true_pass, false_fail=false_fail, false_pass=false_pass, true_fail=true_fail)


tables = st.builds(counts, *[st.integers(0, 30)] * 4)


def test_a_textbook_table() -> None:
    table = counts(20, 5, 10, 15)

    assert accuracy(table) == 0.7
    assert kappa(table) == pytest.approx(0.4)
    assert true_positive_rate(table) == 0.8
    assert true_negative_rate(table) == 0.6
    assert balanced_accuracy(table) == pytest.approx(0.7)


@given(tables)
def test_kappa_is_cohens_definition(table: Confusion) -> None:
    a, b, c, d = table.true_pass, table.false_fail, table.false_pass, table.true_fail
    n = table.total
    expected = None
    if n:
        observed = Fraction(a + d, n)
        chance = Fraction((a + b) * (a + c) + (c + d) * (b + d), n * n)
        expected = float((observed - chance) / (1 - chance)) if chance < 1 else None

    assert kappa(table) == (None if expected is None else pytest.approx(expected))


@pytest.mark.parametrize(("right", "ways"), [(4, 1), (3, 17), (2, 53), (0, 70)])
def test_chance_is_that_of_the_lady_tasting_tea(right: int, ways: int) -> None:
    """Fisher (1935): eight cups, four of each kind, and she knows that there are four."""
    assert chance_probability(counts(right, 4 - right, 4 - right, right)) == pytest.approx(ways / 70)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=9))
def test_chance_is_counted_over_all_ways_to_hand_out_the_verdicts(
    pairs: list[tuple[bool, bool]],
) -> None:
    labels = [label for label, _ in pairs]
    judged = sum(verdict for _, verdict in pairs)
    table = counts(
        sum(label and verdict for label, verdict in pairs),
        sum(label and not verdict for label, verdict in pairs),
        sum(verdict and not label for label, verdict in pairs),
        sum(not label and not verdict for label, verdict in pairs),
    )
    both = [sum(labels[at] for at in chosen) for chosen in combinations(range(len(pairs)), judged)]
    expected = sum(found >= table.true_pass for found in both) / len(both)

    assert chance_probability(table) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        (counts(20, 0, 0, 20), None),
        (counts(20, 0, 20, 0), "near_chance"),  # says PASS to everything
        (counts(10, 10, 10, 10), "near_chance"),
        (counts(0, 20, 20, 0), "near_chance"),  # worse than chance is no better
        (counts(2, 0, 0, 2), "too_few"),
        (counts(40, 0, 0, 0), "too_few"),  # with one label alone nothing can be told
        (counts(30, 10, 0, 0), "too_few"),
        (counts(0, 0, 0, 0), "too_few"),
        (counts(150, 50, 90, 110), None),  # poor, but not chance: kappa 0.3
        (counts(110, 90, 80, 120), "near_chance"),  # told from chance, and hardly of use
    ],
)
def test_when_a_judge_is_doubted(table: Confusion, expected: str | None) -> None:
    assert doubt(table) == expected


@given(tables)
def test_swapping_both_labels_and_verdicts_changes_nothing(table: Confusion) -> None:
    swapped = counts(table.true_fail, table.false_pass, table.false_fail, table.true_pass)

    assert kappa(swapped) == kappa(table)
    assert chance_probability(swapped) == pytest.approx(chance_probability(table))
    assert true_positive_rate(swapped) == true_negative_rate(table)
