"""Environments: one for adjudge, from a wheel of the checkout, and one for each tool beside it."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path
from typing import Final

REPOSITORY: Final = Path(__file__).parents[2]
ADK: Final = "google-adk[eval]==2.13.0"
ADK_VARIABLE: Final = "ADJUDGE_ADK_PYTHON"
PEERS: Final = ("pydantic-evals",)
LOGS: Final = ("atif==1.8.0", "bpe-openai==0.1.4")
"""What reads a format of logs, and what counts tokens as a provider does."""

_LISTING = """
import importlib.metadata as metadata, json, platform
found = {item.metadata["Name"].lower(): item.version for item in metadata.distributions()}
print(json.dumps({"python": platform.python_version(), **found}))
"""


@dataclass(frozen=True, slots=True)
class Environments:
    """Interpreters, and a folder for what is made on the way."""

    adjudge: Path
    adk: Path
    peers: Path | None
    work: Path
    logs: Path | None = None

    def folder(self, name: str) -> Path:
        """A folder of a row family's own."""
        folder = self.work / name
        folder.mkdir(parents=True, exist_ok=True)
        return folder


def script(python: Path, name: str) -> Path:
    """A console script beside an interpreter."""
    return python.parent / name


def adjudge_environment(work: Path) -> Path:
    """A fresh environment with nothing but the checkout's wheel and what it needs."""
    python = _made(work / "adjudge-environment", clear=True)
    wheels = work / "wheels"
    for old in wheels.glob("*.whl"):
        old.unlink()
    _run(python, "-m", "pip", "wheel", "-qq", "--no-deps", "--wheel-dir", wheels, REPOSITORY)
    (wheel,) = wheels.glob("*.whl")
    _run(python, "-m", "pip", "install", "-qq", wheel)
    return python


def runner_environment(work: Path) -> Path:
    """A fresh environment with the checkout's wheels of adjudge and of what runs ADK's agents."""
    python = _made(work / "runner-environment", clear=True)
    wheels = work / "runner-wheels"
    for old in wheels.glob("*.whl"):
        old.unlink()
    member = REPOSITORY / "contrib" / "adjudge-adk"
    _run(python, "-m", "pip", "wheel", "-qq", "--no-deps", "--wheel-dir", wheels, REPOSITORY, member)
    _run(python, "-m", "pip", "install", "-qq", *wheels.glob("*.whl"))
    return python


def adk_environment(work: Path, given: Path | None) -> Path:
    """The environment of google-adk: the given one, the one of an earlier run, or a fresh one."""
    return given or _reused(work / "adk-environment", ADK)


def peers_environment(work: Path) -> Path:
    """An environment with the other peers."""
    return _reused(work / "peers-environment", *PEERS)


def logs_environment(work: Path) -> Path:
    """An environment with what logs are compared with."""
    return _reused(work / "logs-environment", *LOGS)


def add_to(python: Path, *requirements: str) -> None:
    """Install what a row family needs besides, where it is not there yet."""
    known = versions(python)
    if missing := [name for name in requirements if name not in known]:
        _run(python, "-m", "pip", "install", "-qq", *missing)


def versions(python: Path) -> dict[str, str]:
    """The versions of Python and of every distribution in an environment, by name in lower case."""
    import json

    found: dict[str, str] = json.loads(
        subprocess.run([python, "-c", _LISTING], capture_output=True, text=True, check=True).stdout
    )
    return found


def _reused(folder: Path, *requirements: str) -> Path:
    python = _python_of(folder)
    done = folder / "complete"
    if not done.is_file() or done.read_text(encoding="utf-8") != "\n".join(requirements):
        python = _made(folder, clear=True)
        _run(python, "-m", "pip", "install", "-qq", *requirements)
        done.write_text("\n".join(requirements), encoding="utf-8")
    return python


def _made(folder: Path, *, clear: bool) -> Path:
    venv.create(folder, clear=clear, with_pip=True, symlinks=os.name != "nt")
    return _python_of(folder)


def _python_of(folder: Path) -> Path:
    return folder / ("Scripts" if os.name == "nt" else "bin") / "python"


def _run(*arguments: str | Path) -> None:
    subprocess.run([str(argument) for argument in arguments], check=True, stdout=sys.stderr)
