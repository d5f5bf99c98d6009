"""Packages of third parties: installed from their own wheels, and used by name."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def text_environment(new_environment: Callable[[], Any], build_wheel: Callable[[Path], Path]) -> Any:
    made = new_environment()
    made.install(build_wheel(REPOSITORY / "contrib" / "adjudge-text"))
    return made


def turn(question: str, answer: str) -> dict[str, Any]:
    return {
        "invocation_id": question,
        "user_content": {"role": "user", "parts": [{"text": question}]},
        "final_response": {"role": "model", "parts": [{"text": answer}]},
    }


@pytest.fixture
def project(tmp_path: Path) -> Path:
    cases = [{"eval_id": "prices", "conversation": [turn("a book?", "12.50 EUR"), turn("two?", "25 EUR")]}]
    (tmp_path / "shop.evalset.json").write_text(
        json.dumps({"eval_set_id": "shop", "eval_cases": cases}), encoding="utf-8"
    )
    (tmp_path / "shop.py").write_text(
        "def agent(text):\n    return {'a book?': '12.5 EUR', 'two?': 'That is 25.00 EUR.'}[text]\n",
        encoding="utf-8",
    )
    return tmp_path


def test_the_wheel_holds_the_package_alone(build_wheel: Callable[[Path], Path]) -> None:
    wheel = build_wheel(REPOSITORY / "contrib" / "adjudge-text")

    with zipfile.ZipFile(wheel) as archive:
        tops = {name.partition("/")[0] for name in archive.namelist()}

    assert {top for top in tops if not top.endswith(".dist-info")} == {"adjudge_text"}


def test_its_criteria_are_listed_with_their_origin(text_environment: Any, tmp_path: Path) -> None:
    done = text_environment.adjudge("criteria", "--json", cwd=tmp_path)

    listed = {item["id"]: item for item in json.loads(done.stdout) if item["plugin"] == "text"}
    assert set(listed) == {
        "text/contains",
        "text/exact_match",
        "text/json_equal",
        "text/numeric_tolerance",
        "text/regex_match",
    }
    assert {item["distribution"] for item in listed.values()} == {"adjudge-text"}
    assert listed["text/regex_match"]["simulated_conversations"]
    assert listed["text/exact_match"]["reference_based"]


def test_its_criteria_are_used_by_name_in_a_config(text_environment: Any, project: Path) -> None:
    criteria = {
        "numeric_tolerance": {"threshold": 1.0, "relative": 0.001},
        "mentions_euro": {"criterion": "text/contains", "threshold": 1.0, "texts": ["EUR"]},
        "exact_match": 1.0,
    }
    (project / "test_config.json").write_text(json.dumps({"criteria": criteria}), encoding="utf-8")

    done = text_environment.adjudge(
        "eval", "shop:agent", "shop.evalset.json", "--output", "result.json", cwd=project
    )

    assert done.returncode == 1, done.stdout + done.stderr
    [case] = json.loads((project / "result.json").read_text(encoding="utf-8"))["cases"]
    scores = {item["criterion_name"]: (item["score"], item["verdict"]) for item in case["criteria"]}
    assert scores == {
        "numeric_tolerance": (1.0, "PASS"),
        "mentions_euro": (1.0, "PASS"),
        "exact_match": (0.0, "FAIL"),
    }


def test_a_misspelt_option_of_it_stops_the_run_with_a_suggestion(
    text_environment: Any, project: Path
) -> None:
    config = {"criteria": {"exact_match": {"threshold": 1.0, "ignore_cases": True}}}
    (project / "test_config.json").write_text(json.dumps(config), encoding="utf-8")

    done = text_environment.adjudge("eval", "shop:agent", "shop.evalset.json", cwd=project)

    assert done.returncode == 2
    assert "Did you mean 'ignore_case'?" in done.stderr


def test_it_imports_nothing_of_adjudge_but_what_is_for_plugins() -> None:
    sources = (REPOSITORY / "contrib" / "adjudge-text" / "src").rglob("*.py")
    lines = [line.strip() for source in sources for line in source.read_text(encoding="utf-8").splitlines()]

    imports = {line.split()[1] for line in lines if line.startswith(("from adjudge.", "import adjudge"))}
    assert imports == {"adjudge.model", "adjudge.plugin"}


def test_its_own_tests_pass_where_it_is_installed(text_environment: Any, tmp_path: Path) -> None:
    tests = REPOSITORY / "contrib" / "adjudge-text" / "tests"

    told = text_environment.run(
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--import-mode=importlib",
        f"--rootdir={tmp_path}",
        str(tests),
    )

    assert " passed" in told


def test_check_finds_it_sound(text_environment: Any, tmp_path: Path) -> None:
    done = text_environment.adjudge("plugins", "check", "adjudge-text", cwd=tmp_path)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "bad:" not in done.stdout


# --- a granularity strategy of a third party ----------------------------------------------


CHOICES = """
import asyncio, json, sys
from pathlib import Path
from adjudge.extension.loader import Extensions
from adjudge_plugins.ai_judge.aggregator import StepAggregatorService
from adjudge_plugins.ai_judge.analyzer import GranularityAnalyzerService
from adjudge.model import Content, Invocation, Step, ToolCall, WordedCriterion
from adjudge.plugin import AggregationContext, Trajectory
from adjudge.testing import FakeHost

strategies = Extensions.load().granularity_strategies
host = FakeHost(Path(), strategies=strategies)
analyzer = GranularityAnalyzerService(host)
steps = tuple(Step(number=n, items=(ToolCall(name=name),)) for n, name in enumerate(("search", "click"), start=2))
run = Trajectory(invocations=(Invocation(user_content=Content.of_text("go"), steps=steps),))
context = AggregationContext(criterion_name="x", clusters=list, token_budget=500)
for name, description in json.loads(sys.argv[1]):
    choice = asyncio.run(analyzer.choose(WordedCriterion(name=name, description=description)))
    service = StepAggregatorService(host)
    found = asyncio.run(service.aggregate(choice.name, run, context))
    print(json.dumps([choice.name, choice.chosen_by, found.aggregated_content]))
"""


@pytest.fixture(scope="module")
def windows_environment(new_environment: Callable[[], Any], build_wheel: Callable[[Path], Path]) -> Any:
    made = new_environment()
    made.install(build_wheel(REPOSITORY / "contrib" / "adjudge-windows"))
    return made


def test_a_strategy_that_was_installed_is_chosen_where_it_fits_and_nowhere_else(
    windows_environment: Any,
) -> None:
    criteria = {
        "tool_windows": ["tool choice", "Every kind of tool is used for what it is for."],
        "page_windows": ["terms", "On each page the agent reads the terms before it clicks."],
        "step_level": ["hallucination", "The agent makes nothing up."],
        "phase_level": ["sub-tasks", "All sub-tasks are completed."],
        "global_summary": ["efficiency", "The task is done at low cost."],
    }

    told = windows_environment.run("-c", CHOICES, json.dumps(list(criteria.values())))

    chosen = [json.loads(line) for line in told.splitlines()]
    assert [(name, by) for name, by, _ in chosen] == [(name, "rules") for name in criteria]
    assert chosen[0][2] == "Window 1 (Steps 2-2, search): search\nWindow 2 (Steps 3-3, operate): click"


def test_the_windows_are_sound_and_pass_their_own_tests(windows_environment: Any, tmp_path: Path) -> None:
    checked = windows_environment.adjudge("plugins", "check", "adjudge-windows", cwd=tmp_path)
    tests = REPOSITORY / "contrib" / "adjudge-windows" / "tests"
    options = ("-q", "-p", "no:cacheprovider", "--import-mode=importlib", f"--rootdir={tmp_path}")

    assert " passed" in windows_environment.run("-m", "pytest", *options, str(tests))
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert "bad:" not in checked.stdout


def test_the_windows_import_nothing_of_adjudge_but_what_is_for_plugins() -> None:
    sources = (REPOSITORY / "contrib" / "adjudge-windows" / "src").rglob("*.py")
    lines = [line.strip() for source in sources for line in source.read_text(encoding="utf-8").splitlines()]

    imports = {line.split()[1] for line in lines if line.startswith(("from adjudge.", "import adjudge"))}
    assert imports == {"adjudge.kit", "adjudge.model", "adjudge.plugin"}


# --- the author's template --------------------------------------------------------------


def test_a_package_made_from_the_template_passes_its_own_tests(
    new_environment: Callable[[], Any], build_wheel: Callable[[Path], Path], project: Path
) -> None:
    environment = new_environment()
    made = environment.adjudge("plugins", "new", "shop-words", "--directory", "work", cwd=project)
    package = project / "work" / "adjudge-shop-words"
    assert made.returncode == 0, made.stderr
    assert "$" not in "".join(path.read_text(encoding="utf-8") for path in package.rglob("*.py")), (
        "a placeholder is left"
    )

    environment.install(build_wheel(package))
    told = environment.run("-m", "pytest", "-q", "-W", "error", "-p", "no:cacheprovider", cwd=package)
    checked = environment.adjudge("plugins", "check", "adjudge-shop-words", cwd=project)
    config = {"criteria": {"shop_words_keywords": {"threshold": 1.0, "keywords": ["eur"]}}}
    (project / "test_config.json").write_text(json.dumps(config), encoding="utf-8")
    evaluated = environment.adjudge("eval", "shop:agent", "shop.evalset.json", cwd=project)

    assert " passed" in told
    assert "failed" not in told
    assert checked.returncode == 0, checked.stdout
    assert checked.stdout.splitlines()[-1] == "  sound"
    assert evaluated.returncode == 0, evaluated.stdout + evaluated.stderr


def test_the_wheel_of_adjudge_ships_the_template(
    new_environment: Callable[[], Any], build_wheel: Callable[[Path], Path], tmp_path: Path
) -> None:
    environment = new_environment()
    environment.install(build_wheel(REPOSITORY))
    told = environment.run("-c", "import adjudge; print(adjudge.__file__)", cwd=tmp_path)
    if str(environment.home) not in told:
        pytest.fail(f"the environment uses another adjudge: {told}")

    done = environment.adjudge("plugins", "new", "acme", cwd=tmp_path)

    assert done.returncode == 0, done.stderr
    package = tmp_path / "adjudge-acme"
    for name in ("src/adjudge_acme/criterion.py", ".gitignore", ".github/workflows/test.yml", "LICENSE"):
        assert (package / name).is_file()
