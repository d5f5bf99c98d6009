"""``adjudge evalset create``, ``add-cases`` and ``add-session``: new files, and new cases from scenarios and from runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from adjudge.kit.eval_sets import EVAL_SET_SUFFIX, EvalSetDocument, checked_id, id_from
from adjudge.plugin import InputError, Problem, say

if TYPE_CHECKING:
    from adjudge.model.trajectory import Trajectory

_FILE: Final = click.Path(path_type=Path)


@click.command("create")
@click.argument("file", type=_FILE)
def create(file: Path) -> None:
    """Write an eval set without cases to FILE.

    The name of FILE is ID.evalset.json or ID.test.json.
    """
    name = file.name.removesuffix(EVAL_SET_SUFFIX).removesuffix(".test.json")
    if name == file.name:
        raise InputError(
            Problem(
                what="the name of an eval set ends with .evalset.json or .test.json.",
                file=str(file),
                hint=f"For instance {file.with_name(id_from(file.name.split('.')[0]) + EVAL_SET_SUFFIX)}.",
            )
        )
    EvalSetDocument.new(file, checked_id(name)).save()
    say(f"{file}: an eval set without cases")


@click.command("add-cases")
@click.argument("file", type=_FILE)
@click.option(
    "--scenarios_file",
    "--scenarios-file",
    type=_FILE,
    required=True,
    help='Conversation scenarios, as ADK has them: {"scenarios": [{"starting_prompt": …, "conversation_plan": …}]}.',
)
@click.option(
    "--session_input_file",
    "--session-input-file",
    type=_FILE,
    help="The initial session of these cases: app_name, user_id, state.",
)
def add_cases(file: Path, scenarios_file: Path, session_input_file: Path | None) -> None:
    """Add a case to FILE for every scenario.

    The id of a case is derived from its scenario. A scenario whose case is already in FILE is skipped.
    """
    add_scenarios(file, scenarios_file, session_input_file)


def add_scenarios(file: Path, scenarios_file: Path, session_input_file: Path | None) -> None:
    """Add the scenarios that the eval set does not have yet, and print their ids."""
    from adjudge_plugins.evalset.scenarios import add_missing, read_scenarios

    document = EvalSetDocument.opened(file)
    added, known = add_missing(document, read_scenarios(scenarios_file, session_input_file))
    if added:
        document.save()
    for eval_id in added:
        say(f"{file}: added {eval_id}")
    for eval_id in known:
        say(f"{file}: has {eval_id} already")
    if not added and not known:
        say(f"{scenarios_file} has no scenario; nothing was added")


@click.command("add-session")
@click.argument("file", type=_FILE)
@click.argument("log", type=_FILE)
@click.option(
    "--id",
    "eval_id",
    metavar="ID",
    help="The id of the case. Default: the id of the session, or the name of LOG.",
)
@click.option(
    "--run", "number", metavar="N", type=click.IntRange(min=1), help="The run to use, if LOG has several."
)
@click.option("--reader", metavar="NAME", help="The trace reader. Default: detected from the content of LOG.")
@click.option("--task", metavar="TEXT", help="The task of the run, if LOG contains none.")
@click.pass_obj
def add_session(
    no_plugins: tuple[str, ...],
    file: Path,
    log: Path,
    eval_id: str | None,
    number: int | None,
    reader: str | None,
    task: str | None,
) -> None:
    """Add a case to FILE that expects what the agent did in LOG.

    LOG is a session of ADK, or any log that a trace reader can read: `adjudge readers` lists them. The case contains
    the user's messages, the calls with their arguments, the intermediate responses and the final answers. FILE is
    created if it does not exist.
    """
    from adjudge import read_log
    from adjudge.kit.adk import case_from_trajectory

    document = EvalSetDocument.opened(file) if file.exists() else _new(file)
    trajectory = _only_run(list(read_log(log, reader=reader, task=task, disable=no_plugins)), log, number)
    name = eval_id or trajectory.eval_id or trajectory.session_id or id_from(log.name.split(".")[0])
    case = case_from_trajectory(trajectory, name)
    document.add(case)
    document.save()
    turns = len(case.conversation or ())
    calls = sum(len(turn.tool_calls) for turn in case.conversation or ())
    say(
        f"{file}: added {name}: {turns} turn{'' if turns == 1 else 's'}, {calls} expected call{'' if calls == 1 else 's'}"
    )
    for what in trajectory.lost:
        say(f"  lost in reading: {what}", err=True)


def _new(file: Path) -> EvalSetDocument:
    return EvalSetDocument.new(
        file, checked_id(file.name.removesuffix(EVAL_SET_SUFFIX).removesuffix(".test.json"))
    )


def _only_run(runs: list[Trajectory], log: Path, number: int | None) -> Trajectory:
    """Select the run with this number, or the only one.

    Raises:
        InputError: there is no such run, or there are several and none is selected.
    """
    if number is None and len(runs) > 1:
        shown = [f"{place}: {_headline(run)}" for place, run in enumerate(runs[:10], start=1)]
        more = [f"and {len(runs) - 10} more"] if len(runs) > 10 else []
        raise InputError(
            Problem(
                what=f"this log has {len(runs)} runs.",
                file=str(log),
                hint="Say which: --run N.\n    " + "\n    ".join([*shown, *more]),
            )
        )
    if (number or 1) > len(runs):
        raise InputError(
            Problem(
                what=f"there is no run {number or 1}; the number of runs in this log is {len(runs)}.",
                file=str(log),
            )
        )
    return runs[(number or 1) - 1]


def _headline(run: Trajectory) -> str:
    goal = " ".join(run.goal.split())
    return goal if len(goal) <= 80 else goal[:79] + "…"
