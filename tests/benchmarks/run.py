"""The numbers, side by side with google-adk in an environment of its own: ``python tests/benchmarks/run.py``.

Needs Python alone: it makes the environments that it measures in. Nothing here asserts a time.
``run.py ai-judge`` measures how logs are read and judged, on a page of its own.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

import adk_agents
import ai_judge
import evaluate
import install_size
import judging
import page
import peers
import pytest_items
import rouge
import scale
import startup
import trajectory
from environments import (
    ADK_VARIABLE,
    REPOSITORY,
    Environments,
    adjudge_environment,
    adk_environment,
    peers_environment,
)
from table import Figure, Row, Scale

FAMILIES: Final[dict[str, Callable[[Environments, int], Iterable[Row]]]] = {
    "startup": startup.rows,
    "evaluate": evaluate.rows,
    "adk-agents": adk_agents.rows,
    "rouge": rouge.rows,
    "trajectory": trajectory.rows,
    "scoring": scale.rows,
    "judging": judging.rows,
    "install": install_size.rows,
    "pytest": pytest_items.rows,
}
SIZES: Final = (1_000, 10_000)
FULL: Final = (*SIZES, 100_000)
WORK: Final = REPOSITORY / ".nox" / "benchmarks"


def main(arguments: Sequence[str]) -> None:
    """Measure what is asked for, print it, and write the page."""
    given = os.environ.get(ADK_VARIABLE)
    if arguments[:1] == [ai_judge.COMMAND]:
        ai_judge.main(arguments[1:], WORK, Path(given) if given else None)
        return
    options = _options(arguments, given)
    work: Path = options.work
    work.mkdir(parents=True, exist_ok=True)
    _say("environments")
    environments = Environments(
        adjudge=adjudge_environment(work),
        adk=adk_environment(work, options.adk_python),
        peers=peers_environment(work) if options.peers else None,
        work=work,
    )
    rows = list(_measured(environments, options.only, options.rounds))
    beside_peers = [*_shown(peers.rows(environments, options.rounds))] if options.peers else []
    sizes: list[Scale] = []
    if "scale" in options.only:
        _say("scale")
        sizes = list(scale.sizes(environments, FULL if options.full else SIZES))
    judges: list[Figure] = []
    if "judging" in options.only:
        for figure in judging.figures(environments, options.rounds):
            _say(f"  {figure.work}: {figure.value:.4g} {figure.unit}")
            judges.append(figure)
    text = page.text(environments, options.rounds, _measurements(options), rows, beside_peers, sizes, judges)
    sys.stdout.write(text)
    if options.write is not None:
        options.write.write_text(text, encoding="utf-8")


def _options(arguments: Sequence[str], given: str | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    choices = [*FAMILIES, "scale"]
    parser.add_argument(
        "--adk-python",
        type=Path,
        default=Path(given) if given else None,
        help=f"an interpreter that has google-adk[eval] and nothing else (default: ${ADK_VARIABLE}, or a new one)",
    )
    parser.add_argument("--rounds", type=int, default=5, help="measured rounds after a warm-up (default: 5)")
    parser.add_argument("--only", nargs="+", choices=choices, default=choices, help="the rows to measure")
    parser.add_argument("--full", action="store_true", help="scale up to 100,000 cases")
    parser.add_argument("--peers", action="store_true", help="measure pydantic-evals too")
    parser.add_argument(
        "--work",
        type=Path,
        default=WORK,
        help="where environments and data are kept (default: .nox/benchmarks)",
    )
    parser.add_argument("--write", type=Path, metavar="PAGE", help="write the page, for the documentation")
    return parser.parse_args(arguments)


def _measurements(options: argparse.Namespace) -> str:
    """The arguments that decide what is measured, for the page; where things are kept is nobody's business."""
    chosen = [] if options.only == [*FAMILIES, "scale"] else ["--only", *options.only]
    flags = [f"--{name}" for name in ("full", "peers") if getattr(options, name)]
    written = ["--write", options.write.as_posix()] if options.write is not None else []
    return " ".join([*chosen, "--rounds", str(options.rounds), *flags, *written])


def _measured(environments: Environments, families: Sequence[str], rounds: int) -> Iterator[Row]:
    for name, rows in FAMILIES.items():
        if name in families:
            _say(name)
            yield from _shown(rows(environments, rounds))


def _shown(rows: Iterable[Row]) -> Iterator[Row]:
    for row in rows:
        _say(f"  {row.work}: {row.other:.4g} against {row.adjudge:.4g} {row.unit}")
        yield row


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
