"""Shared code of the listings: plugins and components as text or JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adjudge.extension.project import project_extensions
from adjudge.extension.tables import show_fields, show_table
from adjudge.extension.terminal import say, say_json

if TYPE_CHECKING:
    from adjudge.extension.loader import Extensions
    from adjudge.extension.registry import Registered, Registry


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def say_document(document: object) -> None:
    """Print a document as JSON."""
    say_json(json.dumps(document, indent=2, ensure_ascii=False))


def load_for_listing(no_plugins: Iterable[str]) -> Extensions:
    """Load the plugins for a listing command, which never fails because of a plugin.

    Broken plugins, and required plugins that are not available, are warnings on standard error.

    Raises:
        InputError: the project's configuration is invalid.
    """
    extensions = project_extensions(Path.cwd(), disable=no_plugins, only_listed=True)
    for warning in extensions.warnings:
        say(f"warning: {warning}", err=True)
    return extensions


def origin_fields(item: Registered[Any]) -> list[tuple[str, str]]:
    """The version and the plugin of a component, as fields of a listing."""
    fields = [
        ("version", str(item.spec.version)),
        ("plugin", f"{item.owner.name} ({item.owner.release})"),
    ]
    missing = item.spec.absent_modules()
    return [*fields, ("not installed", ", ".join(missing))] if missing else fields


def shown_name(item: Registered[Any], registry: Registry[Any]) -> str:
    """The short name of a component if it is unique, else its id."""
    shared = sum(other.spec.name == item.spec.name for other in registry) > 1
    return item.id if shared else item.spec.name


def show_component(fields: Sequence[tuple[str, str]], options: Sequence[dict[str, Any]]) -> None:
    """Print one component with its options."""
    show_fields(fields)
    if not options:
        say("\nIt has no options.")
        return
    say()
    show_table(
        ("option", "type", "default", "meaning"),
        [
            (
                option["name"] + (f" ({option['alias']})" if option["alias"] else ""),
                option["type"],
                "required" if option["required"] else json.dumps(option["default"], ensure_ascii=False),
                option["description"],
            )
            for option in options
        ],
    )
