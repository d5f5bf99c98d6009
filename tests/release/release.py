"""What `nox -s release` does: sets a version, checks what was built, and tries it. Nothing is published from here."""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from email.parser import Parser
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
UNRELEASED = "## [Unreleased]\n"
NEVER = re.compile(r"(^|/)(__pycache__|\.venv|\.git|\.env|node_modules|\.adjudge)(/|$)|\.(pyc|sqlite3|gguf)$")
"""What no distribution has in it."""
CASES = {
    "eval_set_id": "trial",
    "eval_cases": [
        {
            "eval_id": "greeting",
            "conversation": [
                {
                    "user_content": {"parts": [{"text": "hi"}]},
                    "final_response": {"parts": [{"text": "hello"}]},
                }
            ],
        }
    ],
}


def version_of(repository: Path) -> str:
    """The version in ``pyproject.toml``."""
    version: str = tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "version"
    ]
    return version


def prepare(repository: Path, version: str) -> None:
    """Write the version where it stands, and give the changelog's newest lines its heading."""
    if not re.fullmatch(r"\d+\.\d+\.\d+((a|b|rc)\d+)?", version):
        raise SystemExit(f"{version!r} is no version: 1.2.3, 1.2.3rc1")
    old = version_of(repository)
    replaced(repository / "pyproject.toml", f'version = "{old}"', f'version = "{version}"')
    replaced(repository / "core/adjudge/__init__.py", f'__version__ = "{old}"', f'__version__ = "{version}"')
    heading = f"{UNRELEASED}\n## [{version}] - {datetime.now(UTC):%Y-%m-%d}\n"
    replaced(repository / "CHANGELOG.md", UNRELEASED, heading)


def replaced(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    if old not in text:
        raise SystemExit(f"{file} has no {old.strip()!r}")
    file.write_text(text.replace(old, new, 1), encoding="utf-8")


def problems_of_version(repository: Path) -> Iterator[str]:
    """Why the checkout cannot be released."""
    version = version_of(repository)
    module = (repository / "core/adjudge/__init__.py").read_text(encoding="utf-8")
    if f'__version__ = "{version}"' not in module:
        yield f"core/adjudge/__init__.py has another version than pyproject.toml, {version}"
    changelog = (repository / "CHANGELOG.md").read_text(encoding="utf-8")
    found = re.search(
        rf"^## \[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d\n(.*?)(?=^## \[|\Z)",
        changelog,
        re.MULTILINE | re.DOTALL,
    )
    if found is None:
        yield f"CHANGELOG.md has no section '## [{version}] - DATE'; `nox -s release -- {version}` makes it"
    elif not found[1].strip():
        yield f"CHANGELOG.md says nothing of {version}"


def problems_of_wheel(wheel: Path, sources: Path | None = None) -> Iterator[str]:
    """What is wrong with a wheel.

    Args:
        wheel: The file.
        sources: The checkout, where it is adjudge's own: every module of it must be inside.
    """
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        [info] = {name.split("/")[0] for name in names if name.split("/")[0].endswith(".dist-info")}
        metadata = Parser().parsestr(archive.read(f"{info}/METADATA").decode())
    yield from (f"{wheel.name} has {name}" for name in names if NEVER.search(name))
    packages = {name.split("/")[0] for name in names} - {info}
    for package in sorted(packages):
        if f"{package}/py.typed" not in names:
            yield f"{wheel.name} has {package} without py.typed"
    if "tests" in packages:
        yield f"{wheel.name} has tests"
    if f"{info}/entry_points.txt" not in names:
        yield f"{wheel.name} has no entry points"
    for field in ("License-Expression", "Requires-Python", "Summary"):
        if not metadata.get(field):
            yield f"{wheel.name} has no {field}"
    if sources is None:
        return
    yield from wanted(
        wheel.name, names, [f"{info}/licenses/LICENSE", "adjudge/_template/criterion/kind.toml"]
    )
    for folder in ("core", "plugins"):
        root = sources / folder
        yield from wanted(wheel.name, names, (str(path.relative_to(root)) for path in root.rglob("*.py")))


def problems_of_sdist(sdist: Path) -> Iterator[str]:
    """What is wrong with a source distribution."""
    with tarfile.open(sdist) as archive:
        names = [name.partition("/")[2] for name in archive.getnames()]
    yield from (f"{sdist.name} has {name}" for name in names if NEVER.search(name))
    yield from wanted(sdist.name, names, ["pyproject.toml", "README.md", "PKG-INFO"])


def wanted(file: str, names: list[str], expected: Iterator[str] | list[str]) -> Iterator[str]:
    found = set(names)
    yield from (f"{file} lacks {name}" for name in expected if name not in found)


def check_version(repository: Path) -> None:
    """Stop where the checkout is not prepared for a release: before anything is built."""
    if problems := list(problems_of_version(repository)):
        raise SystemExit("\n".join(["not ready:", *(f"  {problem}" for problem in problems)]))


def check(folder: Path) -> None:
    """Check everything that was built, and print the hashes for whoever publishes it."""
    problems: list[str] = []
    built = sorted([*folder.glob("*.whl"), *folder.glob("*.tar.gz")])
    for file in built:
        if file.suffix == ".whl":
            own = REPOSITORY if file.name.startswith("adjudge-") else None
            problems += problems_of_wheel(file, own)
        else:
            problems += problems_of_sdist(file)
    if not built:
        problems.append(f"nothing was built in {folder}")
    if problems:
        raise SystemExit("\n".join(["not ready:", *(f"  {problem}" for problem in problems)]))
    for file in built:
        sys.stdout.write(f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n")


def try_out() -> None:
    """Use what is installed here as a newcomer does."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "polite.py").write_text("def agent(text):\n    return 'hello'\n")
        (folder / "trial.evalset.json").write_text(json.dumps(CASES))
        assert version_of(REPOSITORY) in told(folder, "--version")
        plugins = json.loads(told(folder, "plugins", "--json"))
        broken = [item["name"] for item in plugins if item["state"] != "active"]
        assert plugins, "no plugin is installed"
        assert not broken, f"plugins are broken: {broken}"
        assert "PASS" in told(folder, "eval", "polite:agent", "trial.evalset.json", "--output", "result.json")
        assert json.loads((folder / "result.json").read_text())["summary"]["status"] == "PASS"
        told(folder, "plugins", "new", "trial")
        assert (folder / "adjudge-trial" / "pyproject.toml").is_file()
    sys.stdout.write(f"adjudge {version_of(REPOSITORY)} works: {len(plugins)} plugins, one run\n")


def told(folder: Path, *arguments: str) -> str:
    # -I: nothing of the checkout is imported.
    done = subprocess.run(
        [sys.executable, "-I", "-m", "adjudge", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(
            f"adjudge {' '.join(arguments)} ended with {done.returncode}:\n{done.stdout}{done.stderr}"
        )
    return done.stdout


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("prepare").add_argument("version")
    commands.add_parser("version")
    commands.add_parser("check").add_argument("folder", type=Path)
    commands.add_parser("try")
    given = parser.parse_args()
    if given.command == "prepare":
        prepare(REPOSITORY, given.version)
    elif given.command == "version":
        check_version(REPOSITORY)
    elif given.command == "check":
        check(given.folder)
    else:
        try_out()


if __name__ == "__main__":
    main()
