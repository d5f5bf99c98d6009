"""Where things lie: the top level, the two import packages, and one folder for each built-in."""

from __future__ import annotations

import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

TOP_LEVEL = {
    "CHANGELOG.md",
    "LICENSE",
    "README.md",
    "contrib",
    "core",
    "docs",
    "noxfile.py",
    "plugins",
    "pyproject.toml",
    "tests",
    "uv.lock",
}

LONGEST = 400
"""Lines of a source file. A longer one has more than one idea."""


def test_the_top_level_holds_nothing_else(repository: Path) -> None:
    if not (repository / ".git").exists():
        pytest.skip("not a clone: what belongs to the repository is not known")
    done = subprocess.run(
        ["git", "-c", f"safe.directory={repository}", "ls-files"],
        cwd=repository,
        capture_output=True,
        text=True,
        check=True,
    )
    found = {line.split("/")[0] for line in done.stdout.splitlines()}

    assert {name for name in found if not name.startswith(".")} == TOP_LEVEL


@pytest.mark.parametrize(("folder", "package"), [("core", "adjudge"), ("plugins", "adjudge_plugins")])
def test_an_import_root_holds_its_package_and_nothing_else(
    repository: Path, folder: str, package: str
) -> None:
    # An editable installation puts the folder on sys.path: whatever lies there could be imported.
    importable = {found.name for found in (repository / folder).iterdir() if found.name != "__pycache__"}

    assert importable == {package}
    assert (repository / folder / package / "py.typed").is_file()


def test_every_plugin_has_an_entry_point(repository: Path, project: dict[str, Any]) -> None:
    root = repository / "plugins"
    plugins = {
        ".".join(found.relative_to(root).with_suffix("").parts).removesuffix(".__init__")
        for found in root.rglob("*.py")
        if "@hookimpl." in found.read_text(encoding="utf-8")
    }

    assert set(project["project"]["entry-points"]["adjudge"].values()) == plugins


def test_a_plugin_is_named_as_its_module(project: dict[str, Any]) -> None:
    for name, module in project["project"]["entry-points"]["adjudge"].items():
        assert name == module.rpartition(".")[2].replace("_", "-")


def test_the_version_is_said_once_in_both_places(repository: Path, project: dict[str, Any]) -> None:
    import adjudge

    assert adjudge.__version__ == project["project"]["version"]


def test_no_source_file_is_long(repository: Path) -> None:
    long = {
        str(path.relative_to(repository)): lines
        for folder in ("core", "plugins", "contrib")
        for path in (repository / folder).rglob("*.py")
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > LONGEST
    }

    assert long == {}


def test_the_lock_file_names_public_places_only(repository: Path) -> None:
    lock = tomllib.loads((repository / "uv.lock").read_text(encoding="utf-8"))
    foreign: list[str] = []
    for package in lock["package"]:
        source = package["source"]
        if source.get("registry", "https://pypi.org/simple") != "https://pypi.org/simple":
            foreign.append(f"{package['name']}: {source}")
        files = [*package.get("wheels", []), *([package["sdist"]] if "sdist" in package else [])]
        foreign += [
            f"{package['name']}: {file['url']}"
            for file in files
            if not file.get("url", "https://files.pythonhosted.org/").startswith(
                "https://files.pythonhosted.org/"
            )
        ]

    assert foreign == []
