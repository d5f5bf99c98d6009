"""``adjudge plugins``: what is installed, what became of it, and whether it is sound."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from adjudge.cli.command_group import CommandGroup
from adjudge.cli.exits import UNMEASURED
from adjudge.cli.listing import json_option, load_for_listing, say_document
from adjudge.errors import UnknownNameError, did_you_mean
from adjudge.extension.tables import one_line, show_fields, show_table
from adjudge.extension.terminal import say

if TYPE_CHECKING:
    from adjudge.extension.loader import Extensions, PluginRecord

_CommandT = TypeVar("_CommandT", bound=Callable[..., Any])


def _listing_options(command: _CommandT) -> _CommandT:
    times = click.option("--times", is_flag=True, help="Show how long loading each one took, slowest first.")
    return json_option(times(command))


@click.group("plugins", cls=CommandGroup, invoke_without_command=True)
@_listing_options
@click.pass_context
def plugins_command(ctx: click.Context, as_json: bool, times: bool) -> None:
    """List, check and create plugins. Without a command: list."""
    if ctx.invoked_subcommand is None:
        _list(ctx.obj, as_json=as_json, times=times)


@plugins_command.command("list")
@_listing_options
@click.pass_obj
def list_command(no_plugins: tuple[str, ...], as_json: bool, times: bool) -> None:
    """List every plugin that is installed, and what became of it."""
    _list(no_plugins, as_json=as_json, times=times)


@plugins_command.command("show")
@click.argument("name")
@json_option
@click.pass_obj
def show_command(no_plugins: tuple[str, ...], name: str, as_json: bool) -> None:
    """Show the plugin NAME, or all plugins of the distribution NAME."""
    records = _records_of(load_for_listing(no_plugins), name)
    if as_json:
        say_document([_facts(record) for record in records])
        return
    for position, record in enumerate(records):
        if position:
            say()
        fields = [
            ("plugin", record.name),
            ("state", record.state.value),
            ("distribution", record.release),
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


@plugins_command.command("check")
@click.argument("distribution")
@click.pass_obj
def check_command(no_plugins: tuple[str, ...], distribution: str) -> int:
    """Load every plugin of DISTRIBUTION strictly and test what it offers.

    \b
    Exit status: 0 sound, 1 something is wrong with it, 3 not everything could be tested.
    """  # noqa: D301 - click reads \b
    from adjudge.testing.plugin_check import check_plugin

    extensions = load_for_listing(no_plugins)
    found = {check_plugin(record, extensions) for record in _records_of(extensions, distribution)}
    if "bad" in found:
        return 1
    return UNMEASURED if "not run" in found else 0


def _list(no_plugins: tuple[str, ...], *, as_json: bool, times: bool) -> None:
    extensions = load_for_listing(no_plugins)
    records = list(extensions.records)
    if times:
        records.sort(key=lambda record: -record.seconds)
    if as_json:
        say_document([_facts(record) for record in records])
        return
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
    show_table(("plugin", "state", "distribution", *(["time"] if times else []), "offers, or why not"), rows)


def _facts(record: PluginRecord) -> dict[str, Any]:
    return {
        "name": record.name,
        "state": record.state.value,
        "reason": record.reason,
        "distribution": record.distribution,
        "version": record.version,
        "module": record.module,
        "seconds": record.seconds,
        "hooks": list(record.hooks),
        "components": list(record.components),
    }


def _records_of(extensions: Extensions, name: str) -> list[PluginRecord]:
    records = [record for record in extensions.records if record.is_called(name)]
    if not records:
        known = {known for record in extensions.records for known in (record.name, record.distribution)}
        raise UnknownNameError(
            f"no installed plugin or distribution with plugins is called {name!r}.{did_you_mean(name, known)}"
        )
    return records
