"""The base of all model classes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import from_json, to_json

from adjudge.model.plain_values import Plan, is_taken, plan_of

JsonValue: TypeAlias = Any
"""Any JSON value: ``None``, ``bool``, ``int``, ``float``, ``str``, list or object."""

JsonObject: TypeAlias = dict[str, Any]
"""A JSON object. Treat it as read-only: all users of frozen data share it."""

# Setters of pydantic's instance slots: a third faster than ``object.__setattr__``.
_set_dict: Final = BaseModel.__dict__["__dict__"].__set__
_set_given: Final = BaseModel.__dict__["__pydantic_fields_set__"].__set__
_set_extra: Final = BaseModel.__dict__["__pydantic_extra__"].__set__
_set_private: Final = BaseModel.__dict__["__pydantic_private__"].__set__
_GIVEN: Final[dict[tuple[str, ...], set[str]]] = {}
"""Shared sets of given fields, by the tuple of these fields. Frozen instances never change them."""


class Frozen(BaseModel):
    """Base class of the model: immutable, and unknown fields are errors."""

    # Building a validator takes about a millisecond per class. Deferred, it is done only for classes that are used.
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True, protected_namespaces=())

    __plans__: ClassVar[dict[tuple[str, ...], Plan | None]] = {}
    """Plans for creating instances without pydantic's validator, by the names of the given values."""

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        super().__pydantic_init_subclass__(**kwargs)
        cls.__plans__ = {}

    if not TYPE_CHECKING:  # type checkers derive the signature from the fields

        def __init__(self, /, **data: Any) -> None:
            names = tuple(data)
            plan = self.__plans__.get(names)
            if plan is not None and is_taken(data, plan):
                _set_dict(self, plan.values | data)
                _set_given(self, plan.given)
                _set_extra(self, None)
                _set_private(self, None)
                return
            self.__pydantic_validator__.validate_python(data, self_instance=self)
            # Most instances have the same given fields: sharing one set saves a third of the memory.
            given = self.__pydantic_fields_set__
            shared = _GIVEN.setdefault(names, given)
            if shared is not given and shared == given:
                _set_given(self, shared)
            if names not in self.__plans__:
                self.__plans__[names] = plan_of(self.__class__, Frozen.model_config, given)

        __init__.__pydantic_base_init__ = True  # pydantic need not call it when it parses JSON

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Copy with changed fields, which are not validated. Several times faster than pydantic's method."""
        if deep:
            return super().model_copy(update=update, deep=True)
        changed = update or {}
        copied = self.__class__.__new__(self.__class__)
        _set_dict(copied, {**self.__dict__, **changed})
        given = self.__pydantic_fields_set__
        if not given.issuperset(changed):
            given = _GIVEN.setdefault(tuple(sorted(given | changed.keys())), given | changed.keys())
        _set_given(copied, given)
        _set_extra(copied, None)  # no class of the model has extra fields
        _set_private(copied, None)  # or private attributes
        return copied


FrozenT = TypeVar("FrozenT", bound=Frozen)


def made_of(kind: type[FrozenT], values: dict[str, Any], given: set[str]) -> FrozenT:
    """An instance that is not validated: several times faster, for readers, which have checked the types.

    Args:
        kind: The class.
        values: All its fields, in order, of exactly the types of the fields. The instance keeps this object.
        given: The names of the fields that are not defaults; never changed.
    """
    made = kind.__new__(kind)
    _set_dict(made, values)
    _set_given(made, given)
    _set_extra(made, None)
    _set_private(made, None)
    return made


def validated_copy(kind: type[FrozenT], value: FrozenT, *, finite: bool = True) -> FrozenT:
    """A validated deep copy of an object made by third-party code.

    The object may be invalid: ``model_construct`` and ``model_copy`` do not validate, and a field for any JSON value
    may contain values that JSON does not have.

    Args:
        kind: The class of the copy; ``value`` may be an instance of a subclass.
        value: The object.
        finite: Whether ``NaN`` and infinities are errors; JSON does not have them.

    Raises:
        ValueError: the object is not valid for its class or in JSON; the message names the place.
    """
    try:
        # Use the serializer of ``kind``, because a subclass may have another one. Suppress warnings about wrong types:
        # the validation below reports them.
        plain = kind.__pydantic_serializer__.to_python(value, warnings=False)
        text = to_json(plain, inf_nan_mode="constants")
        if finite:
            from_json(text, allow_inf_nan=False)
        return kind.model_validate_json(text)
    except (ValueError, KeyboardInterrupt):
        raise
    except BaseException as error:  # properties and contained objects are third-party code too
        raise ValueError(f"{type(error).__name__}: {error}") from error


def told(error: ValueError) -> str:
    """The reason of a validation error in one line: the first error, with its place."""
    if not isinstance(error, ValidationError):
        return str(error).partition("\n")[0]
    first = error.errors(include_input=False, include_url=False)[0]
    place = ".".join(map(str, first["loc"]))
    return f"{place}: {first['msg']}" if place else first["msg"]


def canonical_sha256(value: JsonObject) -> str:
    """SHA-256 of a JSON object. Equal objects have the same hash, independent of the order of keys."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
