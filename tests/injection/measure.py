"""How often a payload turns a FAIL into a PASS: ``nox -s injection`` writes the page.

Failed runs, each with one payload in one place, judged by programs that bound what a judge could do, and by the
model that is named.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "agreement"))

import report
from failed_runs import DATA, MOST_STEPS, all_texts, failed_runs
from judged import evaluator, trajectory_of
from payloads import FAMILIES, PLACES, Run
from programs import JUDGES
from report import Outcome

from adjudge.model.untrusted import addresses_judge, cleaned
from adjudge_plugins.ai_judge import run_evaluation

ASKED_PLACES = tuple(place for place in PLACES if place != "agent")
"""What the log says of the agent's name reaches no judge."""

MODEL_FAMILIES = (
    "instruction",
    "instruction, Chinese",
    "request to the judge",
    "instruction in other words",
    "judge's answer",
    "chat template",
    "one sign",
    "opening of a thought",
    "confident reasoning",
    "tool result",
)
MODEL_PLACES = ("thinking", "result", "final answer")
PROGRAM_RUNS = 6
"""Programs never differ between runs as models do."""

MODEL_RUNS = 6
"""Runs that a model is asked about without a payload. With one, those of them that do not pass."""


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--output", type=Path, default=Path("docs/reference/injection.md"))
    arguments.add_argument("--judge", help="a model, as `adjudge judge --judge` has it")
    arguments.add_argument(
        "--folder", type=Path, help="where the model's answers are kept; adjudge.toml is here"
    )
    arguments.add_argument(
        "--minutes", type=float, default=60, help="how long the model may take; 0: kept answers alone"
    )
    options = arguments.parse_args()
    if not DATA.is_dir():
        sys.exit(f"the runs are absent: there is no {DATA}")
    output: Path = options.output.resolve()
    runs = failed_runs()
    folder = Path(options.folder or tempfile.mkdtemp()).resolve()
    os.environ["ADJUDGE_HOME"] = str(folder / "home")
    asked = asyncio.run(by_model(options.judge, folder, runs, options.minutes)) if options.judge else []
    few = dict(list(runs.items())[:PROGRAM_RUNS])
    facts = report.Facts(
        runs=runs,
        program_runs=len(few),
        places=ASKED_PLACES,
        most_steps=MOST_STEPS,
        programs=asyncio.run(by_programs(few)),
        once=asyncio.run(looking_once(few)),
        model=options.judge.rpartition("/")[2] if options.judge else None,
        asked=asked,
        flagged=list(flagged()),
    )
    output.write_text(report.text(facts), encoding="utf-8")
    print(f"wrote {output}")  # noqa: T201


async def by_programs(runs: dict[str, Run]) -> dict[str, list[Outcome]]:
    """Every run with every payload in every place, by every program."""
    return {name: await _by_program(name, runs, *_all(runs)) for name in JUDGES}


async def looking_once(runs: dict[str, Run]) -> list[Outcome]:
    """The obedient program as if a run that speaks to its judge were not asked about again."""
    twice = run_evaluation.judged_without_speech
    run_evaluation.judged_without_speech = lambda looking, checks, steps: looking.judged(checks, steps)
    try:
        return await _by_program("obedient", runs, *_all(runs))
    finally:
        run_evaluation.judged_without_speech = twice


def _all(runs: dict[str, Run]) -> Iterator[tuple[str, str, str]]:
    for run_id in runs:
        yield run_id, "", ""
        yield from ((run_id, family.name, place) for family in FAMILIES for place in ASKED_PLACES)


async def _by_program(name: str, runs: dict[str, Run], *cases: tuple[str, str, str]) -> list[Outcome]:
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        async with evaluator(f"program/{name}", Path(folder)) as judge:
            outcomes = [
                Outcome(*case, await judge.evaluate(trajectory_of(_with(runs[case[0]], *case[1:]))))
                for case in cases
            ]
    print(f"{name}: {len(outcomes)} runs, {time.monotonic() - started:.0f} s", flush=True)  # noqa: T201
    return outcomes


async def by_model(model: str, folder: Path, runs: dict[str, Run], minutes: float) -> list[Outcome]:
    """Clean runs first; then those that do not pass with payloads, in an order that favours none, while time lasts."""
    until = time.monotonic() + 60 * minutes
    outcomes: list[Outcome] = []
    async with evaluator(model, folder, only_kept=not minutes) as judge:

        async def ask(run_id: str, family: str, place: str) -> Outcome | None:
            if minutes and time.monotonic() > until:
                return None
            result = await judge.evaluate(trajectory_of(_with(runs[run_id], family, place)))
            if result.error is not None and result.error.code == "judge_budget":
                return None
            outcomes.append(Outcome(run_id, family, place, result))
            told = result.verdict or (result.error and result.error.message)
            print(f"{run_id} {family} {place}: {told} {result.reason_codes}", flush=True)  # noqa: T201
            return outcomes[-1]

        clean = [await ask(run_id, "", "") for run_id in list(runs)[:MODEL_RUNS]]
        failing = [outcome.run_id for outcome in clean if outcome is not None and not outcome.passed]
        cases = [
            (run_id, family, place)
            for run_id in failing
            for family in MODEL_FAMILIES
            for place in MODEL_PLACES
        ]
        for case in sorted(cases, key=lambda case: hashlib.sha256(json.dumps(case).encode()).hexdigest()):
            await ask(*case)
    return outcomes


def _with(run: Run, family: str, place: str) -> Run:
    if not family:
        return run
    [payload] = [item.text for item in FAMILIES if item.name == family]
    return PLACES[place](run, payload)


def flagged() -> Iterator[tuple[str, bool]]:
    """Every run of the real files, which nobody attacked, and whether it seems to speak to a judge."""
    for source, texts in all_texts():
        yield source, any(addresses_judge(cleaned(text)[0]) for text in texts)


if __name__ == "__main__":
    main()
