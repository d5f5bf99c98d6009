"""``adjudge logs``: commands that show a run, and that convert it to other files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click

from adjudge.plugin import InputError, Problem, Trajectory, say, say_json
from adjudge_plugins.ai_judge.roles_option import roles_option

_HISTORY: Final = "history_log"
_EVAL_SET: Final = "eval_set"


@click.group()
def logs_command() -> None:
    """Show what is read from a log, and convert it."""


_LOG = click.argument("log", type=click.Path(path_type=Path))
_RUN = click.option(
    "--run",
    "number",
    metavar="N",
    type=click.IntRange(min=1),
    help="Only this run of LOG, if it has several.",
)
_READER = click.option(
    "--reader", metavar="NAME", help="The trace reader. Default: detected from the content of LOG."
)
_TASK = click.option("--task", metavar="TEXT", help="The task of the run, if LOG contains none.")


@logs_command.command("show")
@_LOG
@_RUN
@_READER
@_TASK
@roles_option
@click.option("--full", is_flag=True, help="Show every text completely.")
@click.pass_obj
def show(
    no_plugins: tuple[str, ...],
    log: Path,
    number: int | None,
    reader: str | None,
    task: str | None,
    roles: dict[str, str],
    full: bool,
) -> None:
    """Print the runs of LOG: the task, each turn and its steps, who made them, phases, tokens and costs.

    Criteria and judges receive what is shown. `not read` lists the parts of LOG that they do not receive.
    """
    from adjudge_plugins.ai_judge.log_view import lines_of

    for place, run in _runs(log, number, reader, task, roles, no_plugins):
        for line in lines_of(run, f"{log}  run {place}", full=full):
            say(line)


@logs_command.command("convert")
@_LOG
@click.option(
    "--to",
    "form",
    type=click.Choice([_HISTORY, _EVAL_SET]),
    required=True,
    help="history_log: a list of steps, the format of AI Judge. eval_set: one case for each run, which expects what the agent did.",
)
@click.option(
    "--output",
    "-o",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The file to write. Default: standard output.",
)
@_RUN
@_READER
@_TASK
@roles_option
@click.pass_obj
def convert(
    no_plugins: tuple[str, ...],
    log: Path,
    form: str,
    output: Path | None,
    number: int | None,
    reader: str | None,
    task: str | None,
    roles: dict[str, str],
) -> None:
    """Convert LOG to a history log, or to an eval set.

    A history log contains one run: choose it with --run if LOG has several. FILE must not exist.
    """
    if output is not None and output.exists():
        raise InputError(
            Problem(what="the file exists.", file=str(output), hint="Name another one, or remove it.")
        )
    runs = [run for _, run in _runs(log, number, reader, task, roles, no_plugins)]
    text = _history(runs, log) if form == _HISTORY else _eval_set(runs, log, output)
    for run in runs:
        for what in run.lost:
            say(f"lost in reading: {what}", err=True)
    if output is None:
        say_json(text.removesuffix("\n"))
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(Problem(what=f"cannot be written: {error.strerror}", file=str(output))) from None
    say(f"{output}: {len(runs)} run{'' if len(runs) == 1 else 's'}")


def _runs(
    log: Path,
    number: int | None,
    reader: str | None,
    task: str | None,
    roles: dict[str, str],
    no_plugins: tuple[str, ...],
) -> list[tuple[int, Trajectory]]:
    """The selected runs of a log, with their numbers from 1.

    Raises:
        InputError: there is no such run.
    """
    from adjudge import read_log

    runs = list(enumerate(read_log(log, reader=reader, task=task, roles=roles, disable=no_plugins), 1))
    if number is not None and number > len(runs):
        raise InputError(
            Problem(
                what=f"there is no run {number}; the number of runs in this log is {len(runs)}.",
                file=str(log),
            )
        )
    return runs if number is None else [runs[number - 1]]


def _history(runs: Sequence[Trajectory], log: Path) -> str:
    from adjudge_plugins.ai_judge.history_steps import steps_of

    if len(runs) != 1:
        what = f"this log has {len(runs)} runs, and a history log has one."
        raise InputError(Problem(what=what, file=str(log), hint="Say which: --run N."))
    [run] = runs
    if (nothing := run.nothing_of_the_agent) is not None:
        raise InputError(Problem(what=nothing, file=str(log)))
    if run.goal:
        say("the task is no part of a history log: name it with --task when you judge it", err=True)
    return json.dumps(steps_of(run), indent=2, ensure_ascii=False) + "\n"


def _eval_set(runs: Sequence[Trajectory], log: Path, output: Path | None) -> str:
    from adjudge.kit.adk import case_from_trajectory, dump_eval_set
    from adjudge.model import EvalSet

    named = (output or log).name.split(".")[0]
    identity = "".join(char if char.isascii() and char.isalnum() else "_" for char in named) or "log"
    ids = [run.eval_id or run.session_id or f"run_{place}" for place, run in enumerate(runs, 1)]
    cases = [
        case_from_trajectory(run, name if ids.count(name) == 1 else f"{name}_{place}")
        for place, (run, name) in enumerate(zip(runs, ids, strict=True), 1)
    ]
    return dump_eval_set(EvalSet(eval_set_id=identity, eval_cases=tuple(cases)))
