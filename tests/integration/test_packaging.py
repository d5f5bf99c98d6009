"""What is built can be installed, and what is installed is complete. Nothing is fetched."""

from __future__ import annotations

import json
import os
import shutil
import site
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).parents[2]


def build(source: Path, out: Path, kind: str) -> Path:
    """Build ``source`` with what is installed here."""
    run(sys.executable, "-m", "build", f"--{kind}", "--no-isolation", "--outdir", str(out), str(source))
    [built] = out.glob("*.whl" if kind == "wheel" else "*.tar.gz")
    return built


def run(*command: str, cwd: Path | None = None) -> str:
    # Neither the checkout nor this environment's own adjudge may be what is found.
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in {"PYTHONPATH", "PIP_REQUIRE_VIRTUALENV"}
    }
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(REPOSITORY, tmp_path_factory.mktemp("sdist"), "sdist")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(REPOSITORY, tmp_path_factory.mktemp("wheel"), "wheel")


@pytest.fixture(scope="module")
def fresh_environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with pip that sees the libraries installed here, but after its own."""
    home = tmp_path_factory.mktemp("fresh") / "environment"
    venv.create(home, with_pip=True)
    [own] = home.glob("lib/python*/site-packages")
    (own / "libraries.pth").write_text("\n".join(site.getsitepackages()), encoding="utf-8")
    return home


@pytest.fixture
def environment(fresh_environment: Path, tmp_path: Path) -> Path:
    """A copy of it: making one takes seconds."""
    return shutil.copytree(fresh_environment, tmp_path / "environment", symlinks=True)


def python_of(environment: Path) -> str:
    return str(environment / "bin" / "python")


def pip_install(environment: Path, *what: str) -> None:
    offline = (
        "--no-index",
        "--no-deps",
        "--no-build-isolation",
        "--disable-pip-version-check",
        "--ignore-installed",
    )
    run(python_of(environment), "-m", "pip", "install", *offline, *what)


def listed_plugins(environment: Path, cwd: Path) -> dict[str, str]:
    """Names to states, as the installed command line tells them."""
    printed = run(python_of(environment), "-m", "adjudge", "plugins", "--json", cwd=cwd)
    return {plugin["name"]: plugin["state"] for plugin in json.loads(printed)}


def place_of(environment: Path, package: str, cwd: Path) -> Path:
    code = f"import {package}; print({package}.__file__)"
    return Path(run(python_of(environment), "-c", code, cwd=cwd).strip()).resolve()


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


def test_the_sdist_builds_the_same_wheel(sdist: Path, wheel: Path, tmp_path: Path) -> None:
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    again = build(tmp_path / sdist.name.removesuffix(".tar.gz"), tmp_path / "out", "wheel")

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
    wheel: Path, environment: Path, built_ins: set[str], tmp_path: Path
) -> None:
    pip_install(environment, str(wheel))

    assert place_of(environment, "adjudge_plugins", tmp_path).is_relative_to(environment.resolve())
    assert listed_plugins(environment, tmp_path) == dict.fromkeys(built_ins, "active")


def test_an_editable_installation_finds_every_built_in(
    environment: Path, built_ins: set[str], tmp_path: Path
) -> None:
    pip_install(environment, "-e", str(REPOSITORY))

    assert place_of(environment, "adjudge_plugins", tmp_path).is_relative_to(REPOSITORY / "plugins")
    assert place_of(environment, "adjudge", tmp_path).is_relative_to(REPOSITORY / "core")
    assert listed_plugins(environment, tmp_path) == dict.fromkeys(built_ins, "active")
