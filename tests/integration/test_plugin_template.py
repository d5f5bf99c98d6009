"""`adjudge plugins new`: a package of every kind, and what its author is told."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from click.testing import CliRunner

from adjudge.cli import cli
from adjudge.testing import fake_distribution

Run = Callable[..., CompletedProcess[str]]

KINDS = (
    "criterion",
    "judged-criterion",
    "judge",
    "granularity",
    "agent",
    "reader",
    "reporter",
    "observer",
    "command",
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a package of every kind, and with the metadata that installing them would write."""
    folder = tmp_path_factory.mktemp("made")
    for kind in KINDS:
        done = CliRunner().invoke(
            cli, ["plugins", "new", f"shop-{kind}", "--kind", kind, "--directory", str(folder)]
        )
        assert done.exit_code == 0, done.output
        project = tomllib.loads((folder / f"adjudge-shop-{kind}" / "pyproject.toml").read_text())["project"]
        points = project["entry-points"]
        fake_distribution(
            folder / "site",
            project["name"],
            entry_points=points.get("adjudge"),
            commands=points.get("adjudge.commands"),
        )
    return folder


def packages(made: Path) -> list[Path]:
    return sorted(made.glob("adjudge-shop-*"))


def environment(made: Path) -> dict[str, str]:
    sources = [str(package / "src") for package in packages(made)]
    path = os.pathsep.join([str(made / "site"), *sources])
    return {**os.environ, "PYTHONPATH": path, "ADJUDGE_HOME": str(made / "home")}


def run(made: Path, *arguments: str, cwd: Path | None = None) -> CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd or made,
        env=environment(made),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def test_a_package_of_every_kind_passes_its_own_tests(made: Path) -> None:
    tests = [str(package / "tests") for package in packages(made)]
    arguments = ("-q", "-W", "error", "-p", "no:cacheprovider", "--import-mode=importlib")
    done = run(made, "-m", "pytest", *arguments, *tests)

    assert len(tests) == len(KINDS)
    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout


def test_a_package_of_every_kind_is_linted(made: Path) -> None:
    if importlib.util.find_spec("ruff") is None:
        pytest.skip("ruff is not installed; `nox -s contrib` lints and types the packages")
    for command in (("check",), ("format", "--check")):
        done = run(made, "-m", "ruff", *command, "--no-cache", *map(str, packages(made)))
        assert done.returncode == 0, done.stdout


def test_a_package_has_what_a_repository_of_strangers_needs(made: Path) -> None:
    for package in packages(made):
        names = {str(path.relative_to(package)) for path in package.rglob("*") if path.is_file()}
        wanted = {"LICENSE", "CHANGELOG.md", "README.md", ".gitignore", ".github/workflows/test.yml"}
        assert wanted <= names
        assert any(name.endswith("py.typed") for name in names)
        settings = tomllib.loads((package / "pyproject.toml").read_text())
        assert {"mypy", "pytest", "ruff"} <= settings["tool"].keys()
        assert settings["project"]["description"]
        texts = [path.read_text() for path in package.rglob("*") if path.suffix in (".py", ".md", ".toml")]
        assert not any("${" in text for text in texts), "a placeholder is left"


def test_plugins_check_finds_nothing_wrong_with_any(made: Path) -> None:
    done = run(made, "-m", "adjudge", "plugins", "--json")

    assert done.returncode == 0
    assert '"failed"' not in done.stdout
    for package in packages(made):
        checked = run(made, "-m", "adjudge", "plugins", "check", package.name)
        assert (checked.returncode, checked.stdout[-8:]) == (0, "  sound\n"), checked.stdout + checked.stderr


def test_a_name_that_is_taken_is_told(adjudge: Run, tmp_path: Path) -> None:
    site = tmp_path / "site"
    module = (
        "from adjudge.plugin import CriterionSpec, hookimpl\n"
        "@hookimpl.criteria\n"
        "def criteria():\n"
        "    return [CriterionSpec(name='words_keywords', summary='x', factory=lambda config, host: None)]\n"
    )
    fake_distribution(site, "adjudge-words", entry_points={"texts": "a_module"}, modules={"a_module": module})
    fake_distribution(site, "adjudge-other", entry_points={"words": "b_module"}, modules={"b_module": module})

    def new(*arguments: str) -> str:
        done = adjudge("plugins", "new", *arguments, "--directory", "made", PYTHONPATH=str(site))
        assert done.returncode == 0, done.stderr
        return done.stderr

    assert "adjudge-words 1.0 is installed: a package of that name replaces it" in new("words")
    assert "the plugin name 'texts' is used by adjudge-words 1.0" in new("texts")
    assert new("nothing-like-it") == ""
    assert "adjudge has a command 'runs' here" in new("runs", "--kind", "command")


def test_a_component_that_has_the_name_already_is_told(adjudge: Run, tmp_path: Path) -> None:
    done = adjudge("plugins", "new", "openai", "--kind", "judge")

    assert done.returncode == 0
    assert "openai-judge/openai is called 'openai' too" in done.stderr


def test_a_folder_with_something_in_it_is_left_alone(adjudge: Run, tmp_path: Path) -> None:
    (tmp_path / "adjudge-words").mkdir()
    (tmp_path / "adjudge-words" / "mine.txt").write_text("mine")

    done = adjudge("plugins", "new", "words")

    assert done.returncode == 2
    assert "adjudge-words exists already" in done.stderr
    assert [path.name for path in (tmp_path / "adjudge-words").iterdir()] == ["mine.txt"]
