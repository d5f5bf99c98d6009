"""``adjudge criteria``, ``agents`` and ``plugins``: what a person and a program read."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from adjudge.cli import cli
from adjudge.errors import AdjudgeError

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)

    def run(*args: str) -> Result:
        return CliRunner().invoke(cli, args)

    return run


def rows(output: str) -> dict[str, list[str]]:
    """The rows of a plain table by their first cell; cells are apart by two spaces or more."""
    lines = [[cell for cell in line.split("  ") if cell.strip()] for line in output.splitlines() if line]
    return {line[0].strip(): [cell.strip() for cell in line[1:]] for line in lines}


def test_criteria_show_the_table_of_the_criteria_page(run: Run) -> None:
    table = rows(run("criteria").stdout)

    assert table["criterion"] == [
        "measures",
        "reference-based",
        "needs rubrics",
        "LLM judge",
        "simulated conversations",
        "range",
        "better",
        "default threshold",
        "plugin",
    ]
    assert table["tool_trajectory_avg_score"][1:] == [
        "yes",
        "no",
        "no",
        "no",
        "0 to 1",
        "higher",
        "1",
        "tool-trajectory",
    ]
    assert table["response_match_score"][1:] == [
        "yes",
        "no",
        "no",
        "no",
        "0 to 1",
        "higher",
        "0.8",
        "response-match",
    ]
    assert table["tool_call_count_v1"][1:] == [
        "no",
        "no",
        "no",
        "yes",
        "0 and more",
        "lower",
        "none",
        "tool-call-count",
    ]


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="this system has no terminals of its own")
@pytest.mark.parametrize(
    ("columns", "drawn", "left_out"),
    [(60, False, ""), (80, True, "plugin, default threshold"), (130, True, "plugin, "), (300, True, "")],
)
def test_a_table_fits_a_terminal_and_its_names_are_whole(columns: int, drawn: bool, left_out: str) -> None:
    reading, terminal = os.openpty()
    listing = subprocess.Popen(
        [sys.executable, "-m", "adjudge", "criteria"],
        stdout=terminal,
        env={**os.environ, "COLUMNS": str(columns), "TERM": "xterm"},
    )
    os.close(terminal)
    received = b""
    try:
        while chunk := os.read(reading, 65536):
            received += chunk
    except OSError:  # what Linux says where others give no more bytes
        pass
    os.close(reading)
    lines = re.sub(r"\x1b\[[0-9;]*m", "", received.decode()).splitlines()

    assert listing.wait() == 0
    assert all(len(line) <= columns for line in lines)
    [response_match] = [line for line in lines if line.strip().startswith("response_match_score")]
    assert ("ROUGE-1" in response_match) is drawn
    assert any("───" in line for line in lines) is drawn
    assert any("rubric_based_multi_turn_trajectory_quality_v1" in line for line in lines)
    said = [line for line in lines if line.startswith("not shown, because the terminal is too narrow: ")]
    assert bool(said) is bool(left_out)
    assert all(left_out in line for line in said)


def test_criteria_as_json_have_no_infinity(run: Run) -> None:
    def refused(constant: str) -> Any:
        raise AssertionError(constant)

    listed = {
        item["name"]: item for item in json.loads(run("criteria", "--json").stdout, parse_constant=refused)
    }

    assert listed["tool_call_count_v1"]["value_range"] == [0.0, None]
    assert listed["response_match_score"]["reference_based"] is True
    assert listed["response_match_score"]["needs"] == ["expected_invocations", "reference_response"]
    assert listed["response_match_score"]["distribution"] == "adjudge"


def test_a_criterion_is_shown_with_its_options(run: Run) -> None:
    shown = run("criteria", "trajectory_single_tool_use")

    assert shown.exit_code == 0
    table = rows(shown.stdout)
    assert table["id"] == ["trajectory-single-tool-use/trajectory_single_tool_use"]
    assert table["tool_name"] == ["str", "required", "The exact name of the tool that must be called."]


def test_the_options_of_a_criterion_as_json(run: Run) -> None:
    shown = json.loads(run("criteria", "tool-trajectory/tool_trajectory_avg_score", "--json").stdout)

    options = {option["name"]: option for option in shown["options"]}
    assert options["match_type"]["alias"] == "matchType"
    assert options["match_type"]["default"] == "EXACT"
    assert options["match_type"]["required"] is False
    assert all(option["description"] for option in options.values())


def test_every_option_of_every_built_in_says_what_it_is(run: Run) -> None:
    for listing in ("criteria", "agents"):
        for component in json.loads(run(listing, "--json").stdout):
            silent = [option["name"] for option in component["options"] if not option["description"]]
            assert silent == [], component["id"]


def test_a_criterion_without_options_says_so(run: Run) -> None:
    assert "It has no options." in run("criteria", "tool_call_count_v1").stdout


def test_an_unknown_criterion_is_an_error_with_a_suggestion(run: Run) -> None:
    done = run("criteria", "respons_match_score")

    assert isinstance(done.exception, AdjudgeError)
    assert "Did you mean 'response_match_score'?" in str(done.exception)


def test_agents_are_listed_and_shown(run: Run) -> None:
    table = rows(run("agents").stdout)

    assert table["python"][-1] == "python-agent"
    assert {"http", "python", "recorded"} <= {
        item["name"] for item in json.loads(run("agents", "--json").stdout)
    }
    assert "required" in rows(run("agents", "python").stdout)["target"]


def test_a_plugin_is_shown_by_its_name_and_with_its_neighbours_by_distribution(run: Run) -> None:
    [one] = json.loads(run("plugins", "show", "response-match", "--json").stdout)
    everything = json.loads(run("plugins", "show", "adjudge", "--json").stdout)

    assert one["components"] == ["criteria: response_match_score"]
    assert one["module"] == "adjudge_plugins.criteria.text.response_match"
    assert len(everything) > 20
    assert "criteria: response_match_score" in run("plugins", "show", "response-match").stdout


def test_times_are_shown_slowest_first(run: Run) -> None:
    done = run("plugins", "--times")
    seconds = [item["seconds"] for item in json.loads(run("plugins", "list", "--json", "--times").stdout)]

    assert " ms" in done.stdout.splitlines()[1]
    assert seconds == sorted(seconds, reverse=True)


def test_a_disabled_plugin_says_why(run: Run) -> None:
    done = CliRunner().invoke(cli, ["--no-plugin", "response-match", "plugins", "show", "response-match"])

    assert "disabled by configuration" in done.stdout


def test_a_broken_project_file_is_a_message(run: Run, tmp_path: Path) -> None:
    (tmp_path / "adjudge.toml").write_text("[plugins]\ndisabel = []\n", encoding="utf-8")

    done = run("plugins")

    assert isinstance(done.exception, AdjudgeError)
    assert "unknown option 'disabel'. Did you mean 'disable'?" in str(done.exception)
    assert "adjudge.toml" in str(done.exception)


@pytest.mark.parametrize("name", [" ", "Foo", "a_b", "a--b", "../a", "1a", "a/b", "x" * 0 + "-"])
def test_a_name_that_no_package_can_have_is_refused(name: str, run: Run, tmp_path: Path) -> None:
    done = run("plugins", "new", "--", name)

    assert isinstance(done.exception, AdjudgeError)
    assert "cannot be the name of a plugin" in str(done.exception)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_with_something_in_it_is_left_alone(run: Run, tmp_path: Path) -> None:
    (tmp_path / "adjudge-acme").mkdir()
    (tmp_path / "adjudge-acme" / "mine.txt").touch()

    done = run("plugins", "new", "adjudge-acme")

    assert isinstance(done.exception, AdjudgeError)
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["mine.txt"]
