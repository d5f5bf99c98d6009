"""The generated reference: every public name, and every field of what it names, is on a page."""

from __future__ import annotations

import dataclasses
import importlib
import os
import re
from pathlib import Path

import pytest
from pydantic import BaseModel

REPOSITORY = Path(__file__).parents[2]
PAGES = REPOSITORY / "docs" / "reference" / "api"
MODULES = [
    module
    for page in sorted(PAGES.glob("*.md"))
    for module in re.findall(r"^::: (\S+)$", page.read_text(), re.MULTILINE)
]


@pytest.fixture(scope="module")
def anchors() -> set[str]:
    if (site := os.environ.get("ADJUDGE_SITE")) is None:
        pytest.skip("there is no built site; `nox -s docs` builds it")
    pages = (Path(site) / "reference" / "api").rglob("index.html")
    return {anchor for page in pages for anchor in re.findall(r'id="(adjudge[^"]*)"', page.read_text())}


def test_every_package_of_the_kit_is_in_it() -> None:
    kit = {
        f"adjudge.kit.{found.stem}"
        for found in (REPOSITORY / "core" / "adjudge" / "kit").iterdir()
        if not found.name.startswith("_")
    }

    assert {module for module in MODULES if module.startswith("adjudge.kit")} == kit


@pytest.mark.parametrize("module", MODULES)
def test_every_public_name_and_field_is_in_it(module: str, anchors: set[str]) -> None:
    public = importlib.import_module(module)
    wanted = {f"{module}.{name}" for name in public.__all__}
    for name in public.__all__:
        wanted |= {f"{module}.{name}.{field}" for field in fields_of(getattr(public, name))}

    assert wanted - anchors == set()


def fields_of(item: object) -> list[str]:
    if not isinstance(item, type):
        return []
    if issubclass(item, BaseModel):
        names = list(item.model_fields)
    elif dataclasses.is_dataclass(item):
        names = [field.name for field in dataclasses.fields(item)]
    else:
        names = []
    # What a base class has is on the page of that class.
    return [
        name for name in names if name in vars(item).get("__annotations__", {}) and not name.startswith("_")
    ]
