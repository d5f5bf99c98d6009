"""Judges: google-adk's own ``final_response_match_v2`` beside adjudge's, and what the judge client costs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import eval_sets
from environments import Environments, script
from measure import in_turns, median, process, worker
from table import Figure, Row, at_most, faster

_VOTES: Final = 5
_SECONDS: Final = "0.2"
_AGREEMENTS: Final = ("1.0", "0.9", "0.8")
_OVERHEAD_CALLS: Final = 2000
_IN_FLIGHT: Final = 64
_MANY: Final = 10_000


def rows(environments: Environments, rounds: int) -> Iterator[Row]:
    """Judging answers that were already given, by a judge that takes 0.2 s a call, inside one process each."""
    folder = environments.folder("judging")
    cases = 40
    expected, recorded = _sets(folder, cases)
    found = in_turns(
        {
            "adk": lambda: worker(environments.adk, "adk_judging", folder, str(cases), str(_VOTES), _SECONDS),
            "adjudge": lambda: _judged(environments, folder, expected, recorded, agreement="1.0"),
        },
        min(rounds, 3),
    )
    if {run["passed"] for side in found.values() for run in side} != {cases}:
        raise RuntimeError("the judges' verdicts differ")
    seconds = [median([run["seconds"] for run in found[side]]) for side in ("adk", "adjudge")]
    calls = [median([run["calls"] for run in found[side]]) for side in ("adk", "adjudge")]
    yield Row(f"{cases} answers, {_VOTES} votes of {_SECONDS} s each, defaults", "s", *seconds, faster(6))
    yield Row(f"{cases} answers, {_VOTES} votes each: calls made", "calls", *calls)


def figures(environments: Environments, rounds: int) -> Iterator[Figure]:
    """What the early stop saves, and what the client costs."""
    folder = environments.folder("judging")
    expected, recorded = _sets(folder, 1000)
    for agreement in _AGREEMENTS:
        early, all_votes = (
            _judged(environments, folder, expected, recorded, seconds="0", agreement=agreement, early=early)
            for early in ("early", "all")
        )
        if early["verdicts"] != all_votes["verdicts"]:
            raise RuntimeError(f"the early stop changes verdicts at an agreement of {agreement}")
        saved = 100 * (1 - early["calls"] / all_votes["calls"])
        work = f"calls saved by the early stop, votes that agree with probability {agreement}, equal verdicts"
        yield Figure(work, "%", saved)
    command = [script(environments.adjudge, "adjudge"), "eval"]
    yield from _whole_process(environments, folder, command, rounds)
    overhead = [
        worker(environments.adjudge, "adjudge_judge_client", folder, str(_OVERHEAD_CALLS), str(_IN_FLIGHT))[
            "ms"
        ]
        for _ in range(rounds)
    ]
    yield Figure(f"added to a call by the client, {_IN_FLIGHT} at a time", "ms", median(overhead), at_most(2))
    expected, recorded = _sets(folder, _MANY)
    arguments = _arguments(expected, recorded, "1", "0", "1.0", "early")
    sample = process([environments.adjudge, _WORKERS / "adjudge_judging.py", *arguments], folder)
    yield Figure(f"peak memory of {_MANY:,} judged answers, one call each", "MiB", sample.peak_bytes / 2**20)


_WORKERS: Final = Path(__file__).parent / "workers"


def _whole_process(
    environments: Environments, folder: Path, command: list[Path | str], rounds: int
) -> Iterator[Figure]:
    """From the start of ``adjudge eval`` to its end, with a judge behind HTTP."""
    import slow_judge

    for cases, seconds, target, work in (
        (40, 0.2, at_most(1), "`adjudge eval`, 40 judge calls of 0.2 s over HTTP"),
        (1, 0.0, None, "`adjudge eval`, 1 judge call that is answered at once: start-up of a judged run"),
    ):
        expected, recorded = _sets(folder, cases)
        config = folder / "one_vote.json"
        config.write_text(
            '{"criteria": {"final_response_match_v2": '
            '{"threshold": 1.0, "judge_model_options": {"num_samples": 1}}}}',
            encoding="utf-8",
        )
        with slow_judge.serving(seconds) as address:
            (folder / ".env").write_text(f"OPENAI_BASE_URL={address}/v1\n", encoding="utf-8")
            run = [
                *command,
                f"recorded:{recorded.name}",
                expected.name,
                "--judge",
                "openai/slow",
                "--no-cache",
            ]
            samples = [process([*run, "--config_file_path", config.name], folder) for _ in range(rounds + 1)]
        yield Figure(work, "s", median([sample.seconds for sample in samples[1:]]), target)


def _sets(folder: Path, cases: int) -> tuple[Path, Path]:
    """What is expected, and a recording with other words in every case: equal answers need no judge."""
    expected = eval_sets.write(folder / f"{cases}_expected.evalset.json", cases, 1)
    return expected, eval_sets.write(folder / f"{cases}_recorded.evalset.json", cases, 1, wrong_every=1)


def _judged(
    environments: Environments,
    folder: Path,
    expected: Path,
    recorded: Path,
    *,
    agreement: str,
    seconds: str = _SECONDS,
    early: str = "early",
) -> Any:
    arguments = _arguments(expected, recorded, str(_VOTES), seconds, agreement, early)
    return worker(environments.adjudge, "adjudge_judging", folder, *arguments)


def _arguments(expected: Path, recorded: Path, *more: str) -> list[Path | str]:
    return [expected, recorded, *more]
