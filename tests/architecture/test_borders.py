"""Who may import whom: the contracts of ``pyproject.toml``, and what they cannot see."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from importlinter.cli import lint_imports

import adjudge

Imports = Callable[[Path], Iterator[str]]

PUBLIC = ("adjudge.plugin", "adjudge.model", "adjudge.kit", *(f"adjudge.{name}" for name in adjudge.__all__))
"""What a plugin may import of adjudge."""

DENY_PLUGINS = """
import importlib, pkgutil, sys

class Deny:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "adjudge_plugins":
            raise ImportError(f"{name} is denied")

sys.meta_path.insert(0, Deny())
import adjudge
for module in pkgutil.walk_packages(adjudge.__path__, "adjudge."):
    if module.name != "adjudge.__main__":
        importlib.import_module(module.name)
        print(module.name)
"""


def python_files(folder: Path) -> list[Path]:
    found = sorted(folder.rglob("*.py"))
    assert found, f"no Python file in {folder}"
    return found


def test_the_import_contracts_hold(repository: Path) -> None:
    assert lint_imports(config_filename=str(repository / "pyproject.toml"), no_cache=True) == 0


def test_every_module_of_the_core_imports_where_plugins_are_denied() -> None:
    # import-linter does not see importlib.import_module("adjudge_plugins...").
    done = subprocess.run([sys.executable, "-c", DENY_PLUGINS], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert "adjudge.cli.listing" in done.stdout.split()


def test_every_family_of_built_ins_is_under_the_contract_of_independence(
    repository: Path, project: dict[str, Any]
) -> None:
    root = repository / "plugins" / "adjudge_plugins"
    families = {f"adjudge_plugins.{found.parent.name}" for found in root.glob("*/__init__.py")}
    [independent] = [
        contract["modules"]
        for contract in project["tool"]["importlinter"]["contracts"]
        if contract["type"] == "independence"
    ]

    assert {name.removesuffix(".*") for name in independent} == families


def test_plugins_see_only_the_public_door_and_themselves(repository: Path, imports: Imports) -> None:
    plugins = repository / "plugins"
    trespasses: list[str] = []
    for path in python_files(plugins):
        own = ".".join(path.relative_to(plugins).parts[:2])
        for name in imports(path):
            if name.split(".")[0] not in {"adjudge", "adjudge_plugins"}:
                continue
            allowed = PUBLIC if name.split(".")[0] == "adjudge" else (own,)
            if not any(name == door or name.startswith(f"{door}.") for door in allowed):
                trespasses.append(f"{path.relative_to(repository)} imports {name}")

    assert trespasses == []


def test_plugins_name_no_module_of_adjudge_in_a_string(repository: Path) -> None:
    # A dynamic import would pass every check above.
    dynamic = [
        str(path.relative_to(repository))
        for path in python_files(repository / "plugins")
        if any(
            word in path.read_text(encoding="utf-8")
            for word in ('import_module("adjudge', '__import__("adjudge')
        )
    ]

    assert dynamic == []
