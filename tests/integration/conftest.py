"""Real environments with real installed distributions. Nothing is fetched."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import site
import subprocess
import sys
import venv
import zipfile
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from adjudge.testing import fake_distribution


@dataclass(frozen=True)
class Environment:
    """A virtual environment that sees the libraries installed here, adjudge among them."""

    home: Path
    limit: float = 120
    """How many seconds a process may take."""

    @property
    def python(self) -> str:
        return str(self.home / "bin" / "python")

    def install(self, *wheels: Path) -> None:
        # What is visible from outside is never "already installed".
        offline = ("--no-index", "--no-deps", "--ignore-installed", "--disable-pip-version-check", "--quiet")
        self.run("-m", "pip", "install", *offline, *map(str, wheels))

    def run(self, *args: str, cwd: Path | None = None) -> str:
        done = self.process(*args, cwd=cwd)
        assert done.returncode == 0, f"{done.stdout}{done.stderr}"
        return done.stdout

    def adjudge(
        self, *args: str | Path, cwd: Path | None = None, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        return self.process("-m", "adjudge", *map(str, args), cwd=cwd, **variables)

    def process(
        self, *args: str, cwd: Path | None = None, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        inherited = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        return subprocess.run(
            [self.python, *args],
            cwd=cwd or self.home,
            env={**inherited, "PYTHONIOENCODING": "utf-8", **variables},
            capture_output=True,
            text=True,
            timeout=self.limit,
            check=False,
        )


@pytest.fixture(scope="session")
def bare_environment(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """The environment that others are copies of: making one with pip takes seconds."""
    home = tmp_path_factory.mktemp("bare") / "environment"
    venv.create(home, with_pip=True)
    [own] = home.glob("lib/python*/site-packages")
    # addsitedir follows .pth files too, so that an editable adjudge is seen as well as an installed one.
    lines = [f"import site; site.addsitedir({folder!r})" for folder in site.getsitepackages()]
    (own / "libraries.pth").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return Environment(home)


@pytest.fixture(scope="session")
def new_environment(
    bare_environment: Environment, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[], Environment]:
    """Make an environment that nothing is installed in."""

    def make() -> Environment:
        home = tmp_path_factory.mktemp("copy") / "environment"
        return Environment(Path(shutil.copytree(bare_environment.home, home, symlinks=True)))

    return make


@pytest.fixture(scope="session")
def write_wheel(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Write a wheel of Python modules with plugins of adjudge."""

    def write(
        name: str,
        version: str = "0.3.0",
        *,
        entry_points: Mapping[str, str],
        modules: Mapping[str, str],
        requires: Iterable[str] = (),
    ) -> Path:
        folder = tmp_path_factory.mktemp("wheel")
        info = fake_distribution(
            folder / "content", name, version, entry_points=entry_points, modules=modules, requires=requires
        )
        (info / "WHEEL").write_text(
            "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
            encoding="utf-8",
        )
        wheel = folder / f"{name.replace('-', '_')}-{version}-py3-none-any.whl"
        record: list[str] = []
        with zipfile.ZipFile(wheel, "w") as archive:
            for path in sorted(found for found in (folder / "content").rglob("*") if found.is_file()):
                inside = path.relative_to(folder / "content").as_posix()
                data = path.read_bytes()
                digest = urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
                record.append(f"{inside},sha256={digest},{len(data)}")
                archive.writestr(inside, data)
            listing = f"{info.name}/RECORD"
            archive.writestr(listing, "\n".join([*record, f"{listing},,"]) + "\n")
        return wheel

    return write


@pytest.fixture(scope="session")
def build_wheel(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], Path]:
    """Build the project in a folder with what is installed here."""

    def build(project: Path) -> Path:
        out = tmp_path_factory.mktemp("built")
        done = subprocess.run(
            [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(project)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{done.stdout}{done.stderr}"
        [wheel] = out.glob("*.whl")
        return wheel

    return build


@pytest.fixture
def on_a_terminal() -> Callable[..., tuple[int, list[str]]]:
    """Run the command line in the working folder, with a terminal as its standard error.

    Gives its exit status and what stood on the terminal, one update after the other.
    """
    fcntl = pytest.importorskip("fcntl", reason="this system has no pseudo-terminals")
    import pty
    import struct
    import termios

    def run(*args: str | Path, columns: int = 80, **environment: str) -> tuple[int, list[str]]:
        terminal, inside = pty.openpty()
        fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        process = subprocess.Popen(
            [sys.executable, "-m", "adjudge", *map(str, args)],
            stdout=subprocess.DEVNULL,
            stderr=inside,
            # Whoever runs tests on several processors says how wide their terminal is, and that goes before ours.
            env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "", **environment},
        )
        os.close(inside)
        shown = b""
        with contextlib.suppress(OSError):  # a pseudo-terminal ends with an error
            while chunk := os.read(terminal, 4096):
                shown += chunk
        os.close(terminal)
        plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.decode())
        return process.wait(), [line for line in re.split(r"[\r\n]+", plain) if line]

    return run
