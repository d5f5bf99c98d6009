"""``adjudge judges``: who can judge here, and what each lacks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adjudge.cli.command_group import CommandGroup
from adjudge.cli.component_info import (
    component_facts,
    option_facts,
    origin_fields,
    show_component,
    shown_name,
)
from adjudge.cli.session import load_for_listing
from adjudge.extension.tables import one_line, show_fields
from adjudge.extension.terminal import say, say_json

if TYPE_CHECKING:
    from adjudge.extension.loader import Extensions
    from adjudge.runner.judge_probe import BackendState


class _NamesToo(CommandGroup):
    """A group in which whatever is no command names a judge backend."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return super().get_command(ctx, cmd_name) or _showing(cmd_name)


@click.group(
    "judges", cls=_NamesToo, invoke_without_command=True, subcommand_metavar="[NAME | COMMAND [ARGS]...]"
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def judges_command(ctx: click.Context, as_json: bool) -> None:
    """List the judge backends that are installed, or show the one called NAME with its options.

    A model is named as provider/model. The names of models that a provider is known by stand alone too.
    """
    if ctx.invoked_subcommand is not None:
        return
    extensions = load_for_listing(ctx.obj)
    states = _states(extensions)
    if as_json:
        say_json(json.dumps([_facts(state) for state in states], indent=2, ensure_ascii=False))
        return
    for state in states:
        spec = state.registered.spec
        say(f"{shown_name(state.registered, extensions.judge_backends)}: {spec.summary}")
        show_fields([(f"  {name}", value) for name, value in _in_short(state)])


def _in_short(state: BackendState) -> list[tuple[str, str]]:
    spec = state.registered.spec
    fields = [
        ("for instance", spec.example),
        ("names alone", " ".join(spec.models)),
        ("environment", " ".join(spec.environment)),
    ]
    known = [(name, value) for name, value in fields if value]
    lacking = [("missing" if not at else "", one_line(said)) for at, said in enumerate(state.lacking)]
    return [*known, *(lacking or [("missing", "nothing")]), *_measured(state)]


def _measured(state: BackendState) -> list[tuple[str, str]]:
    return [("measured" if not at else "", note.summary) for at, note in enumerate(state.notes)]


def _showing(name: str) -> click.Command:
    @click.command(name)
    @click.option("--json", "as_json", is_flag=True, help="Print JSON.")
    @click.pass_context
    def show(ctx: click.Context, as_json: bool) -> None:
        """Show one judge backend with its options."""
        extensions = load_for_listing(ctx.obj)
        found = extensions.judge_backends.resolve(name)
        [state] = [state for state in _states(extensions) if state.registered.id == found.id]
        facts = _facts(state)
        if as_json or (ctx.parent is not None and ctx.parent.params["as_json"]):
            say_json(json.dumps(facts, indent=2, ensure_ascii=False))
            return
        spec = found.spec
        fields = [
            ("name", spec.name),
            ("id", found.id),
            ("asks", spec.summary),
            ("for instance", spec.example),
            ("names alone", " ".join(spec.models) or "none"),
            ("environment", "\n".join(spec.environment) or "nothing"),
            ("missing", "\n".join(map(one_line, state.lacking)) or "nothing"),
            *_measured(state),
        ]
        show_component([*fields, *origin_fields(found)], facts["options"])

    return show


def _states(extensions: Extensions) -> list[BackendState]:
    from adjudge.runner.judge_probe import backend_states

    states, troubles = backend_states(extensions, Path.cwd())
    for trouble in troubles:
        say(f"warning: {trouble}", err=True)
    return states


def _facts(state: BackendState) -> dict[str, Any]:
    spec = state.registered.spec
    return {
        **component_facts(state.registered),
        "example": spec.example,
        "models": list(spec.models),
        "environment": list(spec.environment),
        "missing": list(state.lacking),
        "measured": [note.facts for note in state.notes],
        **option_facts(state.registered),
    }
