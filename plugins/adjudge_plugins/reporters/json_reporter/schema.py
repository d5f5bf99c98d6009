"""The published JSON schema, generated from the classes of the document.

``python -m adjudge_plugins.reporters.json_reporter.schema`` writes ``docs/reference/result.schema.json``.
"""

from __future__ import annotations

import ast
import inspect
import json
import sys
from itertools import pairwise
from typing import Any

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from adjudge_plugins.reporters.json_reporter.document import ResultDocument


class _Published(GenerateJsonSchema):
    """Every key is required and described by its docstring; additional keys are allowed for newer minor versions."""

    def field_is_required(self, *_field: Any, **_more: Any) -> bool:
        return True

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        found = super().model_schema(schema)
        found.pop("additionalProperties", None)
        texts = _texts(schema["cls"])
        for name, field in found.get("properties", {}).items():
            field.pop("title", None)
            if name in texts:
                field["description"] = _plain(texts[name])
        found["description"] = _plain(inspect.cleandoc(schema["cls"].__doc__ or ""))
        return found


def result_schema() -> dict[str, Any]:
    """Generate the JSON schema (draft 2020-12) of the document."""
    schema = ResultDocument.model_json_schema(mode="serialization", schema_generator=_Published)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def _texts(model: type[Any]) -> dict[str, str]:
    """The docstrings of the fields of a class and its bases. pydantic could collect them, but at every start."""
    texts: dict[str, str] = {}
    for cls in reversed(model.__mro__):
        if not cls.__module__.startswith(("adjudge.", "adjudge_plugins.")):
            continue
        [definition] = ast.parse(inspect.getsource(cls)).body
        statements = definition.body if isinstance(definition, ast.ClassDef) else []
        for field, below in pairwise(statements):
            match field, below:
                case (
                    ast.AnnAssign(target=ast.Name(id=name)),
                    ast.Expr(value=ast.Constant(value=str(text))),
                ):
                    texts[name] = inspect.cleandoc(text)
                case _:
                    pass
    return texts


def _plain(text: str) -> str:
    """Convert a docstring from Python's notation to that of JSON."""
    return text.replace("``None``", "``null``").replace("``", "`")


if __name__ == "__main__":
    sys.stdout.write(json.dumps(result_schema(), indent=2) + "\n")
