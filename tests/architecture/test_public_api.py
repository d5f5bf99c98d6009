"""The public names and signatures are those of the published list: none changes by accident."""

from __future__ import annotations

import enum
import importlib
import inspect
import os
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

UPDATE = "ADJUDGE_UPDATE_GOLDEN"
ALWAYS = ("adjudge", "adjudge.plugin", "adjudge.model", "adjudge.errors", "adjudge.testing")
"""The modules whose names are promised, beside the packages of the kit that the reference lists."""


def test_the_public_interface_is_the_published_one(repository: Path) -> None:
    kit = re.findall(r"^::: (adjudge\.kit\.\w+)$", page(repository, "kit").read_text(), re.MULTILINE)
    published = repository / "docs" / "reference" / "public-api.txt"
    found = (
        "\n".join(line for name in (*ALWAYS, *kit) for line in lines_of(importlib.import_module(name))) + "\n"
    )
    before = published.read_text(encoding="utf-8") if published.is_file() else ""
    if os.environ.get(UPDATE):
        published.write_text(found, encoding="utf-8")
    old, new = set(before.splitlines()), set(found.splitlines())
    gone, come = sorted(old - new), sorted(new - old)
    told = [f"- {line}" for line in gone] + [f"+ {line}" for line in come]
    assert found == before, (
        "the public interface is another one; docs/reference/versions.md says what may change. If it is meant, run "
        f"{UPDATE}=1 pytest tests/architecture/test_public_api.py, and say it in CHANGELOG.md.\n"
        + "\n".join(told)
    )


def page(repository: Path, name: str) -> Path:
    return repository / "docs" / "reference" / "api" / f"{name}.md"


def lines_of(module: ModuleType) -> Iterator[str]:
    """A line for every public name of a module, and for every member of its classes."""
    listed = getattr(module, "__all__", None)
    names = sorted(listed if listed is not None else (name for name in vars(module) if is_own(module, name)))
    for name in names:
        yield from described(f"{module.__name__}.{name}", getattr(module, name))


def is_own(module: ModuleType, name: str) -> bool:
    return not name.startswith("_") and getattr(vars(module)[name], "__module__", None) == module.__name__


def described(name: str, value: Any) -> Iterator[str]:
    if inspect.isclass(value):
        yield f"{name}: class"
        yield from sorted(line for found in members(value).items() for line in member(name, *found))
    elif inspect.isroutine(value):
        yield f"{name}{signature(value)}"
    elif isinstance(value, ModuleType):
        yield f"{name}: module"
    elif isinstance(value, str | int | float | tuple | frozenset):
        yield f"{name}: {type(value).__name__}"
    else:
        yield name


def members(cls: type[Any]) -> dict[str, Any]:
    """What a class and its bases in adjudge have, without what begins with an underscore."""
    found: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        if not base.__module__.startswith("adjudge"):
            continue
        own = {**dict.fromkeys(vars(base).get("__annotations__", {})), **vars(base)}
        for name, value in own.items():
            # The tests of the kit are not called by authors: each version may have more of them.
            if not name.startswith(("_", "test_")) and name not in ("model_config", "model_copy"):
                annotation = vars(base).get("__annotations__", {}).get(name)
                found[name] = (annotation, value, has_default(cls, base, name))
    return found


def has_default(cls: type[Any], base: type[Any], name: str) -> bool:
    fields = getattr(cls, "model_fields", None) or {}
    if name in fields:
        return not fields[name].is_required()
    if name in getattr(cls, "__dataclass_fields__", {}):
        parameter = inspect.signature(cls).parameters.get(name)
        return parameter is None or parameter.default is not inspect.Parameter.empty
    return name in vars(base)


def member(cls: str, name: str, found: tuple[Any, Any, bool]) -> Iterator[str]:
    annotation, value, optional = found
    if isinstance(value, enum.Enum):
        yield f"{cls}.{name} = {value.value!r}"
    elif annotation is not None:
        yield f"{cls}.{name}: {annotation}{' = ...' if optional else ''}"
    elif isinstance(value, property):
        yield f"{cls}.{name}: {inspect.signature(value.fget).return_annotation} (read)"  # type: ignore[arg-type]
    elif isinstance(value, classmethod | staticmethod):
        yield f"{cls}.{name}{signature(value.__func__)}"
    elif inspect.isroutine(value):
        yield f"{cls}.{name}{signature(value)}"
    elif not inspect.isclass(value):
        yield f"{cls}.{name}"


def signature(function: Any) -> str:
    """The parameters of a function, with a mark for each default in place of its value."""
    try:
        found = inspect.signature(function)
    except (TypeError, ValueError):
        return "(...)"
    parameters = [
        parameter if parameter.default is parameter.empty else parameter.replace(default=DEFAULT)
        for parameter in found.parameters.values()
    ]
    asynchronous = " async" if inspect.iscoroutinefunction(function) else ""
    return f"{found.replace(parameters=parameters)}{asynchronous}".replace("'", "")


class _Default:
    def __repr__(self) -> str:
        return "..."


DEFAULT = _Default()


@pytest.mark.parametrize("name", ["plugin", "model", "kit", "testing", "python"])
def test_every_public_module_has_a_page(repository: Path, name: str) -> None:
    assert page(repository, name).is_file()
