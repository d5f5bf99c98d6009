"""``adjudge evalset``: commands that show eval sets, check them, and migrate old ones to the new schema."""

from __future__ import annotations

import json
from pathlib import Path

import click

from adjudge.kit.adk import (
    EvalSetFile,
    case_to_adk,
    dump_eval_set,
    find_eval_sets,
    migrate_eval_set,
    open_eval_set,
    read_session_file,
    split_selection,
)
from adjudge.kit.eval_sets import entry_marks, write_whole
from adjudge.model.eval_set import EvalCase
from adjudge.model.invocation import Invocation
from adjudge.model.items import ToolCall
from adjudge.plugin import AdjudgeError, InputError, Problem, say, say_json
from adjudge_plugins.evalset.additions import add_cases, add_session, create
from adjudge_plugins.evalset.changes import diff, edit, remove
from adjudge_plugins.evalset.generation import generate

_SHAPES = {
    "eval_set": "",
    "kept": "made in Python",
    "old_turns": "old shape (a list of turns)",
    "old_cases": "old shape (a list of named cases)",
}


@click.group()
def evalset_command() -> None:
    """Check, show, make and change eval sets."""


for _command in (create, add_cases, add_session, generate, edit, remove, diff):
    evalset_command.add_command(_command)


@evalset_command.command("validate")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.pass_context
def validate(ctx: click.Context, paths: tuple[Path, ...]) -> None:
    """Check files, or all eval sets below a folder.

    An eval set is a *.test.json or *.evalset.json file.

    All files are checked; the exit status is 2 when one of them is bad.
    """
    files, bad = _files(paths)
    for file in files:
        try:
            _print_checked(open_eval_set(file, may_be_empty=True))
        except AdjudgeError as error:
            bad += 1
            say(f"bad  {file}")
            for warning in error.warnings if isinstance(error, InputError) else ():
                say(f"     warning: {warning}", err=True)
            say(_indented(str(error)), err=True)
    if bad:
        ctx.exit(2)


def _files(paths: tuple[Path, ...]) -> tuple[list[Path], int]:
    """The files that ``paths`` select, each once, and the number of paths that select none."""
    files: dict[Path, None] = {}
    bad = 0
    for path in paths:
        try:
            files |= dict.fromkeys(find_eval_sets(path))
        except InputError as error:
            bad += 1
            say(f"bad  {path}")
            say(_indented(str(error)), err=True)
    return list(files), bad


def _print_checked(eval_set: EvalSetFile) -> None:
    turns = sum(entry.turns for entry in eval_set.entries)
    notes = [
        _count(len(eval_set.entries), "case") or "no cases",
        _count(turns, "turn"),
        _count(sum(entry.is_scenario for entry in eval_set.entries), "scenario"),
        _SHAPES[eval_set.shape],
        _count(len(eval_set.warnings), "warning"),
    ]
    say(f"ok   {eval_set.path}: {', '.join(note for note in notes if note)}")
    for warning in eval_set.warnings:
        say(f"     warning: {warning}")


def _count(number: int, thing: str) -> str:
    if not number:
        return ""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def _indented(text: str) -> str:
    return "\n".join(f"     {line}" for line in text.splitlines())


@evalset_command.command("migrate")
@click.argument("old", type=click.Path(path_type=Path))
@click.argument("new", type=click.Path(path_type=Path))
@click.option(
    "--initial_session_file",
    "--initial-session-file",
    type=click.Path(path_type=Path),
    help="The initial session of cases that do not define one.",
)
@click.option("--force", is_flag=True, help="Replace NEW if it exists.")
def migrate(old: Path, new: Path, initial_session_file: Path | None, force: bool) -> None:
    """Convert OLD, a file from before ADK's schema, to NEW."""
    if new.exists() and not force:
        raise InputError(Problem(what="the file exists.", file=str(new), hint="Use --force to replace it."))
    for warning in open_eval_set(old).warnings:
        say(f"warning: {old}: {warning}", err=True)
    if initial_session_file is not None:
        for warning in read_session_file(initial_session_file)[1]:
            say(f"warning: {initial_session_file}: {warning}", err=True)
    eval_set = migrate_eval_set(old, initial_session=initial_session_file)
    write_whole(new, dump_eval_set(eval_set))
    say(f"{new}: {_count(len(eval_set.eval_cases), 'case')}")


@evalset_command.command("list")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
def list_cases(paths: tuple[Path, ...]) -> None:
    """List the cases of files, or of every eval set below a folder."""
    for path in paths:
        for file in find_eval_sets(path):
            _print_cases(open_eval_set(file, may_be_empty=True))


def _print_cases(eval_set: EvalSetFile) -> None:
    say(f"{eval_set.path} ({eval_set.eval_set_id})")
    for entry in eval_set.entries:
        say(f"  {entry.eval_id}: {', '.join(entry_marks(entry))}")


@evalset_command.command("show")
@click.argument("selection", metavar="FILE[:ID,...]")
@click.option("--json", "as_json", is_flag=True, help="A JSON list of the cases in ADK's schema.")
def show(selection: str, as_json: bool) -> None:
    """Show the cases of FILE with prompts, calls and responses."""
    path, ids = split_selection(selection)
    eval_set = open_eval_set(path)
    entries = eval_set.entries if ids is None else eval_set.select(ids)
    cases = (eval_set.read(entry) for entry in entries)
    if as_json:
        say_json(json.dumps([case_to_adk(case) for case in cases], indent=2, ensure_ascii=False))
        return
    for case in cases:
        _print_case(case)


def _print_case(case: EvalCase) -> None:
    say(case.eval_id, bold=True)
    session = case.session_input
    if session is not None:
        say(f"  session: app {session.app_name!r}, user {session.user_id!r}")
        _print_json("  initial state", session.state or None)
    if case.conversation_scenario is not None:
        say(f"  starting prompt: {case.conversation_scenario.starting_prompt}")
        say(f"  plan: {case.conversation_scenario.conversation_plan}")
    for number, turn in enumerate(case.conversation or (), start=1):
        _print_turn(number, turn)
    _print_json("  final state", case.final_session_state)
    for rubric in case.rubrics or ():
        say(f"  rubric {rubric.rubric_id}: {rubric.text or ''}")


def _print_turn(number: int, turn: Invocation) -> None:
    say(f"  turn {number}")
    say(_block("user", turn.user_content.text))
    for step in turn.steps:
        for item in step.items:
            if isinstance(item, ToolCall):
                say(f"    call: {item.name}({_arguments(item)})")
        if step.text:
            say(_block(step.author or "agent", step.text))
    if turn.final_response is not None:
        say(_block("response", turn.final_response.text))
    for rubric in turn.rubrics or ():
        say(f"    rubric {rubric.rubric_id}: {rubric.text or ''}")


def _arguments(call: ToolCall) -> str:
    return ", ".join(
        f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in (call.args or {}).items()
    )


def _block(label: str, text: str) -> str:
    """A label and a text, whose further lines are indented to the text's column."""
    return f"    {label}: " + text.strip().replace("\n", "\n      ")


def _print_json(label: str, value: object) -> None:
    if value is not None:
        say(f"{label}: {json.dumps(value, ensure_ascii=False)}")
