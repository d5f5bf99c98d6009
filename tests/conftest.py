"""Fixtures for every test."""

from __future__ import annotations

import gc
import importlib
import os
import signal
import sqlite3
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# A deadline for each example, and how long making one takes, would test how busy the machine is.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")

SHARED_DATA = Path(__file__).parents[2] / "shared" / "data"


@pytest.fixture(scope="session", autouse=True)
def _prepared() -> None:
    """What is imported by now stays: the garbage collections after each test need not look at it.

    A shell's background job ignores SIGINT, and so do the processes that it starts; tests send it to theirs.
    """
    gc.collect()
    gc.freeze()
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def _own_resources(_prepared: None) -> Iterator[None]:
    """A socket, file or transport that a test leaves open is a ResourceWarning of that test, not of a later one.

    Each of them holds a descriptor: where there are no more than before, nothing was left. A collection after every
    test would be a fifth of the time of the suite.
    """
    before = _open_descriptors()
    yield
    if before is None or _open_descriptors() != before:
        gc.collect()


def _open_descriptors() -> set[str] | None:
    """The descriptors of this process; ``None`` where the system does not show them."""
    try:
        return set(os.listdir("/proc/self/fd"))  # noqa: PTH208 - names are all that is wanted
    except OSError:
        return None


@pytest.fixture(autouse=True)
def _isolated(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every test has its own place for runs, and no configuration from outside; what is cached stays in the tests."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "cache"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.getbasetemp() / "config"))
    monkeypatch.setenv("ADJUDGE_HOME", str(tmp_path / "adjudge-home"))
    monkeypatch.delenv("ADJUDGE_DISABLE_PLUGINS", raising=False)
    monkeypatch.delenv("COLUMNS", raising=False)  # xdist gives its workers one
    for name in ("CI", "BUILD_NUMBER"):  # pytest prints longer summaries where one of them is set
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ADJUDGE_PROGRESS", "inf")  # a slow machine would say how far a run is


@pytest.fixture(autouse=True)
def _own_modules(tmp_path: Path) -> Iterator[None]:
    """What a test imported from its folder is forgotten: the next one may have another module of that name."""
    yield
    forget_modules_of(tmp_path)


def forget_modules_of(folder: Path) -> None:
    """Let modules that were imported from ``folder`` be imported anew."""
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None) or "").startswith(str(folder)):
            del sys.modules[name]


@pytest.fixture
def shared_data() -> Path:
    """The folder of real files of other people's agents."""
    if not SHARED_DATA.is_dir():
        pytest.skip("the folder of real files (../shared/data) is absent")
    return SHARED_DATA


@pytest.fixture
def adjudge(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run the command line in a process of its own, in ``tmp_path`` unless ``cwd`` is given."""

    def run(
        *args: str | Path, cwd: Path | None = None, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "adjudge", *map(str, args)],
            cwd=cwd or tmp_path,
            env={**os.environ, "PYTHONIOENCODING": "utf-8", **environment},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return run


@pytest.fixture
def adjudge_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run the command line in this process, in ``tmp_path``: the same as ``adjudge``, without a start of Python.

    Modules that it imports from ``tmp_path`` are forgotten after each command.
    """

    def run(*args: str | Path) -> subprocess.CompletedProcess[str]:
        from adjudge.cli import cli
        from adjudge.cli.exits import run_cli

        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", ["adjudge", *map(str, args)])
        importlib.invalidate_caches()
        capfd.readouterr()
        path = list(sys.path)
        try:
            with pytest.raises(SystemExit) as ended:
                run_cli(cli)
        finally:
            sys.path[:] = path
            forget_modules_of(tmp_path)
        out, err = capfd.readouterr()
        status = ended.value.code
        assert isinstance(status, int)
        return subprocess.CompletedProcess(args, status, out, err)

    return run


@pytest.fixture
def everything_in() -> Callable[[Path], str]:
    """The text of every file below a folder, and of every cell of its databases."""

    def read(folder: Path) -> str:
        texts: list[str] = []
        for path in folder.rglob("*"):
            if not path.is_file():
                continue
            data = path.read_bytes()
            texts.append(data.decode(errors="replace"))
            if data.startswith(b"SQLite format 3"):
                texts += _cells_of(path)
        return "\n".join(texts)

    return read


def _cells_of(database: Path) -> list[str]:
    connection = sqlite3.connect(database)
    try:
        tables = [
            name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        ]
        rows = [row for table in tables for row in connection.execute(f"SELECT * FROM {table}")]  # noqa: S608
    finally:
        connection.close()
    return [_unpacked(cell) for row in rows for cell in row]


def _unpacked(cell: object) -> str:
    if not isinstance(cell, bytes):
        return str(cell)
    try:
        return zlib.decompress(cell).decode()
    except (zlib.error, UnicodeDecodeError):
        return cell.decode(errors="replace")
