"""The pytest plugin, driven as its users do: ``pytest`` in a process of its own, in a folder with an agent."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from adjudge.testing import fake_distribution

AGENT = """
def shop(text):
    if text == "raise":
        raise LookupError("no such order")
    calls = [{"name": "find", "args": {"order": text}}]
    return {
        "final_response": {"parts": [{"text": f"Order {text} is on its way."}]},
        "intermediate_data": {"tool_uses": calls},
    }


class Slow:
    def send(self, content):
        import time

        time.sleep(0.05)
        return shop(content.text)
"""

CRITERIA = {"tool_trajectory_avg_score": 1.0, "response_match_score": 0.8}


def case(eval_id: str, asked: str, answer: str | None = None, order: str | None = None) -> dict[str, Any]:
    """A case that passes, unless another answer or another call is expected."""
    return {
        "eval_id": eval_id,
        "conversation": [
            {
                "user_content": {"parts": [{"text": asked}]},
                "final_response": {"parts": [{"text": answer or f"Order {asked} is on its way."}]},
                "intermediate_data": {"tool_uses": [{"name": "find", "args": {"order": order or asked}}]},
            }
        ],
    }


def eval_set(*cases: dict[str, Any]) -> str:
    return json.dumps({"eval_set_id": "orders", "eval_cases": list(cases)})


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with an agent, an eval set and a configuration."""
    folder = tmp_path / "project"
    (folder / "tests").mkdir(parents=True)
    (folder / "agent.py").write_text(AGENT)
    (folder / "tests" / "test_config.json").write_text(json.dumps({"criteria": CRITERIA}))
    (folder / "tests" / "orders.test.json").write_text(
        eval_set(
            case("passes", "A1"),
            case("wrong_call", "B2", order="B3"),
            case("wrong_words", "C3", answer="Nothing was found for you, sorry."),
            case("raises", "raise"),
        )
    )
    return folder


Run = Callable[..., subprocess.CompletedProcess[str]]

UNUSED = [f"-pno:{name}" for name in ("anyio", "hypothesispytest", "pytest_httpserver")]
"""Plugins of our own environment that only cost time here."""


@pytest.fixture
def run(project: Path) -> Run:
    """``pytest`` in the project."""

    def start(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("PYTEST_", "ADJUDGE_", "COLUMNS"))
        }
        return subprocess.run(
            [sys.executable, "-m", "pytest", *UNUSED, *arguments],
            cwd=project,
            env={**kept, "COLUMNS": "160", **variables},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return start


def outcomes(project: Path, run: Run, *arguments: str) -> dict[str, str]:
    """What the JUnit file of a run says of every test."""
    done = run(*arguments, "--junitxml", "junit.xml")
    assert done.returncode in (0, 1), done.stdout + done.stderr
    found = {}
    for test in ElementTree.parse(project / "junit.xml").iter("testcase"):  # noqa: S314 - ours
        kinds = [child.tag for child in test if child.tag in ("failure", "error", "skipped")]
        found[str(test.get("name"))] = kinds[0] if kinds else "passed"
    return found


def test_eval_sets_are_collected_one_test_for_each_case(project: Path, run: Run) -> None:
    done = run("--adjudge-agent", "agent:shop", "tests")

    assert done.returncode == 1
    assert "2 failed, 1 passed, 1 error" in done.stdout
    text = done.stdout
    assert "FAILED tests/orders.test.json::wrong_call - Failed: tool_trajectory_avg_score 0.00" in text
    assert "ERROR tests/orders.test.json::raises - NotMeasured: agent_raised: LookupError" in text
    # What was expected and what happened, why, and how to see it again.
    assert 'order: expected "B3", got "B2"' in text
    assert "tool_trajectory_avg_score 0.00, below the threshold 1.00" in text
    assert "actual    Order" in text
    assert "again: adjudge eval agent:shop tests/orders.test.json:wrong_call" in text
    assert "agent_raised: LookupError: no such order" in text
    assert "Traceback" not in text


def test_the_command_of_a_failure_shows_it_again(project: Path, run: Run, adjudge: Run) -> None:
    text = run("--adjudge-agent", "agent:shop", "tests").stdout
    [command] = re.findall(r"again: adjudge (.*wrong_call)", text)
    again = adjudge(*command.split(), cwd=project)

    assert again.returncode == 1
    assert 'order: expected "B3", got "B2"' in again.stdout


def test_without_an_agent_nothing_is_collected_and_nothing_of_adjudge_is_imported(
    project: Path, run: Run
) -> None:
    (project / "tests" / "test_own.py").write_text(
        "import sys\n\n\ndef test_own():\n"
        "    ours = [name for name in sys.modules if name.split('.')[0] in ('adjudge', 'adjudge_plugins')]\n"
        "    assert sorted(ours) == ['adjudge_plugins', 'adjudge_plugins.pytest_plugin']\n"
        "    assert 'pydantic' not in sys.modules\n"
    )
    done = run("tests")

    assert done.returncode == 0, done.stdout
    assert "1 passed" in done.stdout
    assert not (project / ".adjudge").exists()


def test_the_junit_file_tells_failures_from_errors_and_names_every_criterion(project: Path, run: Run) -> None:
    (project / "tests" / "orders.test.json").write_text(
        eval_set(case("both", "B2", answer="Nothing at all.", order="B3"), case("raises", "raise"))
    )
    done = run("--adjudge-agent", "agent:shop", "--junitxml", "junit.xml", "tests")
    tests = {item.get("name"): item for item in ElementTree.parse(project / "junit.xml").iter("testcase")}  # noqa: S314

    assert done.returncode == 1
    failure = tests["both"].find("failure")
    assert failure is not None
    first = str(failure.get("message")).splitlines()[0]
    assert "tool_trajectory_avg_score 0.00" in first
    assert "response_match_score" in first
    assert tests["raises"].find("error") is not None
    properties = {item.get("name"): item.get("value") for item in tests["both"].iter("property")}
    assert properties["tool_trajectory_avg_score"] == "0.00, threshold 1.00, FAIL"


def test_cases_are_selected_by_id_by_keyword_and_by_their_last_failure(project: Path, run: Run) -> None:
    agent = ("--adjudge-agent", "agent:shop")

    assert outcomes(project, run, *agent, "tests/orders.test.json::passes") == {"passes": "passed"}
    assert outcomes(project, run, *agent, "-k", "wrong") == {
        "wrong_call": "failure",
        "wrong_words": "failure",
    }
    run(*agent, "tests")
    again = outcomes(project, run, *agent, "--lf", "tests")
    assert again == {"wrong_call": "failure", "wrong_words": "failure", "raises": "error"}
    (project / "tests" / "orders.test.json").write_text(
        eval_set(
            case("passes", "A1"), case("wrong_call", "B2"), case("wrong_words", "C3"), case("raises", "raise")
        )
    )
    assert outcomes(project, run, *agent, "--lf", "tests") == {
        "wrong_call": "passed",
        "wrong_words": "passed",
        "raises": "error",
    }
    assert outcomes(project, run, *agent, "--lf", "tests") == {"raises": "error"}


def test_workers_of_xdist_share_the_cases_and_say_the_same(project: Path, run: Run) -> None:
    alone = outcomes(project, run, "--adjudge-agent", "agent:shop", "tests")
    shared = outcomes(project, run, "--adjudge-agent", "agent:shop", "-n", "2", "tests")

    assert shared == alone
    done = run("--adjudge-agent", "agent:shop", "-n", "2", "tests")
    assert 'order: expected "B3", got "B2"' in done.stdout
    assert "again: adjudge eval agent:shop" in done.stdout
    assert re.search(r"adjudge runs show pytest-\S+-gw[01]", done.stdout)


@pytest.mark.parametrize("distribution", ["load", "loadfile"])
def test_the_agent_is_made_once_for_all_cases_of_a_process(
    project: Path, run: Run, distribution: str
) -> None:
    (project / "tests" / "orders.test.json").write_text(
        eval_set(*(case(f"c{n}", f"A{n}") for n in range(20)))
    )
    (project / "plans.py").write_text(
        "import agent\n\nopened = 0\n\n\nclass Agent:\n    def __init__(self):\n"
        "        with open('made.txt', 'a') as file:\n            file.write('made\\n')\n\n"
        "    def open_session(self, request):\n        return agent.Slow()\n"
    )
    found = outcomes(project, run, "--adjudge-agent", "plans:Agent", "tests")
    assert set(found.values()) == {"passed"}
    assert (project / "made.txt").read_text().count("made") == 1
    (project / "made.txt").unlink()

    found = outcomes(
        project, run, "--adjudge-agent", "plans:Agent", "-n", "2", "--dist", distribution, "tests"
    )
    assert set(found.values()) == {"passed"}
    assert (project / "made.txt").read_text().count("made") <= 2


def test_each_file_is_measured_by_the_configuration_beside_it(project: Path, run: Run) -> None:
    lenient = project / "tests" / "lenient"
    lenient.mkdir()
    (lenient / "test_config.json").write_text(json.dumps({"criteria": {"response_match_score": 0.1}}))
    (lenient / "few.evalset.json").write_text(eval_set(case("other_call", "B2", order="B3")))

    found = outcomes(project, run, "--adjudge-agent", "agent:shop", "tests")
    assert found["other_call"] == "passed"
    assert found["wrong_call"] == "failure"
    (project / "strict.json").write_text(json.dumps({"criteria": {"tool_trajectory_avg_score": 1.0}}))
    found = outcomes(
        project, run, "--adjudge-agent", "agent:shop", "--adjudge-config", "strict.json", "tests"
    )
    assert found["other_call"] == "failure"
    assert found["wrong_words"] == "passed"


def test_a_file_that_is_broken_stops_no_other(project: Path, run: Run) -> None:
    broken = project / "tests" / "broken"
    broken.mkdir()
    (broken / "test_config.json").write_text(json.dumps({"criteria": {"response_match_scores": 0.1}}))
    (broken / "orders.test.json").write_text(eval_set(case("unknown_criterion", "A1")))
    done = run("--adjudge-agent", "agent:shop", "-k", "passes or unknown_criterion", "tests")

    assert "1 passed" in done.stdout
    assert "1 error" in done.stdout
    assert "response_match_scores" in done.stdout
    assert "Did you mean 'response_match_score'?" in done.stdout

    (broken / "bad.test.json").write_text("{")
    done = run("--adjudge-agent", "agent:shop", "tests")
    assert done.returncode == 2
    assert "ERROR collecting tests/broken/bad.test.json" in done.stdout
    assert "Traceback" not in done.stdout


def test_an_agent_that_cannot_be_used_is_an_error_of_every_case(project: Path, run: Run) -> None:
    done = run("--adjudge-agent", "agent:shopp", "tests")

    assert done.returncode == 1
    assert "4 errors" in done.stdout
    assert "'agent' has no 'shopp'. Did you mean 'shop'?" in done.stdout


ENDS = """
import os

def agent(text):
    os._exit(0)
"""


def test_an_agent_that_ends_pytest_does_not_end_it_as_passed_and_may_be_isolated(
    project: Path, run: Run
) -> None:
    (project / "ends.py").write_text(ENDS)

    ended = run("--adjudge-agent", "ends:agent", "tests", "-q")
    isolated = run("--adjudge-agent", "ends:agent", "--adjudge-isolate", "tests", "-q")

    assert ended.returncode == pytest.ExitCode.INTERNAL_ERROR
    assert "an agent ended the process of pytest: os._exit(0)" in ended.stderr
    assert isolated.returncode == 1
    assert "4 errors" in isolated.stdout
    assert "--isolate" in isolated.stdout


def test_what_is_not_measured_is_never_an_expected_failure(project: Path, run: Run) -> None:
    (project / "tests" / "test_marked.py").write_text(
        "import pytest\n\nimport agent\n\n\n"
        "@pytest.mark.xfail\n"
        "@pytest.mark.adjudge(agent.shop, 'orders.test.json')\n"
        "def test_orders():\n    pass\n"
    )
    done = run("-p", "no:cacheprovider", "-rA", "tests", PYTHONPATH=".")

    assert done.returncode == 1, done.stdout
    assert "1 error" in done.stdout
    assert "2 xfailed" in done.stdout
    assert "1 xpassed" in done.stdout
    assert "ERROR tests/test_marked.py::test_orders[raises]" in done.stdout


def test_a_test_of_ones_own_sees_what_the_agent_did(project: Path, run: Run) -> None:
    (project / "tests" / "test_marked.py").write_text(
        "import pytest\n\n\n"
        "@pytest.fixture\ndef prepared():\n    return []\n\n\n"
        "@pytest.mark.adjudge('agent:shop', 'orders.test.json', config={'criteria': {'response_match_score': 0.8}})\n"
        "def test_answers(adjudge_case, prepared):\n"
        "    assert adjudge_case.actual.invocations[0].tool_calls[0].name == 'find'\n"
        "    assert 'C3' not in adjudge_case.actual.invocations[0].final_response.text, 'never of C3'\n"
    )
    done = run("tests")
    assert done.returncode == 1
    # The body passes for wrong_call, whose answer is right; it fails for the one of C3, whose verdict is shown too.
    assert "1 failed, 2 passed, 1 error" in done.stdout, done.stdout
    assert "never of C3" in done.stdout
    assert "response_match_score 0." in done.stdout

    (project / "tests" / "test_marked.py").write_text(
        "import pytest\n\n\n@pytest.mark.adjudge('agent:shop', 'orders.test.json:wrong_call,passes')\n"
        "def test_calls():\n    pass\n"
    )
    done = run("tests")
    assert "1 failed, 1 passed" in done.stdout, done.stdout
    assert 'order: expected "B3", got "B2"' in done.stdout


@pytest.mark.parametrize(
    ("mark", "told"),
    [
        ("'agent:shop'", "at least one eval set"),
        ("'agent:shop', 'none.test.json'", "none.test.json"),
        ("'agent:shop', 'orders.test.json', num_run=2", "Did you mean 'num_runs'?"),
        ("'agent:shop', 'orders.test.json:pass'", "Did you mean 'passes'?"),
    ],
)
def test_a_mark_that_is_wrong_is_an_error_without_a_traceback(
    project: Path, run: Run, mark: str, told: str
) -> None:
    (project / "tests" / "test_marked.py").write_text(
        f"import pytest\n\n\n@pytest.mark.adjudge({mark})\ndef test_calls():\n    pass\n"
    )
    done = run("tests")

    assert done.returncode == 2
    assert told in done.stdout
    assert "Traceback" not in done.stdout


UNHEARD = {
    "unittest": (
        "import unittest\n\nimport pytest\n\n\n"
        "@pytest.mark.adjudge('agent:shop', 'orders.test.json')\n"
        "class TestShop(unittest.TestCase):\n    def test_orders(self):\n        pass\n",
        "",
    ),
    "late": (
        "def test_orders():\n    pass\n",
        "import pytest\n\n\ndef pytest_collection_modifyitems(items):\n    for item in items:\n"
        "        item.add_marker(pytest.mark.adjudge('agent:shop', 'orders.test.json'))\n",
    ),
    "expected": (
        "import unittest\n\nimport pytest\n\n\nclass TestShop(unittest.TestCase):\n"
        "    @pytest.mark.xfail\n    @pytest.mark.adjudge('agent:shop', 'orders.test.json')\n"
        "    def test_orders(self):\n        pass\n",
        "",
    ),
}


@pytest.mark.parametrize("kind", UNHEARD)
def test_a_mark_that_gave_a_test_no_case_is_an_error_of_its_setup(project: Path, run: Run, kind: str) -> None:
    (project / "tests" / "test_marked.py").write_text(UNHEARD[kind][0])
    (project / "conftest.py").write_text(UNHEARD[kind][1])
    done = run("tests")

    assert done.returncode == 1, done.stdout
    assert "1 error" in done.stdout
    assert "passed" not in done.stdout
    assert "xfailed" not in done.stdout
    assert "this test was given no case, and its agent was not asked" in done.stdout
    assert "Traceback" not in done.stdout


STACKED = "@pytest.mark.adjudge('agent:shop', 'orders.test.json:passes')\n"


@pytest.mark.parametrize(
    ("written", "status"),
    [
        (f"{STACKED}{STACKED.replace('passes', 'raises')}def test_orders():\n    pass\n", 2),
        (
            f"{STACKED.replace('passes', 'raises')}class TestShop:\n"
            f"    {STACKED}    def test_orders(self):\n        pass\n",
            2,
        ),
        (f"{STACKED}def test_late():\n    pass\n", 1),
    ],
    ids=["stacked", "class and method", "one of them late"],
)
def test_several_marks_on_a_test_are_refused(project: Path, run: Run, written: str, status: int) -> None:
    (project / "tests" / "test_marked.py").write_text(f"import pytest\n\n\n{written}")
    (project / "conftest.py").write_text(
        "import pytest\n\n\ndef pytest_collection_modifyitems(items):\n    for item in items:\n"
        "        if item.name.startswith('test_late'):\n"
        "            item.add_marker(pytest.mark.adjudge('agent:shop', 'orders.test.json:raises'))\n"
    )
    done = run("tests")

    assert done.returncode == status, done.stdout
    assert "1 error" in done.stdout
    assert "passed" not in done.stdout
    assert "@pytest.mark.adjudge: there are 2 on this test" in done.stdout
    assert "Leave one: it can name several eval sets" in done.stdout
    assert "Traceback" not in done.stdout


@pytest.mark.parametrize(
    ("option", "expected"),
    [
        ("timeout='x'", "the option 'timeout': Input should be a valid number"),
        ("config=3", "the option 'config': Input should be a valid dictionary, found 3"),
        ("agent_options='x'", "the option 'agent_options': Input should be a valid dictionary, found 'x'"),
    ],
)
def test_an_option_of_a_mark_that_is_of_the_wrong_type_is_one_message(
    option: str, expected: str, project: Path, run: Run
) -> None:
    (project / "tests" / "test_marked.py").write_text(
        f"import pytest\n\n\n@pytest.mark.adjudge('agent:shop', 'orders.test.json:passes', {option})\n"
        "def test_calls():\n    pass\n"
    )
    done = run("tests")

    assert done.returncode == 1, done.stdout
    assert "1 error" in done.stdout
    assert f"nothing was measured: {expected}" in done.stdout
    assert "pydantic" not in done.stdout
    assert "Traceback" not in done.stdout


def test_a_file_that_a_mark_names_twice_is_counted_as_one(project: Path, run: Run) -> None:
    criteria = {"response_match_score": 0.8, "token_usage_v1": {"maximum": 10}}
    (project / "tests" / "test_config.json").write_text(json.dumps({"criteria": criteria}))
    (project / "tests" / "orders.test.json").write_text(eval_set(case("one", "A1"), case("two", "A2")))
    (project / "tests" / "test_marked.py").write_text(
        "import pytest\n\n\n@pytest.mark.adjudge('agent:shop', 'orders.test.json:one', 'orders.test.json:two')\n"
        "def test_calls():\n    pass\n"
    )
    done = run("tests")

    assert done.returncode == 1, done.stdout
    assert "2 passed, 1 error" in done.stdout
    assert "'token_usage_v1' measured nothing: it applies to none of the 2 cases" in done.stdout


@pytest.mark.parametrize(
    ("option", "told"),
    [
        ("--adjudge-config=", "--adjudge-config: expected a value, found an empty one"),
        ("--adjudge-agent=", "--adjudge-agent: expected a value, found an empty one"),
        ("--adjudge-judge=", "--adjudge-judge: expected a value, found an empty one"),
        ("--adjudge-run=", "--adjudge-run: expected a value, found an empty one"),
        ("--adjudge-num-runs=0", "--adjudge-num-runs: expected a whole number from 1 on, found '0'"),
        ("--adjudge-concurrency=0", "--adjudge-concurrency: expected a whole number from 1 on, found '0'"),
        ("--adjudge-timeout=0", "--adjudge-timeout: expected seconds, more than 0, found '0'"),
        ("--adjudge-timeout=nan", "--adjudge-timeout: expected seconds, more than 0, found 'nan'"),
    ],
)
def test_an_option_without_a_sound_value_is_a_usage_error(
    project: Path, run: Run, option: str, told: str
) -> None:
    done = run("--adjudge-agent", "agent:shop", option, "-k", "passes", "tests")

    assert done.returncode == pytest.ExitCode.USAGE_ERROR, done.stdout
    assert told in done.stderr
    assert "Traceback" not in done.stderr


def test_without_the_plugin_a_marked_test_with_the_fixture_does_not_pass(project: Path, run: Run) -> None:
    (project / "tests" / "test_marked.py").write_text(
        "import pytest\n\n\n@pytest.mark.adjudge('agent:shop', 'orders.test.json')\n"
        "def test_orders(adjudge_case):\n    pass\n"
    )
    done = run("tests", PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
    assert done.returncode == 1, done.stdout
    assert "fixture 'adjudge_case' not found" in done.stdout

    done = run("--strict-markers", "-p", "no:adjudge", "tests")
    assert done.returncode == 2, done.stdout
    assert "'adjudge' not found in `markers` configuration option" in done.stdout


def test_the_fixture_evaluates_inside_a_running_loop(project: Path, run: Run) -> None:
    (project / "tests" / "test_called.py").write_text(
        "import asyncio\n\nimport agent\n\n\n"
        "def test_in_a_loop(adjudge_eval):\n"
        "    async def inside():\n"
        "        return adjudge_eval(agent.shop, 'orders.test.json:passes')\n\n"
        "    [case] = asyncio.run(inside())\n"
        "    assert case.status == 'PASS'\n\n\n"
        "def test_that_fails(adjudge_eval):\n"
        "    adjudge_eval('agent:shop', 'orders.test.json', config={'criteria': {'tool_trajectory_avg_score': 1.0}})\n"
    )
    done = run("tests", PYTHONPATH=".")

    assert "1 failed, 1 passed" in done.stdout, done.stdout
    assert 'order: expected "B3", got "B2"' in done.stdout
    assert "LookupError: no such order" in done.stdout


def test_the_fixture_says_what_the_command_line_says_of_a_criterion_that_measured_nothing(
    project: Path, run: Run, adjudge: Run
) -> None:
    criteria = {"response_match_score": 0.8, "token_usage_v1": {"maximum": 10}}
    (project / "tests" / "test_config.json").write_text(json.dumps({"criteria": criteria}))
    (project / "tests" / "test_called.py").write_text(
        "def test_called(adjudge_eval):\n    adjudge_eval('agent:shop', 'orders.test.json:passes')\n"
    )
    assert adjudge("eval", "agent:shop", "tests/orders.test.json:passes", cwd=project).returncode == 3

    done = run("tests/test_called.py")
    assert done.returncode == 1, done.stdout
    assert "passed" not in done.stdout
    assert "'token_usage_v1' measured nothing" in done.stdout
    assert "Traceback" not in done.stdout


def test_runs_are_kept_in_the_cache_of_pytest_or_under_a_name(project: Path, run: Run, adjudge: Run) -> None:
    done = run("--adjudge-agent", "agent:shop", "tests")
    assert not (project / ".adjudge").exists()
    [(home, name)] = re.findall(r"ADJUDGE_HOME=(\S+) adjudge runs show (\S+)", done.stdout)
    shown = adjudge("runs", "show", name, cwd=project, ADJUDGE_HOME=home)
    assert 'order: expected "B3", got "B2"' in shown.stdout

    done = run("--adjudge-agent", "agent:shop", "--adjudge-run", "nightly", "tests")
    assert "adjudge runs show nightly" in done.stdout
    assert (project / ".adjudge" / "runs" / "nightly.sqlite3").is_file()
    done = run("--adjudge-agent", "agent:shop", "--adjudge-run", "nightly", "tests")
    assert done.returncode == 1
    assert "a run named 'nightly' exists" in done.stdout


def test_runs_go_elsewhere_where_the_cache_of_pytest_cannot_be_made(project: Path, run: Run) -> None:
    (project / ".pytest_cache").write_text("no folder")
    done = run("--adjudge-agent", "agent:shop", "tests")

    assert done.returncode == 1, done.stdout
    assert "2 failed, 1 passed" in done.stdout
    assert "INTERNALERROR" not in done.stdout + done.stderr
    assert (project / ".pytest_cache").read_text() == "no folder"


def test_an_interrupted_session_leaves_a_run_that_is_not_finished(
    project: Path, run: Run, adjudge: Run
) -> None:
    (project / "conftest.py").write_text(
        "def pytest_runtest_teardown(item):\n    if item.name == 'passes':\n        raise KeyboardInterrupt\n"
    )
    done = run(
        "--adjudge-agent", "agent:shop", "--adjudge-run", "left", "--adjudge-concurrency", "1", "tests"
    )
    assert done.returncode == 2, done.stdout
    shown = adjudge("runs", "show", "left", cwd=project, ADJUDGE_HOME=str(project / ".adjudge"))
    assert "INCOMPLETE" in shown.stdout
    assert "3 of 4 cases not finished" in shown.stdout


def test_a_case_that_is_run_again_is_measured_again(project: Path, run: Run) -> None:
    (project / "flaky.py").write_text(
        "import agent\n\nasked = 0\n\n\ndef shop(text):\n"
        "    global asked\n    asked += 1\n    return agent.shop(text) if asked > 1 else 'Not yet.'\n"
    )
    (project / "tests" / "orders.test.json").write_text(eval_set(case("second_time", "A1")))
    (project / "conftest.py").write_text(
        "from _pytest.runner import runtestprotocol\n\n\n"
        "def pytest_runtest_protocol(item, nextitem):\n"
        "    reports = runtestprotocol(item, nextitem=nextitem, log=False)\n"
        "    if any(report.failed for report in reports):\n"
        "        reports = runtestprotocol(item, nextitem=nextitem, log=False)\n"
        "    for report in reports:\n"
        "        item.ihook.pytest_runtest_logreport(report=report)\n"
        "    return True\n"
    )
    done = run("--adjudge-agent", "flaky:shop", "tests")

    assert "1 passed" in done.stdout, done.stdout


def test_repeats_of_a_case_are_one_test(project: Path, run: Run) -> None:
    (project / "odd.py").write_text(
        "import itertools\n\nimport agent\n\nturns = itertools.count()\n\n\ndef shop(text):\n"
        "    return agent.shop(text if next(turns) % 2 else 'other')\n"
    )
    (project / "tests" / "orders.test.json").write_text(eval_set(case("every_other_time", "A1")))
    done = run("--adjudge-agent", "odd:shop", "--adjudge-num-runs", "4", "tests")

    assert "1 failed" in done.stdout
    assert "2 of 4 repeats passed" in done.stdout
    assert "--num_runs 4" in done.stdout


def test_cases_run_side_by_side_ahead_of_their_tests(project: Path, run: Run) -> None:
    (project / "meeting.py").write_text(
        "import threading\n\nimport agent\n\nboth = threading.Barrier(2, timeout=20)\n\n\n"
        "def shop(text):\n    both.wait()\n    return agent.shop(text)\n"
    )
    (project / "tests" / "orders.test.json").write_text(eval_set(case("one", "A1"), case("two", "A2")))
    # Each waits for the other: they pass only where they run at a time.
    done = run("--adjudge-agent", "meeting:shop", "tests")

    assert "2 passed" in done.stdout, done.stdout


@pytest.mark.parametrize("asynchronous", [False, True])
def test_tools_that_trace_see_the_code_of_the_agent(project: Path, run: Run, asynchronous: bool) -> None:
    # Coverage is measured by a trace function that threads inherit.
    (project / "traced.py").write_text(
        f"import agent\n\n\n{'async ' if asynchronous else ''}def shop(text):\n    return agent.shop(text)\n"
    )
    (project / "conftest.py").write_text(
        "import threading\n\nseen = set()\n\n\n"
        "def trace(frame, event, argument):\n"
        "    seen.add((frame.f_globals.get('__name__'), frame.f_code.co_name))\n\n\n"
        "threading.settrace(trace)\n\n\n"
        "def pytest_terminal_summary(terminalreporter):\n"
        "    terminalreporter.write_line(f\"the agent was traced: {('traced', 'shop') in seen}\")\n"
    )
    done = run("--adjudge-agent", "traced:shop", "tests")

    assert "the agent was traced: True" in done.stdout


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "xdist"])
def test_a_criterion_that_measured_no_case_of_a_file_is_an_error(
    project: Path, run: Run, workers: tuple[str, ...]
) -> None:
    criteria = {"response_match_score": 0.8, "token_usage_v1": {"maximum": 10}}
    (project / "tests" / "test_config.json").write_text(json.dumps({"criteria": criteria}))
    (project / "tests" / "orders.test.json").write_text(eval_set(case("one", "A1"), case("two", "A2")))
    found = outcomes(project, run, "--adjudge-agent", "agent:shop", *workers, "tests")
    assert found == {"one": "passed", "two": "passed", "token_usage_v1 measures something": "error"}
    done = run("--adjudge-agent", "agent:shop", *workers, "tests")
    assert done.returncode == 1
    assert "2 passed, 1 error" in done.stdout
    assert (
        "'token_usage_v1' measured nothing: it applies to none of the 2 cases of tests/orders.test.json"
        in done.stdout
    )
    # Of one case alone nothing follows for the others.
    assert outcomes(project, run, "--adjudge-agent", "agent:shop", *workers, "-k", "one") == {"one": "passed"}


MOODY = """
from adjudge.plugin import CriterionSpec, Measurement, Outcome, hookimpl


class Moody:
    async def score(self, case):
        said = {
            "passes": Outcome.scored(1.0),
            "undecided": Outcome.unsure("split_votes", "two votes of four"),
            "broken": Outcome.failed("judge_lost", "the judge is away"),
        }
        return Measurement(overall=said[case.case.eval_id])


@hookimpl.criteria
def criteria():
    return [CriterionSpec(name="mood", summary="A mood", factory=lambda config, host: Moody(), default_threshold=1.0)]
"""


@pytest.mark.parametrize(
    "extra", [(), ("-n", "2"), ("-p", "no:cacheprovider")], ids=["alone", "xdist", "no cache"]
)
def test_what_is_undecided_or_not_measured_is_an_error_with_its_reason(
    project: Path, run: Run, tmp_path: Path, extra: tuple[str, ...]
) -> None:
    site = tmp_path / "site"
    fake_distribution(site, "acme-mood", entry_points={"mood": "acme_mood"}, modules={"acme_mood": MOODY})
    (project / "tests" / "test_config.json").write_text(json.dumps({"criteria": {"mood": 1.0}}))
    ids = ("passes", "undecided", "broken")
    (project / "tests" / "orders.test.json").write_text(eval_set(*(case(name, "A1") for name in ids)))
    arguments = ("--adjudge-agent", "agent:shop", *extra, "--junitxml", "junit.xml", "tests")
    done = run(*arguments, PYTHONPATH=str(site))
    tests = {item.get("name"): item for item in ElementTree.parse(project / "junit.xml").iter("testcase")}  # noqa: S314

    assert done.returncode == 1
    assert "1 passed, 2 errors" in done.stdout
    assert "skipped" not in done.stdout
    assert "two votes of four" in done.stdout
    assert "the judge is away" in done.stdout
    assert {
        name: [child.tag for child in item if child.tag != "properties"] for name, item in tests.items()
    } == {
        "passes": [],
        "undecided": ["error"],
        "broken": ["error"],
    }
    assert "mood undecided" in str(tests["undecided"].find("error").attrib)  # type: ignore[union-attr]
