"""The options of a component in words, from its configuration class."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel
from pydantic_core import PydanticUndefined, to_jsonable_python

if TYPE_CHECKING:
    from adjudge.extension.configuration import ComponentConfig


def described_options(model: type[ComponentConfig]) -> list[dict[str, Any]]:
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
