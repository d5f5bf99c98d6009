"""What is built can be installed, and what is installed is complete. Nothing is fetched."""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(build_wheel: Callable[[Path], Path]) -> Path:
    return build_wheel(REPOSITORY)


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("sdist")
    command = [
        sys.executable,
        "-m",
        "build",
        "--sdist",
        "--no-isolation",
        "--outdir",
        str(out),
        str(REPOSITORY),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"
    [built] = out.glob("*.tar.gz")
    return built


def listed_plugins(environment: Any, cwd: Path) -> dict[str, str]:
    """Names to states, as the installed command line tells them."""
    done = environment.adjudge("plugins", "--json", cwd=cwd)
    assert done.returncode == 0, done.stdout + done.stderr
    return {plugin["name"]: plugin["state"] for plugin in json.loads(done.stdout)}


def place_of(environment: Any, package: str, cwd: Path) -> Path:
    return Path(
        environment.run("-c", f"import {package}; print({package}.__file__)", cwd=cwd).strip()
    ).resolve()


@pytest.fixture
def built_ins() -> set[str]:
    project: dict[str, Any] = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    return set(project["project"]["entry-points"]["adjudge"])


def test_the_wheel_holds_both_packages_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()

    tops = {name.split("/")[0] for name in names}
    assert tops == {"adjudge", "adjudge_plugins", wheel.name.rsplit("-", 3)[0] + ".dist-info"}
    assert {"adjudge/py.typed", "adjudge_plugins/py.typed"} <= set(names)
    assert [name for name in names if "__pycache__" in name or name.endswith(".pyc")] == []


def test_the_sdist_builds_the_same_wheel(
    sdist: Path, wheel: Path, build_wheel: Callable[[Path], Path], tmp_path: Path
) -> None:
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    again = build_wheel(tmp_path / sdist.name.removesuffix(".tar.gz"))

    with zipfile.ZipFile(wheel) as first, zipfile.ZipFile(again) as second:
        assert sorted(first.namelist()) == sorted(second.namelist())
        assert [name for name in first.namelist() if first.read(name) != second.read(name)] == []


def test_the_sdist_has_what_its_own_tests_need(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}

    assert {
        "noxfile.py",
        "pyproject.toml",
        "uv.lock",
        "tests/conftest.py",
        "docs/index.md",
        "CHANGELOG.md",
        "LICENSE",
    } <= names


def test_an_installed_wheel_finds_every_built_in(
    wheel: Path, new_environment: Callable[[], Any], built_ins: set[str], tmp_path: Path
) -> None:
    environment = new_environment()
    environment.install(wheel)

    assert place_of(environment, "adjudge_plugins", tmp_path).is_relative_to(environment.home.resolve())
    assert listed_plugins(environment, tmp_path) == dict.fromkeys(built_ins, "active")


def test_an_editable_installation_finds_every_built_in(
    new_environment: Callable[[], Any], built_ins: set[str], tmp_path: Path
) -> None:
    environment = new_environment()
    offline = ("--no-index", "--no-deps", "--no-build-isolation", "--ignore-installed")
    environment.run("-m", "pip", "install", *offline, "--editable", str(REPOSITORY))

    assert place_of(environment, "adjudge_plugins", tmp_path).is_relative_to(REPOSITORY / "plugins")
    assert place_of(environment, "adjudge", tmp_path).is_relative_to(REPOSITORY / "core")
    assert "adjudge" in environment.run(
        "-m", "pip", "list", "--editable", "--path", *own_packages(environment)
    )
    assert listed_plugins(environment, tmp_path) == dict.fromkeys(built_ins, "active")


def own_packages(environment: Any) -> list[str]:
    return [str(found) for found in environment.home.glob("lib/python*/site-packages")]
