"""Built-ins as packages of third parties: built from copies of their sources, beside an adjudge that lacks them.

A stranger's package holds what its component needs of ``adjudge_plugins``, found by following imports, so that it
follows the sources wherever they move. The adjudge that it is installed beside is built from this checkout without
the same components: their short names, commands and plugin names are the strangers'.
"""

from __future__ import annotations

import ast
import re
import shutil
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

import adjudge

REPOSITORY = Path(__file__).parents[3]
PLUGINS = REPOSITORY / "plugins"
BUILT_INS = "adjudge_plugins"
COPIED = ("ai-judge", "hallucinations", "json-reporter", "phase-level", "tool-trajectory")
"""The plugins that are copied, by the names of their entry points."""

_DOTTED = re.compile(rf"\b{BUILT_INS}(?:\.\w+)+")

PYTEST = "import pytest; raise SystemExit(pytest.main())"
"""Not ``-m pytest``: the command line would take that for its own name in messages."""

AS_BUILT_IN = '''

_masked = masked


def masked(text: str, folder: Path) -> str:
    """The text without what differs, and with a stranger's distribution as if it were adjudge."""
    return _masked(re.sub(r"\\bstranger-[a-z-]+", "adjudge", text), folder)
'''
"""What the golden tests read in a stranger's environment."""


def module_file(module: str) -> Path | None:
    """The source of a module of the built-ins."""
    path = PLUGINS / Path(*module.split("."))
    return next((file for file in (path / "__init__.py", path.with_suffix(".py")) if file.is_file()), None)


def modules_imported(file: Path) -> Iterator[str]:
    """The modules of the built-ins that a file imports, at its top or inside a function."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"), str(file))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if module_file(alias.name))
        elif isinstance(node, ast.ImportFrom) and node.module and module_file(node.module):
            for alias in node.names:
                inside = f"{node.module}.{alias.name}"
                yield inside if module_file(inside) else node.module


@dataclass(frozen=True)
class Stranger:
    """The copy of one built-in."""

    name: str
    """The entry point of the built-in, and of the copy."""

    @property
    def distribution(self) -> str:
        return f"stranger-{self.name}"

    @property
    def package(self) -> str:
        return self.distribution.replace("-", "_")

    @cached_property
    def root(self) -> str:
        """The module with the hooks."""
        groups: dict[str, dict[str, str]] = project()["entry-points"]
        return groups["adjudge"][self.name]

    @property
    def root_path(self) -> Path:
        """The module's file, or its folder where it is a package."""
        file = module_file(self.root)
        assert file is not None, f"{self.root} is no module"
        return file.parent if file.name == "__init__.py" else file

    @cached_property
    def modules(self) -> frozenset[str]:
        """What is copied: the component's own modules, and whatever they import of the built-ins."""
        found: set[str] = set()
        waiting = [self.root]
        if self.root_path.is_dir():
            waiting += [
                ".".join(file.relative_to(PLUGINS).with_suffix("").parts).removesuffix(".__init__")
                for file in self.root_path.rglob("*.py")
            ]
        while waiting:
            module = waiting.pop()
            file = module_file(module)
            if file is None or module in found:
                continue
            found.add(module)
            waiting += modules_imported(file)
            waiting += module.rpartition(".")[:1]
        return frozenset(found)

    def owns(self, target: str) -> bool:
        """Whether an entry point leads to the component's own modules."""
        module = target.partition(":")[0]
        return module == self.root or module.startswith(f"{self.root}.")

    def renamed(self, text: str) -> str:
        """The text with the built-ins' package called as the stranger's."""
        return re.sub(rf"\b{BUILT_INS}\b", self.package, text)

    def write(self, folder: Path) -> Path:
        """Write the package's project."""
        copied = {file: file.read_text("utf-8") for module in self.modules if (file := module_file(module))}
        for file, text in copied.items():
            target = folder / "src" / self.package / file.relative_to(PLUGINS / BUILT_INS)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(self.renamed(text), encoding="utf-8")
        for file in self.root_path.rglob("*"):
            if file.is_file() and file.suffix not in (".py", ".pyc"):
                target = folder / "src" / self.package / file.relative_to(PLUGINS / BUILT_INS)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file, target)
        lines = [
            "[build-system]",
            'requires = ["hatchling"]',
            'build-backend = "hatchling.build"',
            "[project]",
            f'name = "{self.distribution}"',
            f'version = "{adjudge.__version__}"',
            'dependencies = ["adjudge"]',
        ]
        groups: dict[str, dict[str, str]] = project()["entry-points"]
        for group, entries in groups.items():
            lines.append(f'[project.entry-points."{group}"]')
            lines += [f'{key} = "{self.renamed(to)}"' for key, to in entries.items() if self.owns(to)]
        lines += ["[tool.hatch.build.targets.wheel]", f'packages = ["src/{self.package}"]']
        (folder / "pyproject.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
        return folder


def project() -> Any:
    return tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@dataclass(frozen=True)
class Strangers:
    """An environment with the copies, and the tests of adjudge pointed at them."""

    environment: Any
    all: Sequence[Stranger]
    sources: Path
    """The projects of the copies, each in a folder of its name."""
    checkout: Path
    """A copy of the tests, in which the copied modules are imported from the strangers."""

    def files(self, stranger: Stranger) -> list[Path]:
        """The sources of one package."""
        return sorted((self.sources / stranger.name).rglob("*.py"))

    def tests_importing(self, stranger: Stranger) -> Iterator[str]:
        """The test files that import the component's own modules, relative to the tests."""
        tests = self.checkout / "tests"
        for path in sorted(tests.rglob("test_*.py")):
            if stranger.package in path.read_text(encoding="utf-8"):
                yield path.relative_to(tests).as_posix()

    def pytest(self, *files: str) -> str:
        """Run test files of the copy in the strangers' environment; what was printed."""
        arguments = [str(self.checkout / "tests" / file) for file in files]
        done = self.environment.process(
            "-c", PYTEST, "-q", "-p", "no:cacheprovider", *arguments, cwd=self.checkout
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return str(done.stdout)


@pytest.fixture(scope="session")
def strangers(
    new_environment: Callable[[], Any],
    build_wheel: Callable[[Path], Path],
    tmp_path_factory: pytest.TempPathFactory,
) -> Strangers:
    """Build the packages, and adjudge without them; install all in one environment."""
    home = tmp_path_factory.mktemp("strangers")
    copies = [Stranger(name) for name in COPIED]
    projects = [stranger.write(made(home / "sources" / stranger.name)) for stranger in copies]
    projects.append(adjudge_without(copies, made(home / "adjudge")))
    with ThreadPoolExecutor(2) as pool:
        wheels = list(pool.map(build_wheel, projects))
    environment = replace(new_environment(), limit=600)
    environment.install(*wheels)
    # As it is beside a clone: the real files of other people's agents are looked for outside of it.
    if (shared := REPOSITORY.parent / "shared").is_dir():
        (home / "shared").symlink_to(shared)
    return Strangers(environment, copies, home / "sources", tests_of(copies, made(home / "checkout")))


@pytest.fixture(params=COPIED)
def stranger(request: pytest.FixtureRequest) -> Stranger:
    """Each of the copies."""
    return Stranger(request.param)


def made(folder: Path) -> Path:
    folder.mkdir(parents=True)
    return folder


def adjudge_without(strangers: Iterable[Stranger], folder: Path) -> Path:
    """This checkout as a project that never had these built-ins."""
    for name in ("core", "plugins", "contrib/_template"):
        shutil.copytree(REPOSITORY / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("README.md", "LICENSE"):
        shutil.copyfile(REPOSITORY / name, folder / name)
    lines = (REPOSITORY / "pyproject.toml").read_text(encoding="utf-8").splitlines()
    for stranger in strangers:
        lines = [line for line in lines if not stranger.owns(line.partition(' = "')[2].rstrip('"'))]
        path = folder / stranger.root_path.relative_to(REPOSITORY)
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
    (folder / "pyproject.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def tests_of(strangers: Sequence[Stranger], folder: Path) -> Path:
    """The tests, with what is copied imported from the copies."""
    own = {module: one for one in strangers for module in one.modules if one.owns(module)}
    shutil.copytree(REPOSITORY / "tests", folder / "tests", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copyfile(REPOSITORY / "pyproject.toml", folder / "pyproject.toml")
    (folder / "docs").symlink_to(REPOSITORY / "docs")
    for file in (folder / "tests").rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        if BUILT_INS in text and not file.is_relative_to(folder / "tests" / "integration" / "strangers"):
            file.write_text(pointed(text, own), encoding="utf-8")
    with (folder / "tests" / "integration" / "golden" / "conftest.py").open("a", encoding="utf-8") as golden:
        golden.write(AS_BUILT_IN)
    return folder


def pointed(text: str, own: dict[str, Stranger]) -> str:
    """A test module that imports the modules in ``own`` from the strangers that have them."""

    def dotted(found: re.Match[str]) -> str:
        parts = found[0].split(".")
        prefixes = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
        owner = next((own[prefix] for prefix in prefixes if prefix in own), None)
        return owner.renamed(found[0]) if owner else found[0]

    lines = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        # `from family import one, other` may be of two packages now: an import for each name.
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(BUILT_INS) and node.end_lineno:
            indent = " " * node.col_offset
            each: list[str] = []
            for alias in node.names:
                package = dotted_module(f"{node.module}.{alias.name}", str(node.module), own)
                each.append(f"{indent}from {package} import {ast.unparse(alias)}")
            lines[node.lineno - 1] = "\n".join(each)
            lines[node.lineno : node.end_lineno] = [""] * (node.end_lineno - node.lineno)
    return _DOTTED.sub(dotted, "\n".join(lines) + "\n")


def dotted_module(name: str, module: str, own: dict[str, Stranger]) -> str:
    """The package to import a name from: the stranger's where the name is a module that was copied."""
    return own[name].renamed(module) if name in own else module
