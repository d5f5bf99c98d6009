"""The numbers of AI Judge: reading and aggregating logs, memory, and what is asked of a judge.

``python tests/benchmarks/run.py ai-judge``. Nothing here asserts a time.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, TypeVar

import judge_calls
import log_memory
import log_ratio
import log_reading
import page
from environments import (
    Environments,
    adjudge_environment,
    adk_environment,
    logs_environment,
    versions,
)
from table import comparison

COMMAND: Final = "ai-judge"
SECTIONS: Final = ("reading", "alone", "growth", "memory", "calls")
SIZES: Final = (1_000, 10_000, 100_000)

_METHOD: Final = """\
# Benchmarks of AI Judge

Made by `nox -s bench -- {arguments}`; no figure on this page is written by hand.

adjudge is installed from the wheel of the checkout, into an environment of its own, and so are the tools beside it. Logs are
made by code with fixed seeds, in the public shapes of their formats. Times are those of whole processes, from the start of the
command to its end, with the JSON report written. Peak memory is the largest resident set that the operating system saw. Where
medians are shown, the sides take turns on the same machine, after a warm-up.
"""

_READING: Final = """\
## Reading and aggregating

`adjudge judge LOG --aggregate-only --granularity NAME --output result.json` on one run of {steps:,} steps, in {kinds} formats:
recognised, read, divided into sub-tasks, aggregated, printed and written. Medians of {rounds} rounds.

`json` is the floor beside it: Python's `json.load` and `json.dumps` of the same file, in a process of its own, which is what any
program pays that holds the file as objects and writes it again. It checks nothing, knows no steps and
summarises nothing, so that a ratio above 1 is the price of all that adjudge does: it says how many times `json` the slowest granularity takes.
"""

_BESIDE: Final = """\
## Beside the formats' own libraries

The library reads the same file into its model and writes it as JSON again; adjudge reads it, divides it and aggregates it at step
level. The ratio says how many times better adjudge is; below 1 it is worse.
"""

_ALONE: Final = """\
## Reading alone

`adjudge.read_log` of one run of {steps:,} steps beside `json.load` of the same file: seconds of the processor, and by how much
the process grew at most, after both sides have read a small file. The start of the program is no part of it. Medians of {rounds} rounds.
`json` checks nothing, and its objects know no steps, calls and results. The goals are {time} times the time and {memory} times the memory.
"""

_GROWTH: Final = """\
## Growing logs

One run a size. The milliseconds a step are those of the processor: where they stay the same, the work grows with the steps and
no faster. At 1,000 steps most of them are the start of the program.
"""

_MEMORY: Final = """\
## Memory on logs of {mib} MB

The same command at step level, one run each. `json` holds the file as objects and writes it, as above; JSON Lines line by line.
A picture is never held: a step says that it was there. A text is held, because it can be
cited. Of many runs, their results are held until the report is written.
"""

_CALLS: Final = """\
## What is asked of a judge

One log, {criteria} criteria with {checks} checks that are given, the default budget of {budget:,} tokens a request. Two criteria speak of steps, two
of phases and two of the whole run, so that `auto` judges two at each granularity. {source}. The judge is a program that answers at once. It says that every check is
met, or, where everything fails, that none is: then `auto` looks closer for the place. It asks for none of the steps that
it was shown shortened; each time that a judge does costs a further call.

`step_level` is judging everything at step level, and the ratio says how many times as many tokens it takes. Tokens are counted as adjudge
does when it keeps to a budget, the schema of the answer included, with one vote; calls to write are those for names of sub-tasks and for summaries. o200k
is what OpenAI's vocabulary of that name makes of the same messages, without the schema. With the default of {votes} votes, a
decision that cannot change any more ends early. The last column is how long adjudge itself takes with one vote.
"""

_Item = TypeVar("_Item")


def main(arguments: Sequence[str], work: Path, adk_python: Path | None) -> None:
    """Measure, print, and write the page.

    Args:
        arguments: Those after the name of these benchmarks.
        work: Where environments and data are kept, unless ``--work`` says otherwise.
        adk_python: An interpreter that has google-adk; ``None``: one is made.
    """
    options = _options(arguments, work)
    options.work.mkdir(parents=True, exist_ok=True)
    _say("environments")
    environments = Environments(
        adjudge=adjudge_environment(options.work),
        adk=adk_environment(options.work, adk_python),
        peers=None,
        logs=logs_environment(options.work),
        work=options.work,
    )
    parts = {
        "reading": lambda: _reading(environments, options.rounds),
        "alone": lambda: [
            _ALONE.format(
                steps=log_ratio.STEPS,
                rounds=options.rounds,
                time=log_ratio.TIME_GOAL,
                memory=log_ratio.MEMORY_GOAL,
            ),
            log_ratio.listed(_kept(log_ratio.ratios(environments, options.rounds))),
        ],
        "growth": lambda: [_GROWTH, log_reading.scaled(_kept(log_reading.growth(environments, SIZES)))],
        "memory": lambda: [
            _MEMORY.format(mib=log_memory.MIB),
            log_memory.listed(_kept(log_memory.memories(environments))),
        ],
        "calls": lambda: _calls(environments),
    }
    measured = [text for name in SECTIONS if name in options.only for text in _said(name, parts[name])]
    tools = _versions(environments)
    text = "\n\n".join(
        part.rstrip("\n")
        for part in (_METHOD.format(arguments=_command(options)), page.machine(tools), *measured)
    )
    sys.stdout.write(f"{text}\n")
    if options.write is not None:
        options.write.write_text(f"{text}\n", encoding="utf-8")


def _reading(environments: Environments, rounds: int) -> list[str]:
    readings = _kept(log_reading.readings(environments, rounds))
    beside = _kept(log_reading.rows(environments, rounds))
    return [
        _READING.format(steps=log_reading.STEPS, kinds=len(readings), rounds=rounds),
        log_reading.listed(readings),
        _BESIDE,
        comparison(beside, "its library"),
    ]


def _calls(environments: Environments) -> list[str]:
    words = _CALLS.format(
        criteria=len(judge_calls.CRITERIA),
        checks=sum(len(criterion["checks"]) for criterion in judge_calls.CRITERIA),
        budget=judge_calls.BUDGET,
        source=judge_calls.source(),
        votes=judge_calls.VOTES,
    )
    return [words, judge_calls.listed(_kept(judge_calls.asked(environments)))]


def _versions(environments: Environments) -> dict[str, str]:
    assert environments.logs is not None
    own, adk, logs = map(versions, (environments.adjudge, environments.adk, environments.logs))
    return {
        "versions": f"adjudge {own['adjudge']}, google-adk {adk['google-adk']}, atif {logs['atif']}, bpe-openai {logs['bpe-openai']}",
        "Python": own["python"],
    }


def _options(arguments: Sequence[str], work: Path) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog=f"run.py {COMMAND}", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=3, help="measured rounds after a warm-up (default: 3)")
    parser.add_argument("--only", nargs="+", choices=SECTIONS, default=list(SECTIONS), help="what to measure")
    parser.add_argument("--work", type=Path, default=work, help="where environments and data are kept")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="write the page, for the documentation")
    return parser.parse_args(arguments)


def _command(options: argparse.Namespace) -> str:
    chosen = [] if options.only == list(SECTIONS) else ["--only", *options.only]
    written = ["--write", options.write.as_posix()] if options.write is not None else []
    return " ".join([COMMAND, *chosen, "--rounds", str(options.rounds), *written])


def _said(name: str, measure: Callable[[], list[str]]) -> list[str]:
    _say(name)
    return measure()


def _kept(items: Iterable[_Item]) -> list[_Item]:
    return list(_shown(items))


def _shown(items: Iterable[_Item]) -> Iterator[_Item]:
    for item in items:
        _say(f"  {item}")
        yield item


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()
