"""Helpers for validation errors: the class at a place in data, and unknown keys at any depth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from types import UnionType
from typing import Annotated, Any, TypeAlias, Union, cast, get_args, get_origin

from pydantic import BaseModel

Location: TypeAlias = tuple[int | str, ...]
"""The keys and indexes of a place in nested data, as in pydantic's errors."""


def known_keys(model: type[BaseModel]) -> list[str]:
    """All keys of a class, including aliases."""
    return list(
        dict.fromkeys(
            key for name, field in model.model_fields.items() for key in (name, field.alias or name)
        )
    )


def class_at(annotation: object, location: Location) -> type[BaseModel] | None:
    """The class of the object at ``location``; ``None`` if it has no class, or may have several."""
    for key in location:
        annotation = _at(annotation, key)
    classes = [kind for kind in _alternatives(annotation) if _is_class(kind)]
    return cast("type[BaseModel]", classes[0]) if len(classes) == 1 else None


def unknown_keys(
    annotation: object, data: object, location: Location = ()
) -> Iterator[tuple[Location, type[BaseModel]]]:
    """Find keys that the class of their object does not have, at any depth; yields the place and the class."""
    if isinstance(data, Mapping):
        items: list[tuple[Any, object]] = list(cast("Mapping[Any, object]", data).items())
        holder = class_at(annotation, ())
        if holder is not None:
            known = known_keys(holder)
            yield from (((*location, key), holder) for key, _ in items if key not in known)
    else:
        items = list(enumerate(cast("Sequence[object]", data))) if isinstance(data, list | tuple) else []
    for key, value in items:
        if (below := _at(annotation, key)) is not None:
            yield from unknown_keys(below, value, (*location, key))


def _at(annotation: object, key: int | str) -> object:
    """The annotation of the value at a key or an index; ``None`` if any value is allowed."""
    for kind in _alternatives(annotation):
        origin, arguments = get_origin(kind), get_args(kind)
        if _is_class(kind):
            fields = cast("type[BaseModel]", kind).model_fields
            found = next((field for name, field in fields.items() if key in (name, field.alias)), None)
            if found is not None:
                return found.annotation
        elif not isinstance(origin, type) or not arguments:
            continue
        elif isinstance(key, int) and issubclass(origin, Sequence | Set):
            if origin is not tuple or Ellipsis in arguments:
                return arguments[0]
            # The list is longer than the tuple, which is another error.
            return arguments[key] if key < len(arguments) else None
        elif isinstance(key, str) and issubclass(origin, Mapping):
            return arguments[1]
    return None


def _alternatives(annotation: object) -> tuple[object, ...]:
    """The alternatives of a union, without ``Annotated`` metadata."""
    if get_origin(annotation) is Annotated:
        return _alternatives(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        return tuple(each for part in get_args(annotation) for each in _alternatives(part))
    return (annotation,)


def _is_class(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)
