"""Runs: asked for in the dialog, followed while they go on, cancelled, resumed, found again, deleted."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from xml.etree import ElementTree

from adjudge_web.run_views import RunViews
from conftest import WalkT, elements, fields, press, until
from nicegui import ui
from nicegui.testing import User

import adjudge
from adjudge.plugin import home as home_folder

Walk = Callable[[WalkT], None]


async def opened_dialog(user: User, agent: str = "sky:agent", file: str = "weather.evalset.json") -> None:
    await user.open(f"/set?file={file}")
    user.find("Run all…").click()
    await user.should_see("Criteria", retries=100)
    [field] = [element for element in user.find(ui.select).elements if element.props.get("label") == "Agent"]
    field.set_options([agent], value=agent)


async def at_run(user: User) -> str:
    """Wait until the user is on the page of a run; its name."""
    await until(lambda: user.back_history[-1].startswith("/runs/"))
    return user.back_history[-1].removeprefix("/runs/")


def test_the_agent_beside_an_eval_set_is_chosen_whether_it_is_a_function_or_one_of_adk(
    walk: Walk, folder: Path
) -> None:
    (folder / "weather").mkdir()
    (folder / "weather" / "agent.py").write_text((folder / "sky.py").read_text("utf-8"), "utf-8")
    shutil.copy(folder / "weather.evalset.json", folder / "weather")
    (folder / "shop").mkdir()
    (folder / "shop" / "agent.py").write_text("root_agent = agent = None\n", "utf-8")
    (folder / "broken").mkdir()
    (folder / "broken" / "agent.py").write_text("def agent(:\n", "utf-8")

    async def steps(user: User) -> None:
        await user.open("/set?file=weather/weather.evalset.json")
        user.find("Run all…").click()
        await user.should_see("Criteria", retries=100)
        [field] = [item for item in user.find(ui.select).elements if item.props.get("label") == "Agent"]
        assert list(field.options) == ["broken", "shop", "weather.agent:agent"]
        assert field.value == "weather.agent:agent"
        user.find("Start").click()
        name = await at_run(user)
        await until(lambda: [(run.name, run.status) for run in adjudge.list_runs()] == [(name, "FAIL")])

    walk(steps)


def test_a_run_from_the_list_to_its_results(walk: Walk) -> None:
    async def steps(user: User) -> None:
        await user.open("/")
        await user.should_see("weather.evalset.json")
        await user.should_see("2 cases")
        await opened_dialog(user)
        await user.should_see("tool_trajectory_avg_score")
        user.find("Start").click()
        name = await at_run(user)
        await until(lambda: [run.state for run in adjudge.list_runs()] == ["finished"])
        await user.open(f"/runs/{name}")
        await user.should_see("Download")
        document = (await user.http_client.get(f"/data/runs/{name}")).json()
        assert {row["id"]: row["status"] for row in document["rows"]} == {"paris": "PASS", "oslo": "FAIL"}
        case = (await user.http_client.get(f"/data/runs/{name}/cases/1")).json()
        assert (case["kind"], case["name"]) == ("case", "weather.evalset.json:oslo")
        await user.open("/runs")
        await user.should_see("sky:agent")
        await user.should_see("response_match_score, threshold 0.8")
        await user.should_see("FAIL")

    walk(steps)
    [run] = adjudge.list_runs()
    with adjudge.read_run(run.name) as report:
        assert {case.result.eval_id: case.result.status for case in report.cases()} == {
            "paris": "PASS",
            "oslo": "FAIL",
        }


def test_the_dialog_changes_thresholds_and_options_and_saves_them(walk: Walk, folder: Path) -> None:
    async def steps(user: User) -> None:
        await opened_dialog(user)
        sliders = {element.props["aria-label"]: element for element in user.find(ui.slider).elements}
        sliders["Threshold of response_match_score"].set_value(0.6)
        [match_type] = [
            element for element in user.find(ui.select).elements if element.props.get("label") == "match type"
        ]
        match_type.set_value("ANY_ORDER")
        user.find("Save as test_config.json").click()
        await until(lambda: (folder / "test_config.json").exists())

    walk(steps)
    assert json.loads((folder / "test_config.json").read_text("utf-8")) == {
        "criteria": {
            "tool_trajectory_avg_score": {"threshold": 1.0, "match_type": "ANY_ORDER"},
            "response_match_score": 0.6,
        }
    }
    result = adjudge.evaluate_sync("sky:agent", "weather.evalset.json", run="of-the-command-line")
    assert result.passed


def test_the_plan_tells_every_problem_and_nothing_runs(walk: Walk) -> None:
    async def steps(user: User) -> None:
        await opened_dialog(user, "sky:nobody")
        user.find("Start").click()
        await user.should_see("nobody", retries=100)

    walk(steps)
    assert adjudge.list_runs() == []


def test_code_that_a_file_beside_the_eval_set_names_is_not_run(walk: Walk, folder: Path) -> None:
    """As on the command line: who gets an eval set from elsewhere does not run what came along."""
    came = folder / "came"
    came.mkdir()
    (folder / "weather.evalset.json").rename(came / "weather.evalset.json")
    (came / "measure.py").write_text(
        "open('was-run', 'w').close()\ndef kind(*said):\n    return 1.0\n", "utf-8"
    )
    config = {
        "criteria": {"kind": 0.5},
        "custom_metrics": {"kind": {"code_config": {"name": "came.measure.kind"}}},
    }
    (came / "test_config.json").write_text(json.dumps(config), "utf-8")

    async def steps(user: User) -> None:
        await opened_dialog(user, file="came/weather.evalset.json")
        user.find("Start").click()
        await user.should_see("names code of the module 'came.measure'", retries=200)

    walk(steps)
    assert adjudge.list_runs() == []
    assert not (folder / "was-run").exists()


def test_a_case_whose_id_reads_as_two_others_does_not_run_them(walk: Walk, folder: Path) -> None:
    document = json.loads((folder / "weather.evalset.json").read_text("utf-8"))
    document["eval_cases"].append({**document["eval_cases"][0], "eval_id": "paris,oslo"})
    (folder / "weather.evalset.json").write_text(json.dumps(document), "utf-8")

    async def steps(user: User) -> None:
        await user.open("/set?file=weather.evalset.json")
        await user.should_see("paris,oslo")
        boxes = {box.props.get("aria-label"): box for box in user.find(ui.checkbox).elements}
        boxes["Choose case 3"].set_value(True)
        user.find("Run 1…").click()
        await user.should_see("Criteria", retries=100)
        [field] = [item for item in user.find(ui.select).elements if item.props.get("label") == "Agent"]
        field.set_options(["sky:agent"], value="sky:agent")
        user.find("Start").click()
        await user.should_see("cannot be run alone")

    walk(steps)
    assert adjudge.list_runs() == []


def test_a_run_is_cancelled_and_can_be_resumed(walk: Walk) -> None:
    async def steps(user: User) -> None:
        await opened_dialog(user, "sky:slow")
        user.find("Start").click()
        name = await at_run(user)
        await until(lambda: [run.done for run in adjudge.list_runs()] == [1])
        user.find("Cancel").click()
        await until(
            lambda: user.back_history[-1] == f"/runs/{name}" and "Resume" in str(user.current_layout), 40
        )

    walk(steps)
    [run] = adjudge.list_runs()
    assert (run.state, run.done, run.total) == ("unfinished", 1, 2)


def test_a_run_is_deleted(walk: Walk) -> None:
    async def steps(user: User) -> None:
        adjudge_run = await adjudge.evaluate("sky:agent", "weather.evalset.json", run="old")
        await user.open(f"/runs/{adjudge_run.name}")
        user.find("Delete…").click()
        await user.should_see("Delete this run?")
        user.find("Delete it").click()
        await until(lambda: adjudge.list_runs() == [])

    walk(steps)


def test_two_runs_are_compared_and_written_as_reports(walk: Walk, folder: Path) -> None:
    async def steps(user: User) -> None:
        for name, threshold in (("before", 0.5), ("after", 0.8)):
            config = {"criteria": {"response_match_score": threshold}}
            await adjudge.evaluate("sky:agent", "weather.evalset.json", config=config, run=name)
        await user.open("/runs/after?before=before")
        await user.should_see("Compare with")
        compared = (await user.http_client.get("/data/runs/after?before=before")).json()["comparison"]
        assert [(change["name"], change["kind"]) for change in compared["changes"]] == [
            ("weather.evalset.json:oslo", "worse")
        ]
        user.find("Download").click()
        for kind in ("HTML", "Markdown", "JSON", "JUnit"):
            await user.should_see(f"{kind}: ")
        assert "1 of 2 cases failed" in (await user.http_client.get("/data/reports/after.md")).text
        page = await user.http_client.get("/data/reports/after.html")
        assert "attachment" in page.headers["content-disposition"]
        assert "weather.evalset.json" in page.text or "<script" in page.text
        assert (await user.http_client.get("/data/reports/after.json")).json()["run"]["name"] == "after"
        assert "<testsuite" in (await user.http_client.get("/data/reports/after.xml")).text
        for nothing in (
            "/data/runs/nobody",
            "/data/runs/after/cases/99",
            "/data/reports/nobody.json",
            "/data/runs/..%2fx",
        ):
            assert (await user.http_client.get(nothing)).status_code == 404

    walk(steps)


def test_structured_options_are_fields_and_the_command_line_reads_what_they_save(
    walk: Walk, folder: Path, scripted_judge: str
) -> None:
    """Of adjudge's own criterion and of a stranger's: lists of objects, maps, words to choose from, unions."""
    document = json.loads((folder / "weather.evalset.json").read_text("utf-8"))
    for case in document["eval_cases"]:
        [turn] = case["conversation"]
        turn["intermediate_data"]["tool_uses"][0]["args"]["city"] += "!"
    (folder / "weather.evalset.json").write_text(json.dumps(document), "utf-8")

    async def steps(user: User) -> None:
        await opened_dialog(user)
        boxes = {box.text: box for box in user.find(ui.checkbox).elements}
        boxes["response_match_score"].set_value(False)
        press(user, "Add to regex")
        fields(user, "regex: name")[0].set_value("city")
        fields(user, "regex: value")[0].set_value("Paris|Oslo")
        [more] = [item for item in user.find(ui.expansion).elements if "more criteria" in item.text]
        more.set_value(True)
        await user.should_see("weighed_words")
        boxes = {box.text: box for box in user.find(ui.checkbox).elements}
        boxes["weighed_words"].set_value(True)
        press(user, "Add to words")
        press(user, "Add to words")
        for field, word in zip(fields(user, "word"), ("sunny", "rain"), strict=True):
            field.set_value(word)
        fields(user, "side")[1].set_value("unwanted")
        press(user, "Add to limits")
        fields(user, "limits: name")[0].set_value("sunny")
        fields(user, "limits: value")[0].set_value(1)
        for _ in range(3):
            press(user, "Add to places")
        fields(user, "places 2: kind")[0].set_value(1)
        fields(user, "places 1")[0].set_value("here")
        fields(user, "places 2")[0].set_value(7)
        press(user, "Remove places 3")
        user.find("Save as test_config.json").click()
        await until(lambda: (folder / "test_config.json").exists())
        user.find("Start").click()
        await at_run(user)
        await until(lambda: [run.state for run in adjudge.list_runs()] == ["finished"])

    walk(steps)
    assert json.loads((folder / "test_config.json").read_text("utf-8")) == {
        "criteria": {
            "tool_trajectory_avg_score": {"threshold": 1.0, "arguments": {"regex": {"city": "Paris|Oslo"}}},
            "weighed_words": {
                "threshold": 1.0,
                "words": [{"word": "sunny"}, {"word": "rain", "side": "unwanted"}],
                "limits": {"sunny": 1},
                "places": ["here", 7],
            },
        }
    }
    command = [
        sys.executable,
        "-m",
        "adjudge",
        "eval",
        "sky:agent",
        "weather.evalset.json",
        "--run",
        "command",
    ]
    subprocess.run(command, check=True, capture_output=True)
    of_page, of_command = (scores_of(run.name) for run in adjudge.list_runs())
    assert of_page == of_command
    assert {status for status, _ in of_command.values()} == {"PASS"}


def scores_of(run: str) -> dict[tuple[str, str], tuple[str, float | None]]:
    with adjudge.read_run(run) as report:
        return {
            (case.result.eval_id, item.criterion_name): (item.status, item.score)
            for case in report.cases()
            for item in case.result.criteria
        }


def test_the_history_draws_the_means_of_every_criterion_over_the_runs_of_an_eval_set(
    walk: Walk, folder: Path
) -> None:
    async def steps(user: User) -> None:
        text = (folder / "sky.py").read_text("utf-8")
        for run, said in (("first", "It is sunny"), ("second", "It rains")):
            (folder / f"{run}.py").write_text(text.replace("It is sunny", said), "utf-8")
            await adjudge.evaluate(f"{run}:agent", "weather.evalset.json", run=run)
        await user.open("/runs")
        await user.should_see("Scores over runs")
        await user.should_see(ui.html)
        [drawn] = user.find(ui.html).elements
        for run in ("first", "second"):
            with adjudge.read_run(run) as report:
                for criterion in report.summary.criteria:
                    assert "over 2 runs" in drawn.content
                    assert (
                        f"{run}: {criterion.mean:.2f}, threshold {criterion.threshold:.2f}" in drawn.content
                    )
            assert drawn.content.count(f'href="/runs/{run}"') == 3

    walk(steps)


def test_a_run_without_a_score_is_a_gap_in_the_chart_and_said_in_the_table(walk: Walk, folder: Path) -> None:
    text = (folder / "sky.py").read_text("utf-8")
    (folder / "silent.py").write_text(text.replace("city =", "raise ValueError\n    city ="), "utf-8")
    both = {"criteria": {"response_match_score": 0.5, "tool_trajectory_avg_score": 1.0}}
    one = {"criteria": {"response_match_score": 0.5}}

    async def steps(user: User) -> None:
        for run, agent, config in (
            ("whole", "sky:agent", both),
            ("failed", "silent:agent", both),
            ("partly", "sky:agent", one),
            ("last", "sky:agent", both),
        ):
            await adjudge.evaluate(agent, "weather.evalset.json", run=run, config=config)
        runs = home_folder() / "runs"
        shutil.copy(runs / "last.sqlite3", runs / "what's #1?.sqlite3")
        await user.open("/runs")
        await user.should_see(ui.html)
        [drawn] = user.find(ui.html).elements
        page = ElementTree.fromstring(f"<div>{drawn.content}</div>")  # noqa: S314 - of our own
        lines = {svg.get("aria-label"): len(svg.findall("polyline")) for svg in page.iter("svg")}
        assert lines == {
            "response_match_score over 5 runs, 2 of them without a score": 3,
            "tool_trajectory_avg_score over 5 runs, 3 of them without a score": 2,
        }
        rows = [[cell.text or cell[0].text for cell in row] for row in page.iter("tr")]
        said = {row[1]: row[4:] for row in rows[1:]}
        assert said["failed"] == ["no score", "no score"]
        assert said["partly"] == [said["whole"][0], "not in this run"]
        assert said["what's #1?"] == ["not in this run", "not in this run"]
        linked = [link.get("href") for link in page.iter("a") if link.text == "what's #1?"]
        assert linked == ["/runs/what%27s%20%231%3F"]
        [row] = [item for item in elements(user) if item.props.get("href") == linked[0]]
        assert isinstance(row, ui.link)

    walk(steps)


def test_many_who_open_many_runs_at_once_see_all_of_them(folder: Path) -> None:
    adjudge.evaluate_sync("sky:agent", "weather.evalset.json", run="run0")
    runs = home_folder() / "runs"
    names = [f"run{number}" for number in range(8)]
    for name in names[1:]:
        shutil.copy(runs / "run0.sqlite3", runs / f"{name}.sqlite3")
    views, often = RunViews(), sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(16) as people:
            shown = list(people.map(views.document, names * 20))
    finally:
        sys.setswitchinterval(often)
    assert {len(json.loads(document)["rows"]) for document in shown} == {2}
