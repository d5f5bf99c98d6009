"""``adjudge judges``: lists the judges and their missing requirements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from adjudge.cli.command_group import CommandGroup
from adjudge.cli.listing import (
    json_option,
    load_for_listing,
    origin_fields,
    say_document,
    show_component,
    shown_name,
)
from adjudge.extension.tables import one_line, show_fields
from adjudge.extension.terminal import say
from adjudge.runner.inventory import JudgeStates, component_facts, option_facts

if TYPE_CHECKING:
    from adjudge.extension.loader import Extensions
    from adjudge.extension.registry import Registered
    from adjudge.extension.specs import JudgeBackendSpec


class _NamesToo(CommandGroup):
    """A group in which names that are not commands are names of judge backends."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return super().get_command(ctx, cmd_name) or _showing(cmd_name)


@click.group(
    "judges", cls=_NamesToo, invoke_without_command=True, subcommand_metavar="[NAME | COMMAND [ARGS]...]"
)
@json_option
@click.pass_context
def judges_command(ctx: click.Context, as_json: bool) -> None:
    """List the judge backends that are installed, or show the one called NAME with its options.

    The name of a model is provider/model. The provider may be omitted where the model name identifies it.
    """
    if ctx.invoked_subcommand is not None:
        return
    extensions = load_for_listing(ctx.obj)
    states = _States(extensions)
    backends = extensions.judge_backends
    if as_json:
        say_document([states.document(item) for item in backends])
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
        facts = states.document(found)
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


class _States(JudgeStates):
    """The missing requirements of the judge backends, for the listing."""

    def __init__(self, extensions: Extensions) -> None:
        """Check the judge backends, and print warnings about unreadable files."""
        super().__init__(extensions)
        for warning in self.warnings:
            say(f"warning: {warning}", err=True)

    def document(self, item: Registered[JudgeBackendSpec]) -> dict[str, Any]:
        """All facts about one backend, as JSON."""
        return {**component_facts(item), **self.facts(item), **option_facts(item)}

    def fields(self, item: Registered[JudgeBackendSpec]) -> list[tuple[str, str]]:
        """The missing requirements and the measured notes of a backend, as fields of the listing."""
        lacking = "\n".join(map(one_line, self.facts(item)["missing"]))
        measured = "\n".join(note.summary for note in self.notes_of(item))
        return [("missing", lacking or "nothing"), *([("measured", measured)] if measured else [])]
