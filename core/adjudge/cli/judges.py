"""``adjudge judges``: who can judge here, and what each lacks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adjudge.cli.command_group import CommandGroup
from adjudge.cli.listing import (
    component_facts,
    json_option,
    load_for_listing,
    option_facts,
    origin_fields,
    say_document,
    show_component,
    shown_name,
)
from adjudge.errors import InputError, RunError
from adjudge.extension.tables import one_line, show_fields
from adjudge.extension.terminal import say

if TYPE_CHECKING:
    from adjudge.extension.loader import Extensions
    from adjudge.extension.registry import Registered
    from adjudge.extension.specs import JudgeBackendSpec
    from adjudge.journal.judge_notes import JudgeNote


class _NamesToo(CommandGroup):
    """A group in which whatever is no command names a judge backend."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return super().get_command(ctx, cmd_name) or _showing(cmd_name)


@click.group(
    "judges", cls=_NamesToo, invoke_without_command=True, subcommand_metavar="[NAME | COMMAND [ARGS]...]"
)
@json_option
@click.pass_context
def judges_command(ctx: click.Context, as_json: bool) -> None:
    """List the judge backends that are installed, or show the one called NAME with its options.

    A model is named as provider/model. The names of models that a provider is known by stand alone too.
    """
    if ctx.invoked_subcommand is not None:
        return
    extensions = load_for_listing(ctx.obj)
    states = _States(extensions)
    backends = extensions.judge_backends
    if as_json:
        say_document([states.facts(item) for item in backends])
        return
    for item in backends:
        spec = item.spec
        fields = [
            ("for instance", spec.example),
            ("names alone", " ".join(spec.models)),
            ("environment", " ".join(spec.environment)),
            *states.fields(item),
        ]
        say(f"{shown_name(item, backends)}: {spec.summary}")
        show_fields([(f"  {name}", value) for name, value in fields if value])


def _showing(name: str) -> click.Command:
    @click.command(name)
    @json_option
    @click.pass_context
    def show(ctx: click.Context, as_json: bool) -> None:
        """Show one judge backend with its options."""
        extensions = load_for_listing(ctx.obj)
        found = extensions.judge_backends.resolve(name)
        states = _States(extensions)
        facts = states.facts(found)
        if as_json or (ctx.parent is not None and ctx.parent.params["as_json"]):
            say_document(facts)
            return
        spec = found.spec
        fields = [
            ("name", spec.name),
            ("id", found.id),
            ("asks", spec.summary),
            ("for instance", spec.example),
            ("names alone", " ".join(spec.models) or "none"),
            ("environment", "\n".join(spec.environment) or "nothing"),
            *states.fields(found),
        ]
        show_component([*fields, *origin_fields(found)], facts["options"])

    return show


class _States:
    """What each judge backend lacks here, and what was found out about its models."""

    def __init__(self, extensions: Extensions) -> None:
        """Look; what is wrong with the files that say something of it is a warning."""
        from adjudge.extension.project import find_settings
        from adjudge.journal.judge_notes import JudgeNotes
        from adjudge.judge.model_resolution import JudgeModels
        from adjudge.runner.host import RunHost

        folder = Path.cwd()
        host = RunHost(extensions, folder)
        options = find_settings(folder).judge.backends
        self._models = JudgeModels(extensions.judge_backends, host, backend_options=options)
        self._notes: tuple[JudgeNote, ...] = ()
        try:
            host.read_environment(agent_folder=None)
        except InputError as error:
            say(f"warning: {error}", err=True)
        try:
            self._notes = JudgeNotes().everything()
        except RunError as error:
            say(f"warning: {error}", err=True)

    def facts(self, item: Registered[JudgeBackendSpec]) -> dict[str, Any]:
        """Everything about one backend, for programs."""
        return {
            **component_facts(item),
            "example": item.spec.example,
            "models": list(item.spec.models),
            "environment": list(item.spec.environment),
            "missing": self._models.lacking(item),
            "measured": [note.facts for note in self._of(item)],
            **option_facts(item),
        }

    def fields(self, item: Registered[JudgeBackendSpec]) -> list[tuple[str, str]]:
        """What it lacks and what was measured, for a person."""
        lacking = "\n".join(map(one_line, self._models.lacking(item)))
        measured = "\n".join(note.summary for note in self._of(item))
        return [("missing", lacking or "nothing"), *([("measured", measured)] if measured else [])]

    def _of(self, item: Registered[JudgeBackendSpec]) -> list[JudgeNote]:
        return [note for note in self._notes if note.judge.startswith(f"{item.spec.name}/")]
