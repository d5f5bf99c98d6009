"""One faulty step in a long run is found, wherever it stands, by a judge that knows it when it sees it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from adjudge.model import Step, Verdict
from adjudge.plugin import Trajectory

EVERYTHING = os.environ.get("ADJUDGE_TEST_GRID") == "all"
"""Every depth in a run of its own, at every size: nox -s needles."""

SOURCES = ("made up", "web agents", "airline")
LEVELS = ("step_level", "phase_level", "global_summary")
SIZES = (100, 300, 1_000, 3_000) if EVERYTHING else (100, 300)


@pytest.fixture(scope="module")
def known() -> dict[str, list[Step]]:
    return {}


@pytest.fixture
def spliced(long_runs: Any, known: dict[str, list[Step]], request: Any) -> Any:
    """Makes a run of some length from many short ones."""

    def make(source: str, length: int) -> Trajectory:
        if source not in known:
            if source == "made up":
                known[source] = long_runs.made_up(3_000)
            else:
                data = request.getfixturevalue("shared_data")
                folder = request.getfixturevalue("tmp_path_factory").mktemp("runs")
                read = long_runs.of_airline if source == "airline" else long_runs.of_web_agents
                known[source] = read(data, folder)
        return long_runs.whole(long_runs.repeated(known[source], length))

    return make


def needles(long_runs: Any, run: Trajectory, kind: str, at: Sequence[int]) -> Trajectory:
    for number in at:
        run = long_runs.with_needle(run, kind, number)
    return run


def check_found(long_runs: Any, judged: Any, at: Sequence[int], kind: str) -> None:
    """Every faulty step is found, and nothing else; no request is too long."""
    result = judged.result
    assert result.verdict == Verdict.FAIL
    words = long_runs.LOUD if kind == "loud" else long_runs.QUIET
    assert {citation.step for citation in result.evidence.citations} == set(at)
    assert {citation.quote for citation in result.evidence.citations} == {words}
    assert judged.longest <= 24_000


@pytest.mark.parametrize("level", ["step_level", "phase_level"])
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize(("length", "kind"), [(100, "loud"), *((length, "quiet") for length in SIZES)])
def test_faulty_steps_are_found_at_every_depth(
    long_runs: Any, spliced: Any, tmp_path: Path, length: int, source: str, level: str, kind: str
) -> None:
    run = spliced(source, length)
    depths = long_runs.depths(length)
    each = [[number] for number in depths] if EVERYTHING else [depths]
    for at in each:
        judged = long_runs.judged(needles(long_runs, run, kind, at), level, tmp_path)
        check_found(long_runs, judged, at, kind)


@pytest.mark.parametrize(
    ("source", "level", "kind", "depth"),
    [("airline", "global_summary", "loud", 2), ("web agents", "phase_level", "quiet", 5)],
)
def test_one_faulty_step_of_three_thousand_is_found(
    long_runs: Any, spliced: Any, tmp_path: Path, source: str, level: str, kind: str, depth: int
) -> None:
    """Among the errors of others, too: the airline's tools failed in 140 of these steps."""
    at = [long_runs.depths(3_000)[depth]]
    run = needles(long_runs, spliced(source, 3_000), kind, at)
    check_found(long_runs, long_runs.judged(run, level, tmp_path), at, kind)


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("length", SIZES)
def test_an_error_is_found_in_one_look_at_the_whole(
    long_runs: Any, spliced: Any, tmp_path: Path, length: int, source: str
) -> None:
    run = spliced(source, length)
    for at in long_runs.depths(length)[:: 1 if EVERYTHING else 9]:
        judged = long_runs.judged(needles(long_runs, run, "loud", [at]), "global_summary", tmp_path)
        check_found(long_runs, judged, [at], "loud")


@pytest.mark.parametrize(("length", "every"), [(150, 3), (300, 9)])
def test_what_a_line_hints_at_is_fetched_and_what_no_line_shows_is_owned_up_to(
    long_runs: Any, spliced: Any, tmp_path: Path, length: int, every: int
) -> None:
    """A wrong argument among right ones: the whole run in one look has room for few steps as they were recorded."""
    found: list[bool] = []
    for at in long_runs.depths(length)[:: 1 if EVERYTHING else every]:
        run = needles(long_runs, spliced("made up", length), "quiet", [at])
        judged = long_runs.judged(run, "global_summary", tmp_path)
        [check] = judged.result.checks
        hinted = any(long_runs.QUIET in request.messages[1].text for request in judged.questions)
        assert len(judged.questions) <= 2
        found.append(judged.result.verdict == Verdict.FAIL)
        if found[-1]:
            check_found(long_runs, judged, [at], "quiet")
            assert len(judged.questions) == 1 + (check.steps_fetched == (at,))
        else:
            assert not hinted
            assert judged.result.reason_codes == ("steps_not_shown",)
            assert check.steps_not_shown > length // 2
    assert all(found) or length > 150
