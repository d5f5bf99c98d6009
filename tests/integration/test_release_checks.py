"""What `nox -s release` finds in a checkout and in what was built of it."""

from __future__ import annotations

import importlib.util
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def release() -> Any:
    spec = importlib.util.spec_from_file_location("release", REPOSITORY / "tests" / "release" / "release.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """What a release looks at, of a project with one module."""
    (tmp_path / "core" / "adjudge").mkdir(parents=True)
    (tmp_path / "plugins").mkdir()
    (tmp_path / "core" / "adjudge" / "__init__.py").write_text('__version__ = "0.1.0"\n')
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "adjudge"\nversion = "0.1.0"\n')
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## [Unreleased]\n- Something new.\n")
    return tmp_path


METADATA = (
    "Metadata-Version: 2.4\nName: adjudge\nVersion: 0.1.0\nSummary: x\n"
    "License-Expression: Apache-2.0\nRequires-Python: >=3.11\n"
)
WHEEL = {
    "adjudge/__init__.py": "",
    "adjudge/py.typed": "",
    "adjudge/_template/criterion/kind.toml": "",
    "adjudge-0.1.0.dist-info/METADATA": METADATA,
    "adjudge-0.1.0.dist-info/entry_points.txt": "",
    "adjudge-0.1.0.dist-info/licenses/LICENSE": "",
}


def wheel(folder: Path, content: dict[str, str]) -> Path:
    path = folder / "adjudge-0.1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in content.items():
            archive.writestr(name, text)
    return path


def test_a_version_is_set_everywhere_and_the_changelog_is_dated(release: Any, checkout: Path) -> None:
    before = list(release.problems_of_version(checkout))
    with pytest.raises(SystemExit, match=r"not ready:\n  CHANGELOG.md has no section"):
        release.check_version(checkout)
    release.prepare(checkout, "0.2.0")

    assert before == [
        "CHANGELOG.md has no section '## [0.1.0] - DATE'; `nox -s release -- 0.1.0` makes it",
    ]
    assert list(release.problems_of_version(checkout)) == []
    assert release.version_of(checkout) == "0.2.0"
    assert (checkout / "core" / "adjudge" / "__init__.py").read_text() == '__version__ = "0.2.0"\n'
    assert "## [Unreleased]\n\n## [0.2.0] - 20" in (checkout / "CHANGELOG.md").read_text()


@pytest.mark.parametrize("version", ["1", "v1.2.3", "1.2.3 "])
def test_what_is_no_version_is_refused(release: Any, checkout: Path, version: str) -> None:
    with pytest.raises(SystemExit, match="is no version"):
        release.prepare(checkout, version)


def test_a_section_without_a_line_is_told(release: Any, checkout: Path) -> None:
    (checkout / "CHANGELOG.md").write_text(
        "## [Unreleased]\n\n## [0.1.0] - 2026-01-01\n\n## [0.0.9] - 2025-01-01\n- x\n"
    )

    assert list(release.problems_of_version(checkout)) == ["CHANGELOG.md says nothing of 0.1.0"]


def test_a_whole_wheel_is_ready(release: Any, checkout: Path) -> None:
    assert list(release.problems_of_wheel(wheel(checkout, WHEEL), checkout)) == []


@pytest.mark.parametrize(
    ("added", "taken", "told"),
    [
        ({"adjudge/__pycache__/x.pyc": ""}, "", "has adjudge/__pycache__/x.pyc"),
        ({"adjudge/.env": "KEY=1"}, "", "has adjudge/.env"),
        ({"tests/test_x.py": ""}, "", "has tests"),
        ({}, "adjudge/__init__.py", "lacks adjudge/__init__.py"),
        ({}, "adjudge/py.typed", "has adjudge without py.typed"),
        ({}, "adjudge/_template/criterion/kind.toml", "lacks adjudge/_template/criterion/kind.toml"),
        ({}, "adjudge-0.1.0.dist-info/licenses/LICENSE", "lacks adjudge-0.1.0.dist-info/licenses/LICENSE"),
        ({}, "adjudge-0.1.0.dist-info/entry_points.txt", "has no entry points"),
    ],
)
def test_what_is_wrong_with_a_wheel_is_told(
    release: Any, checkout: Path, added: dict[str, str], taken: str, told: str
) -> None:
    content = {name: text for name, text in {**WHEEL, **added}.items() if name != taken}

    problems = list(release.problems_of_wheel(wheel(checkout, content), checkout))

    assert f"adjudge-0.1.0-py3-none-any.whl {told}" in problems


def test_what_is_wrong_with_a_source_distribution_is_told(release: Any, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "secret.sqlite3").touch()
    sdist = tmp_path / "adjudge-0.1.0.tar.gz"
    with tarfile.open(sdist, "w:gz") as archive:
        for name in ("pyproject.toml", "secret.sqlite3"):
            archive.add(tmp_path / name, f"adjudge-0.1.0/{name}")

    assert list(release.problems_of_sdist(sdist)) == [
        "adjudge-0.1.0.tar.gz has secret.sqlite3",
        "adjudge-0.1.0.tar.gz lacks README.md",
        "adjudge-0.1.0.tar.gz lacks PKG-INFO",
    ]
