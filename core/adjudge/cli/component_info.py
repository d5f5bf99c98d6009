"""What the listings say of every component, whatever its kind."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from adjudge.cli.options import described_options
from adjudge.extension.tables import show_fields, show_table
from adjudge.extension.terminal import say

if TYPE_CHECKING:
    from adjudge.extension.registry import Registered, Registry


def component_facts(item: Registered[Any]) -> dict[str, Any]:
    """Where a component comes from, for programs."""
    return {
        "id": item.id,
        "name": item.spec.name,
        "summary": item.spec.summary,
        "plugin": item.plugin,
        "distribution": item.distribution,
        "distribution_version": item.distribution_version,
        "version": item.spec.version,
        "missing_modules": item.spec.absent_modules(),
    }


def option_facts(item: Registered[Any]) -> dict[str, Any]:
    """The options of a component, for programs."""
    return {"options": described_options(item.spec.config)}


def origin_fields(item: Registered[Any]) -> list[tuple[str, str]]:
    """Where a component comes from, for a person."""
    fields = [
        ("version", str(item.spec.version)),
        ("plugin", f"{item.plugin} ({item.distribution} {item.distribution_version})"),
    ]
    missing = item.spec.absent_modules()
    return [*fields, ("not installed", ", ".join(missing))] if missing else fields


def shown_name(item: Registered[Any], registry: Registry[Any]) -> str:
    """The short name where it is enough to name the component."""
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
