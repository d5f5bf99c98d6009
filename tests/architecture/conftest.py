"""What the architecture tests look at: the sources as they stand in the checkout."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def repository() -> Path:
    return REPOSITORY


@pytest.fixture(scope="session")
def project() -> dict[str, Any]:
    """The root's ``pyproject.toml``."""
    return tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def imports() -> Callable[[Path], Iterator[str]]:
    """The modules that a file imports, at its top or inside a function, as absolute dotted names.

    ``from a.b import c`` gives ``a.b.c``: whether ``c`` is a module is for the caller to know.
    """

    def of(path: Path) -> Iterator[str]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{path}:{node.lineno}: a relative import"
                yield from (f"{node.module}.{alias.name}" for alias in node.names)

    return of
