"""What every model class shares."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Self, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import from_json, to_json

JsonValue: TypeAlias = Any
"""Any JSON value: ``None``, ``bool``, ``int``, ``float``, ``str``, list or object."""

JsonObject: TypeAlias = dict[str, Any]
"""A JSON object. Shared between readers of frozen data: treat it as read-only."""


_set: Final = object.__setattr__
_GIVEN: Final[dict[tuple[str, ...], set[str]]] = {}
"""The sets of fields that instances were made with, by the fields in their order. Frozen instances never change them."""


class Frozen(BaseModel):
    """Base of the model: immutable, and unknown fields are refused."""

    # Building a validator costs about a millisecond a class; deferring it means that a
    # command pays only for the classes that it uses.
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True, protected_namespaces=())

    if not TYPE_CHECKING:  # the signature is that of the fields

        def __init__(self, /, **data: Any) -> None:
            self.__pydantic_validator__.validate_python(data, self_instance=self)
            # Which fields were given is the same for most instances: one set for all of them is a third less memory.
            given = self.__pydantic_fields_set__
            shared = _GIVEN.setdefault(tuple(data), given)
            if shared is not given and shared == given:
                _set(self, "__pydantic_fields_set__", shared)

        __init__.__pydantic_base_init__ = True  # what JSON gives needs no call of it

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy with some fields changed, which are not checked; several times faster than pydantic's own."""
        if deep:
            return super().model_copy(update=update, deep=True)
        changed = update or {}
        copied = self.__class__.__new__(self.__class__)
        _set(copied, "__dict__", {**self.__dict__, **changed})
        given = self.__pydantic_fields_set__
        if not changed.keys() <= given:
            given = _GIVEN.setdefault(tuple(sorted(given | changed.keys())), given | changed.keys())
        _set(copied, "__pydantic_fields_set__", given)
        _set(copied, "__pydantic_extra__", None)  # no class of the model takes further fields,
        _set(copied, "__pydantic_private__", None)  # and none has private ones
        return copied


FrozenT = TypeVar("FrozenT", bound=Frozen)


def validated_copy(kind: type[FrozenT], value: FrozenT, *, finite: bool = True) -> FrozenT:
    """A copy of what somebody's code made, which shares nothing with it and is what its class promises.

    ``model_construct`` and ``model_copy`` check nothing, and a field for any JSON value may hold what has no form
    in JSON.

    Args:
        kind: The class that the copy has; ``value`` may be of a class derived from it.
        value: What is copied.
        finite: Whether ``NaN`` and infinities are refused, which JSON has not.

    Raises:
        ValueError: it holds what its class or JSON has no place for; the message says what.
    """
    try:
        # With the serializer of ``kind``: a class that is made from it may have one of its own. No warnings of
        # values of wrong types: they are refused below.
        plain = kind.__pydantic_serializer__.to_python(value, warnings=False)
        text = to_json(plain, inf_nan_mode="constants")
        if finite:
            from_json(text, allow_inf_nan=False)
        return kind.model_validate_json(text)
    except (ValueError, KeyboardInterrupt):
        raise
    except BaseException as error:  # its properties, and what it holds, are somebody's code too
        raise ValueError(f"{type(error).__name__}: {error}") from error


def told(error: ValueError) -> str:
    """Why a value is refused, in one line: the first of many mistakes, with its place."""
    if not isinstance(error, ValidationError):
        return str(error).partition("\n")[0]
    first = error.errors(include_input=False, include_url=False)[0]
    place = ".".join(map(str, first["loc"]))
    return f"{place}: {first['msg']}" if place else first["msg"]


def canonical_sha256(value: JsonObject) -> str:
    """SHA-256 of a JSON object in its canonical form: the same for equal objects, whatever the order of their keys."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
