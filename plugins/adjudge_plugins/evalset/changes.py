"""``adjudge evalset remove``, ``edit`` and ``diff``: change cases, and show differences."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click

from adjudge.kit.adk import case_to_adk, open_eval_set, split_selection
from adjudge.kit.eval_sets import ABSENT, Change, EvalSetDocument, changes, id_of
from adjudge.model.base import JsonObject
from adjudge.plugin import InputError, Problem, say, say_json

_FILE = click.Path(path_type=Path)


@click.command("remove")
@click.argument("selection", metavar="FILE:ID,...")
def remove(selection: str) -> None:
    """Remove cases from FILE."""
    file, ids = _chosen(selection)
    document = EvalSetDocument.opened(file)
    open_eval_set(file, may_be_empty=True).select(ids)
    document.remove(ids)
    document.save()
    say(f"{file}: removed {', '.join(ids)}")


@click.command("edit")
@click.argument("selection", metavar="FILE:ID")
@click.option(
    "--set",
    "settings",
    metavar="PATH=VALUE",
    multiple=True,
    help="Set the value at PATH to VALUE: JSON, or plain text.",
)
@click.option("--unset", "unset", metavar="PATH", multiple=True, help="Remove the value at PATH.")
@click.option("--dry-run", is_flag=True, help="Show the change, and write nothing.")
def edit(selection: str, settings: tuple[str, ...], unset: tuple[str, ...], dry_run: bool) -> None:
    """Change the case ID of FILE, and show what changed.

    PATH is a place in the case, for instance conversation[0].final_response.parts[0].text. `adjudge evalset show
    --json` shows all of them. To add an element to a list, set the element after the last one.
    """
    from adjudge.kit.eval_sets import steps_of, with_value, without

    file, ids = _chosen(selection)
    if len(ids) != 1:
        raise InputError(Problem(what="one case is changed at a time.", file=str(file)))
    document = EvalSetDocument.opened(file)
    open_eval_set(file, may_be_empty=True).select(ids)
    [before] = [case for case in document.cases if id_of(case) == ids[0]]
    after: Any = before
    for setting in settings:
        path, equals, text = setting.partition("=")
        if not equals:
            raise InputError(Problem(what=f"--set {setting}: expected PATH=VALUE."))
        after = with_value(after, steps_of(path), _value(text), path=path)
    for path in unset:
        after = without(after, steps_of(path), path=path)
    document.replace(ids[0], after)
    found = list(changes(before, after))
    if not found:
        say(f"{file}:{ids[0]}: nothing changes")
        return
    _show_changes(found)
    if dry_run:
        say("nothing was written: --dry-run")
        return
    document.save()
    say(f"{file}: changed {ids[0]}")


def _chosen(selection: str) -> tuple[Path, tuple[str, ...]]:
    file, ids = split_selection(selection)
    if ids is None:
        raise InputError(
            Problem(
                what="no case is named.",
                file=str(file),
                hint="Write FILE:ID. `adjudge evalset list` lists the ids.",
            )
        )
    return file, ids


def _value(text: str) -> Any:
    """Parse a value of the command line as JSON; a text that is not JSON stands for itself."""
    from adjudge.kit.strict_json import parse_json

    if not text.isprintable() and any("\ud800" <= char <= "\udfff" for char in text):
        raise InputError(Problem(what="--set: the value is not UTF-8."))
    try:
        return parse_json(text, source="--set")
    except InputError:
        if text[:1] in ("{", "[", '"'):
            raise
        return text


@click.command("diff")
@click.argument("old", type=_FILE)
@click.argument("new", type=_FILE)
@click.option("--json", "as_json", is_flag=True, help="A JSON object: added, removed and changed cases.")
@click.pass_context
def diff(ctx: click.Context, old: Path, new: Path, as_json: bool) -> None:
    """Compare two eval sets, case by case.

    The order of keys, snake_case against camelCase, and nulls are ignored. Files from before ADK's schema are
    converted before they are compared.

    Exit status: 0 no case differs, 1 a case differs, 2 a file cannot be read.
    """
    before, after = _cases(old), _cases(new)
    added = [name for name in after if name not in before]
    removed = [name for name in before if name not in after]
    changed = {
        name: found
        for name, case in before.items()
        if name in after and (found := list(changes(case, after[name])))
    }
    if as_json:
        shown = {name: [change.document() for change in found] for name, found in changed.items()}
        say_json(
            json.dumps({"added": added, "removed": removed, "changed": shown}, indent=2, ensure_ascii=False)
        )
    else:
        for line in _summary(added, removed, changed):
            say(line)
        for name, found in changed.items():
            say(f"changed  {name}")
            _show_changes(found)
    if added or removed or changed:
        ctx.exit(1)


def _cases(file: Path) -> dict[str, JsonObject]:
    eval_set = open_eval_set(file, may_be_empty=True)
    return {entry.eval_id: case_to_adk(eval_set.read(entry)) for entry in eval_set.entries}


def _summary(added: list[str], removed: list[str], changed: dict[str, list[Change]]) -> Iterator[str]:
    if not (added or removed or changed):
        yield "no case differs"
    yield from (f"added    {name}" for name in added)
    yield from (f"removed  {name}" for name in removed)


def _show_changes(found: Iterable[Change]) -> None:
    from adjudge.kit.render import marked

    for change in found:
        say(f"  {change.path}")
        if isinstance(change.old, str) and isinstance(change.new, str):
            left, right = marked(change.old, change.new)
            say(f"    - {_joined(left)}")
            say(f"    + {_joined(right)}")
            continue
        if change.old is not ABSENT:
            say(f"    - {json.dumps(change.old, ensure_ascii=False)}")
        if change.new is not ABSENT:
            say(f"    + {json.dumps(change.new, ensure_ascii=False)}")


def _joined(pieces: Iterable[Any]) -> str:
    return "".join(piece if isinstance(piece, str) else piece[0] for piece in pieces)
