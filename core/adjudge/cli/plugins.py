"""``adjudge plugins``: lists installed plugins with their status, and checks them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from adjudge.cli.command_group import CommandGroup
from adjudge.cli.exits import UNMEASURED
from adjudge.cli.listing import json_option, load_for_listing, say_document
from adjudge.errors import UnknownNameError, did_you_mean
from adjudge.extension.candidates import canonical_name
from adjudge.extension.commands import COMMANDS, refusal
from adjudge.extension.discovery import installed
from adjudge.extension.loader import PluginState
from adjudge.extension.tables import one_line, show_fields, show_table
from adjudge.extension.terminal import say
from adjudge.runner.inventory import homepage_of, plugin_facts

if TYPE_CHECKING:
    from adjudge.extension.loader import Extensions, PluginRecord

_CommandT = TypeVar("_CommandT", bound=Callable[..., Any])


def _listing_options(command: _CommandT) -> _CommandT:
    times = click.option(
        "--times", is_flag=True, help="Show how long loading each one took, adjudge's own too, slowest first."
    )
    every = click.option("--all", "with_own", is_flag=True, help="List adjudge's own plugins too.")
    return json_option(every(times(command)))


@click.group("plugins", cls=CommandGroup, invoke_without_command=True)
@_listing_options
@click.pass_context
def plugins_command(ctx: click.Context, /, **options: bool) -> None:
    """List, check and create plugins. Without a command: list."""
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_command, **options)


@plugins_command.command("list")
@_listing_options
@click.pass_obj
def list_command(no_plugins: tuple[str, ...], as_json: bool, times: bool, with_own: bool) -> None:
    """List the plugins that are installed beside adjudge's own, and their states. JSON has all."""
    extensions = load_for_listing(no_plugins)
    # Of adjudge's own a person is shown those that are not as they should be.
    own = [
        record for record in extensions.records if record.is_built_in and record.state is PluginState.ACTIVE
    ]
    records = sorted(extensions.records, key=lambda record: record.is_built_in)
    if times:
        records.sort(key=lambda record: -record.seconds)
    if as_json:
        say_document([plugin_facts(record) for record in records])
        return
    if not (with_own or times):
        records = [record for record in records if record not in own]
    rows = [
        (
            record.name,
            record.state.value,
            record.release,
            *([f"{record.seconds * 1000:.1f} ms"] if times else []),
            one_line(record.reason or "; ".join(record.components) or ", ".join(record.hooks)),
        )
        for record in records
    ]
    rows += [
        (distribution, *state, *([""] if times else []), one_line(f"commands: {', '.join(names)}"))
        for (distribution, *state), names in _commands(no_plugins).items()
    ]
    if rows:
        headers = ("plugin", "state", "distribution", *(["time"] if times else []), "offers, or problem")
        show_table(headers, rows)
    if not (with_own or times):
        others = "" if rows else "no third-party plugins are installed; "
        say(f"{others}`adjudge plugins --all` lists adjudge's own too")


@plugins_command.command("show")
@click.argument("name")
@json_option
@click.pass_obj
def show_command(no_plugins: tuple[str, ...], name: str, as_json: bool) -> None:
    """Show the plugin NAME, or all plugins of the distribution NAME."""
    extensions = load_for_listing(no_plugins)
    commands = {
        key: names
        for key, names in _commands(no_plugins).items()
        if canonical_name(key[0]) == canonical_name(name)
    }
    records = [] if commands and not _found(extensions, name) else _records_of(extensions, name)
    if as_json:
        say_document([plugin_facts(record) for record in records])
        return
    for position, record in enumerate(records):
        if position:
            say()
        fields = [
            ("plugin", record.name),
            ("state", record.state.value),
            ("distribution", record.release),
            *([("homepage", homepage)] if (homepage := homepage_of(record.distribution)) else []),
            ("module", record.module),
            ("load time", f"{record.seconds * 1000:.1f} ms"),
        ]
        if record.reason:
            fields.insert(2, ("reason", record.reason))
        if record.hooks:
            fields.append(("hooks", ", ".join(record.hooks)))
        if record.components:
            fields.append(("offers", "\n".join(record.components)))
        show_fields(fields)
    for (distribution, state, release), names in commands.items():
        if records:
            say()
        homepage = homepage_of(distribution)
        fields = [
            ("distribution", release),
            ("state", state),
            *([("homepage", homepage)] if homepage else []),
        ]
        show_fields([*fields, ("commands", "\n".join(names))])


@plugins_command.command("check")
@click.argument("distribution")
@click.pass_obj
def check_command(no_plugins: tuple[str, ...], distribution: str) -> int:
    """Load every plugin of DISTRIBUTION strictly and test what it offers, and load its commands.

    \b
    Exit status: 0 sound, 1 something is wrong with it, 3 not everything could be tested.
    """  # noqa: D301 - click reads \b
    from adjudge.testing.plugin_check import check_command, check_plugin

    extensions = load_for_listing(no_plugins)
    commands = [
        candidate
        for candidate in installed(COMMANDS)
        if canonical_name(candidate.distribution) == canonical_name(distribution)
    ]
    records = (
        [] if commands and not _found(extensions, distribution) else _records_of(extensions, distribution)
    )
    found = {check_plugin(record, extensions) for record in records}
    found |= {check_command(candidate, no_plugins) for candidate in commands}
    if "bad" in found:
        return 1
    return UNMEASURED if "not run" in found else 0


def _commands(disabled: Iterable[str]) -> dict[tuple[str, str, str], list[str]]:
    """The third-party commands, by their distribution, state and release. None is imported."""
    found = [candidate for candidate in installed(COMMANDS) if not candidate.is_built_in]
    names = [candidate.name for candidate in found]
    grouped: dict[tuple[str, str, str], list[str]] = {}
    for candidate in found:
        state = PluginState.ACTIVE if refusal(candidate, disabled) is None else PluginState.DISABLED
        if state is PluginState.ACTIVE and names.count(candidate.name) > 1:
            state = PluginState.CONFLICT
        key = candidate.distribution, state.value, candidate.release
        grouped.setdefault(key, []).append(candidate.name.replace(".", " "))
    return grouped


def _found(extensions: Extensions, name: str) -> list[PluginRecord]:
    return [record for record in extensions.records if record.is_called(name)]


def _records_of(extensions: Extensions, name: str) -> list[PluginRecord]:
    records = _found(extensions, name)
    if not records:
        known = {known for record in extensions.records for known in (record.name, record.distribution)}
        raise UnknownNameError(
            f"no installed plugin or distribution with plugins is called {name!r}.{did_you_mean(name, known)}"
        )
    return records
