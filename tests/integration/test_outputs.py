"""Outputs: every one is written or named, none takes the place of an input, and none decides the exit status."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from subprocess import CompletedProcess

import pytest

import adjudge as adjudge_package
from adjudge.errors import ReportError
from adjudge.testing import fake_distribution

Cli = Callable[..., CompletedProcess[str]]

REPORTERS = """
from adjudge.plugin import ComponentConfig, ReporterSpec, hookimpl

class Broken:
    def write(self, report, stream):
        raise RuntimeError("no ink")

@hookimpl.reporters
def reporters():
    return [ReporterSpec(name="broken", summary="Breaks.", suffixes=(".broken", "ENDING"),
                         factory=lambda config, host: Broken())]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "bot.py").write_text(
        "import os\n\ndef agent(text):\n    os.chdir('/')\n    return text\n\ndef still(text):\n    return text\n"
    )
    case = {
        "eval_id": "one",
        "conversation": [
            {
                "user_content": {"parts": [{"text": "hello"}]},
                "final_response": {"parts": [{"text": "hello"}]},
            }
        ],
    }
    (tmp_path / "set.test.json").write_text(json.dumps({"eval_set_id": "s", "eval_cases": [case]}))
    (tmp_path / "test_config.json").write_text(json.dumps({"criteria": {"response_match_score": 0.8}}))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def broken_reporter(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    def install(ending: str = ".other") -> None:
        place = folder / "site"
        fake_distribution(
            place,
            "adjudge-ink",
            "1.2",
            entry_points={"ink": "adjudge_ink"},
            modules={"adjudge_ink": REPORTERS.replace("ENDING", ending)},
        )
        monkeypatch.syspath_prepend(str(place))

    return install


def failing(folder: Path) -> None:
    text = (folder / "set.test.json").read_text()
    (folder / "set.test.json").write_text(
        text.replace(
            '"final_response": {"parts": [{"text": "hello', '"final_response": {"parts": [{"text": "bye'
        )
    )


@pytest.mark.parametrize("fails", [False, True])
def test_a_reporter_that_fails_takes_nothing_else_along(
    folder: Path, adjudge_here: Cli, broken_reporter: Callable[..., None], fails: bool
) -> None:
    broken_reporter()
    if fails:
        failing(folder)
    outputs = ["--output", "first.broken", "--output", "second.xml", "--output", "third.json"]
    for command in (
        ["eval", "bot:still", "set.test.json", "--run", "r"],
        ["resume", "r"],
        ["runs", "show", "r"],
    ):
        done = adjudge_here(*command, *outputs)
        assert done.returncode == (1 if fails else 3), done.stderr
        assert "first.broken could not be written by plugin ink (adjudge-ink 1.2)" in done.stderr
        assert "no ink" in done.stderr
        assert "Traceback" not in done.stderr
        assert "FAIL" in done.stdout or "PASS" in done.stdout
        assert not (folder / "first.broken").exists()
        (folder / "second.xml").unlink()
        assert json.loads((folder / "third.json").read_text())["summary"]["exit_status"] == int(fails)
        (folder / "third.json").unlink()


def test_an_older_report_of_any_reporter_is_gone_where_the_run_cannot_start(
    folder: Path, adjudge_here: Cli, broken_reporter: Callable[..., None]
) -> None:
    broken_reporter()
    (folder / "report.broken").write_text("# The run of last week\nadjudge_version: 0.1.0\n")
    (folder / "notes.broken").write_text("adjudge_version is a key of the report\n")
    outputs = ["--output", "report.broken", "--output", "notes.broken"]
    done = adjudge_here("eval", "bot:nobody", "set.test.json", *outputs)
    assert done.returncode == 2, done.stdout
    assert not (folder / "report.broken").exists()
    assert (folder / "notes.broken").exists()


def test_from_python_the_result_comes_with_the_error(folder: Path) -> None:
    with pytest.raises(ReportError) as raised:
        adjudge_package.evaluate_sync(
            lambda text: text,
            "set.test.json",
            outputs=["gone.xml", "there.json"],
            watch=lambda _: _gone(folder),
        )
    assert raised.value.result.passed


def _gone(folder: Path) -> None:
    (folder / "gone.xml").mkdir(exist_ok=True)


def test_two_reporters_for_one_ending_are_an_error_that_an_alias_decides(
    folder: Path, adjudge_here: Cli, broken_reporter: Callable[..., None]
) -> None:
    broken_reporter(".json")
    run = ["eval", "bot:still", "set.test.json", "--output", "r.json"]
    refused = adjudge_here(*run)
    assert refused.returncode == 2
    assert "ink/broken (adjudge-ink 1.2) and json-reporter/json (adjudge " in refused.stderr
    assert '".json" = "' in refused.stderr
    (folder / "adjudge.toml").write_text('[aliases]\n".json" = "json-reporter/json"\n')
    done = adjudge_here(*run)
    assert done.returncode == 0, done.stderr
    assert json.loads((folder / "r.json").read_text())["summary"]["verdict"] == "PASS"


def test_an_agent_that_changes_the_working_folder_moves_no_output(folder: Path, adjudge_here: Cli) -> None:
    done = adjudge_here("eval", "bot:agent", "set.test.json", "--output", "here.json")
    assert done.returncode == 0, done.stderr
    assert (folder / "here.json").exists()
    assert "PASS" in done.stdout


@pytest.mark.parametrize(
    "name", ["set.test.json", "test_config.json", "linked.json", "hard.json", "./x/../set.test.json"]
)
def test_no_report_takes_the_place_of_what_the_run_reads(folder: Path, adjudge_here: Cli, name: str) -> None:
    (folder / "linked.json").symlink_to("set.test.json")
    (folder / "hard.json").hardlink_to(folder / "test_config.json")
    (folder / "x").mkdir()
    before = {path: path.read_bytes() for path in folder.glob("*.json")}
    assert adjudge_here("eval", "bot:still", "set.test.json", "--run", "r").returncode == 0
    run = ["eval", "bot:still", "set.test.json"]
    recorded = ["eval", "recorded:hard.json", "set.test.json"]
    for command in (run, ["resume", "r"], ["runs", "show", "r"], recorded):
        refused = adjudge_here(*command, "--output", name)
        assert refused.returncode == 2, command
        assert "it is read by this run, and a report would take its place" in refused.stderr
    assert before == {path: path.read_bytes() for path in before}


def test_a_recording_is_not_replaced_by_the_report_of_its_run(folder: Path, adjudge_here: Cli) -> None:
    (folder / "log.json").write_bytes((folder / "set.test.json").read_bytes())
    refused = adjudge_here("eval", "recorded:log.json", "set.test.json", "--output", "log.json")
    assert refused.returncode == 2
    assert "log.json: it is read by this run" in refused.stderr


def test_what_labels_show_is_not_written_over_the_labels(folder: Path, adjudge_here: Cli) -> None:
    assert adjudge_here("eval", "bot:still", "set.test.json", "--output", "r.json").returncode == 0
    (folder / "labels.json").write_text("[]")
    refused = adjudge_here("agreement", "r.json", "labels.json", "--fit", "labels.json")
    assert refused.returncode == 2
    assert "labels.json: it is read by this command" in refused.stderr


def test_a_resumed_run_needs_a_session_at_least(folder: Path, adjudge_here: Cli) -> None:
    assert adjudge_here("eval", "bot:still", "set.test.json", "--run", "r").returncode == 0
    with pytest.raises(adjudge_package.InputError, match="the concurrency must be at least 1, found 0"):
        adjudge_package.resume_sync("r", concurrency=0)


CLOSING = """
import pathlib
from adjudge.plugin import AgentAdapterSpec, ComponentConfig, hookimpl

class Config(ComponentConfig):
    target: str

class Adapter:
    async def open_session(self, request, emit):
        raise AssertionError("nothing is run")

    async def aclose(self):
        pathlib.Path("closed").touch()

@hookimpl.agent_adapters
def agent_adapters():
    return [AgentAdapterSpec(name="closing", summary="Closes.", config=Config, version=1,
                             factory=lambda config, host: Adapter())]
"""


def test_an_agent_is_closed_where_its_run_cannot_begin(
    folder: Path, adjudge_here: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = folder / "site"
    fake_distribution(
        place,
        "adjudge-close",
        "1.0",
        entry_points={"close": "adjudge_close"},
        modules={"adjudge_close": CLOSING},
    )
    monkeypatch.syspath_prepend(str(place))
    assert adjudge_here("eval", "bot:still", "set.test.json", "--run", "taken").returncode == 0
    refused = adjudge_here("eval", "closing:x", "set.test.json", "--run", "taken")
    assert refused.returncode == 2
    assert "a run named 'taken' exists" in refused.stderr
    assert (folder / "closed").exists()
    (folder / "closed").unlink()
    (folder / "test_config.json").write_text(json.dumps({"criteria": {"no_such_criterion": 0.8}}))
    assert adjudge_here("eval", "closing:x", "set.test.json").returncode == 2
    assert (folder / "closed").exists()


def test_an_agent_is_closed_where_its_run_cannot_go_on(
    folder: Path, adjudge_here: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = folder / "site"
    fake_distribution(
        place,
        "adjudge-close",
        "1.0",
        entry_points={"close": "adjudge_close"},
        modules={"adjudge_close": CLOSING},
    )
    monkeypatch.syspath_prepend(str(place))
    adjudge_here("eval", "closing:x", "set.test.json", "--run", "damaged")
    journal = sqlite3.connect(folder / "adjudge-home" / "runs" / "damaged.sqlite3")
    with closing(journal), journal:
        journal.execute("UPDATE attempts SET result = 'no JSON'")
    (folder / "closed").unlink()
    refused = adjudge_here("resume", "damaged")
    assert refused.returncode == 2
    assert "damaged" in refused.stderr
    assert (folder / "closed").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_link_to_a_device_is_a_problem_before_the_run(folder: Path, adjudge_here: Cli) -> None:
    (folder / "r.json").symlink_to("/dev/full")
    done = adjudge_here("eval", "bot:still", "set.test.json", "--output", "r.json")
    assert done.returncode == 2
    assert "leads to /dev/full, which is no ordinary file" in done.stderr
    assert (folder / "r.json").is_symlink()


def test_a_link_to_a_report_stays_a_link(folder: Path, adjudge_here: Cli) -> None:
    (folder / "reports").mkdir()
    (folder / "r.json").symlink_to(folder / "reports" / "latest.json")
    assert adjudge_here("eval", "bot:still", "set.test.json", "--output", "r.json").returncode == 0
    assert (folder / "r.json").is_symlink()
    assert json.loads((folder / "reports" / "latest.json").read_text())["summary"]["status"] == "PASS"


@pytest.mark.parametrize("name", ["bot:agent", "bot:still"])
def test_every_command_that_reports_says_which_files_it_wrote(
    folder: Path, adjudge_here: Cli, name: str
) -> None:
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    outputs = ["--output", "r.json", "--output", str(elsewhere / "r.xml")]
    for command in (
        ["eval", name, "set.test.json", "--run", "r"],
        ["resume", "r"],
        ["runs", "show", "r"],
    ):
        done = adjudge_here(*command, *outputs)
        assert done.returncode == 0, done.stdout + done.stderr
        *_, verdict, first, second = done.stdout.splitlines()
        assert verdict.startswith("PASS  1 case passed   run r")
        assert (first, Path(second.removeprefix("wrote ")).name) == ("wrote r.json", "r.xml")


def test_a_report_that_could_not_be_written_is_not_among_them(
    folder: Path, adjudge_here: Cli, broken_reporter: Callable[..., None]
) -> None:
    broken_reporter()
    outputs = ["--output", "first.broken", "--output", "second.xml"]
    for command in (["eval", "bot:still", "set.test.json", "--run", "r"], ["runs", "show", "r"]):
        done = adjudge_here(*command, *outputs)
        assert done.stdout.splitlines()[-1] == "wrote second.xml"
        assert "wrote first.broken" not in done.stdout
