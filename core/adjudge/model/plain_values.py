"""Detects values that pydantic would return unchanged, to skip their validation.

Readers create millions of small instances, mostly of texts. Checking the types here is faster than pydantic's
validation, and takes a quarter of its time for a step, whose items are already instances. Values that are not obviously
valid are left to pydantic, which converts or rejects them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeAlias, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field
from pydantic.fields import FieldInfo

NOT_TAKEN: Final = object()
"""The return value of a ``Taking`` for a value that pydantic must validate."""
Taking: TypeAlias = Callable[[Any], Any]
"""Returns the value to store; or ``NOT_TAKEN`` if pydantic must validate it."""

_SIMPLE: Final = frozenset({str, int, float, bool, NoneType})
_STR: Final = frozenset({str})
_OBJECT: Final[frozenset[type]] = frozenset({dict})
_TUPLE: Final[frozenset[type]] = frozenset({tuple})


class Plan(NamedTuple):
    """The plan for creating an instance from values with certain names."""

    values: dict[str, Any]
    """All fields in order, with their defaults; never changed."""
    given: set[str]
    """The names of the given values; shared by all instances and never changed."""
    kinds: tuple[tuple[str, frozenset[type]], ...]
    """The allowed exact types of values by name; names that are not listed allow anything."""
    choices: tuple[tuple[str, frozenset[str | None]], ...]
    """The allowed values by name, for literal types."""
    takings: tuple[tuple[str, Taking], ...]
    """Checks by name, for values that need more than a check of their type."""


def plan_of(model: type[BaseModel], config: ConfigDict, given: set[str]) -> Plan | None:
    """The plan for creating instances from values with the names ``given``, which include all required fields.

    ``None`` if pydantic must validate: the class has validators, its own configuration, or fields of other types.
    """
    if not _is_plain(model, config):
        return None
    values: dict[str, Any] = {}
    kinds: list[tuple[str, frozenset[type]]] = []
    choices: list[tuple[str, frozenset[str | None]]] = []
    takings: list[tuple[str, Taking]] = []
    for name, field in model.model_fields.items():
        if field.alias or field.validation_alias or field.default_factory or field.validate_default:
            return None
        if name not in given:
            if type(field.default) not in _SIMPLE and field.default != ():
                return None
            values[name] = field.default
            continue
        values[name] = None
        parts = _parts(field.annotation)
        if field.metadata:
            taking = _with_bound(field)
        elif field.annotation is Any:
            continue
        elif all(map(_is_exact, parts)):
            kinds.append((name, frozenset(parts)))
            continue
        elif (words := _words_among(parts)) is not None:
            kinds.append((name, frozenset(map(type, words))))
            choices.append((name, words))
            continue
        else:
            taking = _taking_of(parts)
        if taking is None:
            return None
        takings.append((name, taking))
    return Plan(values, given, tuple(kinds), tuple(choices), tuple(takings))


def is_taken(data: dict[str, Any], plan: Plan) -> bool:
    """Whether all values are valid without pydantic. JSON objects in ``data`` are replaced by copies."""
    for name, kind in plan.kinds:
        if type(data[name]) not in kind:
            return False
    for name, choice in plan.choices:
        if data[name] not in choice:
            return False
    for name, taking in plan.takings:
        if (value := taking(data[name])) is NOT_TAKEN:
            return False
        data[name] = value
    return True


def _is_plain(model: type[BaseModel], config: ConfigDict) -> bool:
    decorators = model.__pydantic_decorators__
    checks = (
        decorators.validators,
        decorators.field_validators,
        decorators.root_validators,
        decorators.model_validators,
    )
    inherited = ("model_post_init", "__get_pydantic_core_schema__", "__new__", "__setattr__")
    return (
        not any(checks)
        and model.model_config == config
        and not model.__private_attributes__
        and all(_same(model, name) for name in inherited)
    )


def _same(model: type[BaseModel], name: str) -> bool:
    found, known = getattr(model, name, None), getattr(BaseModel, name, None)
    return getattr(found, "__func__", found) is getattr(known, "__func__", known)


def _with_bound(field: FieldInfo) -> Taking | None:
    """The check for an integer field whose only constraint is a lower bound."""
    [first, *_] = field.metadata
    bound = getattr(first, "ge", None)
    if field.annotation is not int or type(bound) is not int or field.metadata != Field(ge=bound).metadata:
        return None
    return lambda value: value if type(value) is int and value >= bound else NOT_TAKEN


def _words_among(parts: Sequence[Any]) -> frozenset[str | None] | None:
    """The allowed values of a field with literal texts, perhaps including ``None``; ``None`` for other fields."""
    words: list[Any] = []
    for part in parts:
        if get_origin(part) is Literal:
            words += get_args(part)
        elif part is NoneType:
            words.append(None)
        else:
            return None
    return frozenset(words) if all(type(word) in (str, NoneType) for word in words) else None


def _taking_of(parts: Sequence[Any]) -> Taking | None:
    match [part for part in parts if part is not NoneType]:
        case [only]:
            origin, arguments = get_origin(only), get_args(only)
        case _:
            return None
    if origin is dict and arguments == (str, Any) and len(parts) == 2:
        return _object_or_none
    if origin is tuple and arguments[1:] == (Ellipsis,) and len(parts) == 1:
        return _tuple_of(arguments[0])
    return None


def _parts(annotation: Any) -> tuple[Any, ...]:
    """The alternatives of an annotation; just the annotation if it is not a union."""
    return get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)


def _is_exact(kind: Any) -> bool:
    """Whether an instance of exactly this class needs no validation."""
    return kind in _SIMPLE or (isinstance(kind, type) and issubclass(kind, BaseModel))


def _object_or_none(value: Any) -> Any:
    """Copy a JSON object, as pydantic does, so that later changes of the caller's object have no effect."""
    if value is None:
        return None
    return value.copy() if type(value) in _OBJECT and _STR.issuperset(map(type, value)) else NOT_TAKEN


def _tuple_of(element: Any) -> Taking | None:
    if get_origin(element) is Annotated:
        element, *marks = get_args(element)
        # A discriminator is only used for parsing, so instances need no check of it.
        if not all(
            isinstance(mark, FieldInfo) and mark.discriminator and not mark.metadata for mark in marks
        ):
            return None
    parts = _parts(element)
    if not all(_is_exact(part) for part in parts):
        return None
    kinds = frozenset(parts)

    def taking(value: Any) -> Any:
        return value if type(value) in _TUPLE and kinds.issuperset(map(type, value)) else NOT_TAKEN

    return taking
