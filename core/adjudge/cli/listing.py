"""What the listings share: the plugins, as text or as JSON, and what is said of every component and its options."""

from __future__ import annotations

import ast
import inspect
import json
import re
import textwrap
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from pydantic import BaseModel
from pydantic_core import PydanticUndefined, to_jsonable_python

from adjudge.extension.loader import Extensions
from adjudge.extension.project import find_settings
from adjudge.extension.tables import show_fields, show_table
from adjudge.extension.terminal import say, say_json

if TYPE_CHECKING:
    from adjudge.extension.configuration import ComponentConfig
    from adjudge.extension.registry import Registered, Registry


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def say_document(document: object) -> None:
    """Print what programs read."""
    say_json(json.dumps(document, indent=2, ensure_ascii=False))


def load_for_listing(no_plugins: Iterable[str]) -> Extensions:
    """The same plugins for a command that only lists: it never fails because of a plugin.

    What is required and not available, and what is broken, is told on standard error.

    Raises:
        InputError: the project's configuration is broken.
    """
    settings = find_settings(Path.cwd())
    extensions = Extensions.load(disable={*settings.plugins.disable, *no_plugins}, aliases=settings.aliases)
    for problem in extensions.unmet(settings.plugins.require):
        say(f"warning: required plugins are not available: {problem}", err=True)
    for warning in extensions.warnings:
        say(f"warning: {warning}", err=True)
    return extensions


def component_facts(item: Registered[Any]) -> dict[str, Any]:
    """Where a component comes from, for programs."""
    return {
        "id": item.id,
        "name": item.spec.name,
        "summary": item.spec.summary,
        "plugin": item.owner.name,
        "distribution": item.owner.distribution,
        "distribution_version": item.owner.version,
        "version": item.spec.version,
        "missing_modules": item.spec.absent_modules(),
    }


def option_facts(item: Registered[Any]) -> dict[str, Any]:
    """The options of a component, for programs."""
    return {"options": _described_options(item.spec.config)}


def origin_fields(item: Registered[Any]) -> list[tuple[str, str]]:
    """Where a component comes from, for a person."""
    fields = [
        ("version", str(item.spec.version)),
        ("plugin", f"{item.owner.name} ({item.owner.release})"),
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


def _described_options(model: type[ComponentConfig]) -> list[dict[str, Any]]:
    """Name, type, default and meaning of every option that ``model`` reads."""
    docstrings = _docstrings(model)
    options: list[dict[str, Any]] = []
    for name, field in model.model_fields.items():
        required = field.is_required()
        default = None if required else field.get_default(call_default_factory=True, validated_data={})
        options.append(
            {
                "name": name,
                "alias": field.alias,
                "type": _type_in_words(field.annotation),
                "required": required,
                "default": None
                if default is PydanticUndefined
                else to_jsonable_python(default, fallback=repr),
                "description": " ".join((field.description or docstrings.get(name, "")).split()),
            }
        )
    return options


def _type_in_words(annotation: Any) -> str:
    if isinstance(annotation, type) and not getattr(annotation, "__args__", ()):
        return annotation.__name__
    # ``typing.Literal['a']`` and ``package.module.Class`` without the places that they come from.
    return re.sub(r"\b(?:\w+\.)+(?=\w)", "", str(annotation))


def _docstrings(model: type[ComponentConfig]) -> dict[str, str]:
    """The docstrings below the fields of ``model`` and its bases.

    pydantic can collect them when a class is made; every start would pay for parsing sources then.
    """
    found: dict[str, str] = {}
    own = (cls for cls in reversed(model.__mro__) if issubclass(cls, BaseModel) and cls is not BaseModel)
    for cls in own:
        try:
            body = ast.parse(textwrap.dedent(inspect.getsource(cls))).body
        except (OSError, TypeError, SyntaxError):
            continue
        statements = body[0].body if body and isinstance(body[0], ast.ClassDef) else []
        for field, below in pairwise(statements):
            match field, below:
                case (
                    ast.AnnAssign(target=ast.Name(id=name)),
                    ast.Expr(value=ast.Constant(value=str(text))),
                ):
                    found[name] = text
                case _:
                    pass
    return found
