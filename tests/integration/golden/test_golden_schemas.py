"""What the published JSON schemas allow, wherever in the schema it is written."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parents[3] / "docs" / "reference"


def outline(schema: Any, root: Any, path: str = "$") -> Iterator[str]:
    """A line for each place of a document: its types, and whether the key may be absent."""
    kinds = list(alternatives(schema, root))
    described = sorted({said for kind in kinds if (said := described_as(kind))})
    yield f"{path}: {' | '.join(described)}"
    for kind in kinds:
        for key, value in kind.get("properties", {}).items():
            absent = "" if key in kind.get("required", ()) else " (may be absent)"
            first, *others = outline(value, root, f"{path}.{key}")
            yield f"{first}{absent}"
            yield from others
        if "items" in kind:
            yield from outline(kind["items"], root, f"{path}[]")
        if isinstance(kind.get("additionalProperties"), dict):
            yield from outline(kind["additionalProperties"], root, f"{path}.*")


def alternatives(schema: Any, root: Any) -> Iterator[Any]:
    """The schemas that a value may satisfy, with references followed."""
    if "$ref" in schema:
        yield from alternatives(root["$defs"][schema["$ref"].removeprefix("#/$defs/")], root)
    elif "anyOf" in schema:
        for one in schema["anyOf"]:
            yield from alternatives(one, root)
    else:
        yield schema


def described_as(schema: Any) -> str:
    """The type or the values, and every limit."""
    said = ("$schema", "$defs", "title", "description", "properties", "required", "items", "type")
    limits = {key: value for key, value in schema.items() if key not in said}
    if isinstance(limits.get("additionalProperties"), dict):
        limits.pop("additionalProperties")
    return f"{schema.get('type', 'any')}{' ' + json.dumps(limits, sort_keys=True) if limits else ''}"


@pytest.mark.parametrize("name", ["result"])
def test_a_published_schema(golden: Any, name: str) -> None:
    schema = json.loads((DOCS / f"{name}.schema.json").read_text(encoding="utf-8"))
    golden.text(f"schemas/{name}.txt", "\n".join(outline(schema, schema)) + "\n")
