"""What is imported is declared, what is declared is imported, and the documentation says why."""

from __future__ import annotations

import importlib.metadata
import re
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

Imports = Callable[[Path], Iterator[str]]

REPOSITORY = Path(__file__).parents[2]
MEMBERS = sorted(found.parent for found in REPOSITORY.glob("contrib/[!_]*/pyproject.toml"))

OPTIONAL = {"google"}
"""Packages that are used where the user's own environment has them, and never asked for."""

PARTS = {
    "agents": "openai-agents",
    "google.adk": "google-adk",
    "google.auth": "google-auth",
    "google.genai": "google-genai",
    "pydantic_ai": "pydantic-ai-slim",
    "langgraph": "langgraph",
    "langgraph.checkpoint": "langgraph-checkpoint",
    "langgraph.store": "langgraph-checkpoint",
    "a2a": "a2a-sdk",
    "google.protobuf": "protobuf",
    "pydantic_core": "pydantic",
}
"""Packages whose first name does not say which dependency they are: a distribution of their own, a shared name."""


def normal(name: str) -> str:
    """The name of a distribution as PEP 503 compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def required(requirements: list[str]) -> set[str]:
    found: set[str] = set()
    for requirement in requirements:
        name = re.match(r"[A-Za-z0-9._-]+", requirement)
        assert name, requirement
        found.add(normal(name[0]))
    return found


def read(member: Path) -> dict[str, Any]:
    """The ``pyproject.toml`` of a member."""
    return tomllib.loads((member / "pyproject.toml").read_text(encoding="utf-8"))


def dependencies(project: dict[str, Any]) -> set[str]:
    return required(project["project"].get("dependencies", []))


def extras(project: dict[str, Any]) -> set[str]:
    tables = project["project"].get("optional-dependencies", {}).values()
    return required([requirement for table in tables for requirement in table])


def only_extras(project: dict[str, Any]) -> set[str]:
    """What may be imported, but need not be."""
    return extras(project) - dependencies(project)


def imported(folders: list[Path], imports: Imports) -> set[str]:
    """The distributions that the files in ``folders`` import; a package of nobody's is its own name."""
    owners = importlib.metadata.packages_distributions()
    found: set[str] = set()
    for folder in folders:
        for path in folder.rglob("*.py"):
            for name in imports(path):
                top, _, rest = name.partition(".")
                if (part := f"{top}.{rest.partition('.')[0]}") in PARTS:
                    found.add(PARTS[part])
                    continue
                if top in sys.stdlib_module_names or top in OPTIONAL or (folder / top).exists():
                    continue
                found.add(normal(PARTS.get(top) or owners.get(top, [top])[0]))
    return found


def test_the_imports_of_adjudge_are_its_dependencies(
    repository: Path, project: dict[str, Any], imports: Imports
) -> None:
    found = imported([repository / "core", repository / "plugins"], imports)

    assert found - {"adjudge"} - only_extras(project) == dependencies(project)


@pytest.mark.parametrize("member", MEMBERS, ids=lambda member: member.name)
def test_the_imports_of_a_contrib_member_are_its_dependencies(member: Path, imports: Imports) -> None:
    project = read(member)

    assert imported([member / "src"], imports) - only_extras(project) == dependencies(project)


def test_the_documentation_says_why_each_dependency_is_there(
    repository: Path, project: dict[str, Any]
) -> None:
    page = (repository / "docs" / "reference" / "dependencies.md").read_text(encoding="utf-8")
    explained = {normal(name) for name in re.findall(r"^\| `([^`]+)` \|", page, flags=re.MULTILINE)}
    groups = project["dependency-groups"].values()
    tools = required([entry for group in groups for entry in group if isinstance(entry, str)])
    build = required(project["build-system"]["requires"])

    members = {name for member in MEMBERS for name in dependencies(read(member))} - {"adjudge"}
    assert explained == dependencies(project) | extras(project) | members | tools | build
