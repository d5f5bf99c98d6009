"""Which step was at fault: tolerance, and what is reached without looking."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from adjudge_plugins.agreement.statistics.localisation import majority_agent, position_prior, share_within

steps = st.lists(st.integers(1, 40), min_size=2, max_size=25)


def test_a_step_that_is_not_named_is_missed() -> None:
    pairs = [(3, 3), (3, 4), (3, 8), (3, None)]

    assert [share_within(pairs, within) for within in (0, 1, 3, 5)] == [0.25, 0.5, 0.5, 0.75]
    assert share_within([], 0) is None


def test_a_prior_does_not_know_the_run_that_it_is_measured_on() -> None:
    # Two positions twice each: without the run itself the other one is always more frequent.
    assert position_prior([2, 2, 7, 7], 0) == 0.0
    assert position_prior([2, 2, 2, 7], 0) == 0.75
    assert position_prior([5], 0) is None


@given(steps, st.sampled_from([0, 1, 3, 5]))
def test_the_prior_is_the_best_position_of_all_other_runs(true: list[int], within: int) -> None:
    right = 0
    for at, own in enumerate(true):
        others = true[:at] + true[at + 1 :]
        reached = {
            position: sum(abs(other - position) <= within for other in others)
            for position in range(min(true), max(true) + 1)
        }
        best = min(reached, key=lambda position: (-reached[position], position))
        right += abs(own - best) <= within

    assert position_prior(true, within) == right / len(true)


@given(st.lists(st.sampled_from("abc"), min_size=2, max_size=20))
def test_the_agent_is_the_most_frequent_one_of_all_other_runs(agents: list[str]) -> None:
    right = 0
    for at, own in enumerate(agents):
        others = agents[:at] + agents[at + 1 :]
        right += own == min(set(agents), key=lambda agent: (-others.count(agent), agent))

    assert majority_agent(agents) == right / len(agents)


def test_one_agent_is_no_majority() -> None:
    assert majority_agent(["a"]) is None
