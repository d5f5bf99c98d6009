"""Instances of the model are the same whether their values went through pydantic or were taken as they are."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import pytest
from pydantic import ValidationError

import adjudge.model
from adjudge.model import (
    Claim,
    Content,
    Invocation,
    Observation,
    Step,
    Text,
    ToolCall,
    ToolResult,
    Usage,
)
from adjudge.model.base import Frozen


class _Word(str):
    __slots__ = ()


class _Said(Text):
    """A class of somebody else's."""


_VALUES: Final = (
    None,
    True,
    0,
    1,
    -3,
    2.5,
    float("nan"),
    "thinking",
    "tool_use",
    "text",
    "\ud800",
    _Word("memory"),
    b"bytes",
    [],
    ["a"],
    {},
    {"a": [1, {"b": None}]},
    {1: "a"},
    {_Word("a"): 1},
    (),
    ("a", 1),
    (Text(text="a"), ToolCall(name="f")),
    [Text(text="a")],
    (_Said(text="a"),),
    (Text(text="a"), "b"),
    ({"kind": "text", "text": "a"},),
    (Step(number=1),),
    Usage(input_tokens=3),
    Content.of_text("a"),
    Step(number=2),
)
_CLASSES: Final = sorted(
    (
        kind
        for kind in (getattr(adjudge.model, name) for name in adjudge.model.__all__)
        if inspect.isclass(kind) and issubclass(kind, Frozen) and kind is not Frozen
    ),
    key=lambda kind: kind.__name__,
)


def _required(kind: type[Frozen]) -> dict[str, Any]:
    """The fewest values that make an instance; some of them, or none, where no value here fits the others."""
    needed = [name for name, field in kind.model_fields.items() if field.is_required()]
    found: dict[str, Any] = {}
    for name in needed:
        for value in _VALUES:
            try:
                kind.model_validate(dict.fromkeys(needed, "a") | found | {name: value})
            except ValidationError as error:
                if any(mistake["loc"][:1] == (name,) for mistake in error.errors()):
                    continue
            found[name] = value
            break
    return found


def _outcome(make: Callable[[], Frozen]) -> object:
    try:
        made = make()
    except ValidationError as error:
        return error.errors(include_url=False, include_context=False)
    return (
        repr(made),
        list(made.__dict__),
        {name: type(value) for name, value in made},
        sorted(made.model_fields_set),
        made.__pydantic_extra__,
        made.__pydantic_private__,
    )


@pytest.mark.parametrize("kind", _CLASSES, ids=lambda kind: kind.__name__)
def test_every_value_is_taken_or_refused_as_pydantic_does_it(kind: type[Frozen]) -> None:
    base = _required(kind)
    for name in kind.model_fields:
        # The first good value teaches how instances are made from these names; the second round uses it.
        for value in (*_VALUES, *_VALUES):
            data = {**base, name: value}
            made, validated = _outcome(partial(kind, **data)), _outcome(partial(kind.model_validate, data))
            assert repr(made) == repr(validated)


def test_what_the_caller_changes_in_its_own_object_does_not_show() -> None:
    for _ in range(2):
        arguments = {"a": 1}
        call = ToolCall(name="f", args=arguments)
        arguments["b"] = 2
        assert call.args == {"a": 1}


def test_an_instance_of_a_foreign_class_among_the_items_is_taken_as_before() -> None:
    for _ in range(2):
        assert isinstance(Step(number=1, items=(_Said(text="a"),)).items[0], _Said)


def test_what_is_made_goes_through_json_and_back() -> None:
    for _ in range(2):
        step = Step(
            number=1,
            items=(
                Claim(field="memory", text="m"),
                ToolCall(name="f", args={"a": 1}),
                ToolResult(name="f", value=[1]),
                Observation(text="seen", source="url"),
            ),
            extra={"k": "v"},
        )
        turn = Invocation(user_content=Content.of_text("hello", "user"), steps=(step,))
        assert Invocation.model_validate_json(turn.model_dump_json()) == turn
        assert Invocation.model_validate_json(turn.model_dump_json(exclude_defaults=True)) == turn


def test_fields_that_are_missing_unknown_or_wrong_are_refused_in_the_same_words() -> None:
    Text(text="a")
    for wrong in ({}, {"text": 1}, {"text": "a", "unknown": 1}, {"text": "a", "kind": "claim"}):
        with pytest.raises(ValidationError) as made:
            Text(**wrong)
        with pytest.raises(ValidationError) as validated:
            Text.model_validate(wrong)
        assert str(made.value) == str(validated.value)
