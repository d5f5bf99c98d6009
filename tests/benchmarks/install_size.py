"""What an installation brings: distributions, and the disk that they take."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from environments import Environments
from table import Row, at_most

_INSTALLERS: Final = ("pip", "setuptools", "_distutils_hack", "distutils-precedence.pth")


def rows(environments: Environments, rounds: int) -> Iterator[Row]:
    """Both environments hold nothing but the tool and what it needs; ``rounds`` changes nothing."""
    adk, adjudge = _packages(environments.adk), _packages(environments.adjudge)
    sizes = [_bytes(folder) / 2**20 for folder in (adk, adjudge)]
    counts = [_distributions(folder) for folder in (adk, adjudge)]
    yield Row("installed distributions", "packages", *counts, at_most(45))
    yield Row("installed size", "MiB", *sizes, at_most(200))


def _packages(python: Path) -> Path:
    (folder,) = python.parent.parent.glob("lib/python*/site-packages")
    return folder


def _distributions(packages: Path) -> int:
    return sum(not _is_installer(found) for found in packages.glob("*.dist-info"))


def _bytes(packages: Path) -> int:
    """What the files take on disk, byte code included, as ``du`` counts."""
    return sum(
        path.lstat().st_blocks * 512
        for top in packages.iterdir()
        if not _is_installer(top)
        for path in (top, *top.rglob("*"))
    )


def _is_installer(path: Path) -> bool:
    name = path.name
    return name in _INSTALLERS or name.startswith(("pip-", "setuptools-"))
