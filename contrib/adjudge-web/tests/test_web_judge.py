"""AI Judge in the page: logs are opened, judged by a file of criteria, labelled."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from adjudge_web.criteria_text import with_checks
from adjudge_web.log_shelf import LogShelf
from conftest import WalkT, elements, fields, press, until
from nicegui import ui
from nicegui.testing import User

import adjudge
from adjudge.plugin import InputError

Walk = Callable[[WalkT], None]

LOG = {
    "task": "Buy the cheapest milk.",
    "steps": [
        {
            "step": 1,
            "thinking": "<script>alert(1)</script> I need a list.",
            "action": 'search({"query": "milk"})',
            "observation": "17: milk, 1.09. 18: oat milk, 1.49.",
        },
        {"step": 2, "action": 'search({"query": "milk"})', "result": "the same"},
        {"step": 3, "action": 'search({"query": "milk"})', "result": "the same"},
    ],
    "final_answer": "The cheapest milk is bought.",
}

CRITERIA = """\
- name: No loops
  criterion: action_repeats
  maximum: 1
"""


@pytest.fixture
def log(folder: Path) -> Path:
    path = folder / "shopping.json"
    path.write_text(json.dumps(LOG), encoding="utf-8")
    return path


@pytest.mark.usefixtures("log")
def test_a_log_is_opened_and_its_steps_are_shown(walk: Walk) -> None:
    async def steps(user: User) -> None:
        await user.open("/log?file=shopping.json")
        await user.should_see("Buy the cheapest milk.")
        await user.should_see("3 steps")
        document = (await user.http_client.get("/data/logs?file=shopping.json&run=1")).json()
        rows = [row for group in document["trace"]["groups"] for row in group["rows"]]
        assert [row["step"] for row in rows] == [1, 2, 3]
        assert (await user.http_client.get("/data/logs?file=shopping.json&run=2")).status_code == 404
        assert (await user.http_client.get("/data/logs?file=../../etc/passwd&run=1")).status_code == 404

    walk(steps)


@pytest.mark.parametrize("name", ["/etc/passwd", "../x.json", "", ".", "a\x00b"])
def test_no_name_of_a_log_leads_out_of_the_folder(folder: Path, name: str) -> None:
    with pytest.raises(InputError, match="no such log"):
        LogShelf(folder).path(name)


@pytest.mark.parametrize(
    "name", ["log.json", "../../log.json", "\u65e5" * 200 + ".json", "a" + ".b" * 300 + ".json"]
)
def test_logs_of_one_name_are_all_kept(folder: Path, name: str) -> None:
    """Two people may give a log of the same name; the runs and labels of the first speak of the first."""
    shelf = LogShelf(folder)
    tasks = ("Buy milk.", "Buy bread.", "Buy milk.")
    shown = [shelf.keep(name, json.dumps({**LOG, "task": task}).encode()) for task in tasks]

    assert shown[0] == shown[2] != shown[1]
    assert [shelf.runs(at)[0].task for at in shown] == list(tasks)
    assert sorted(shelf.given()) == sorted(set(shown))


def test_a_pipe_among_the_logs_is_not_waited_for(folder: Path) -> None:
    os.mkfifo(folder / "pipe.json")
    with pytest.raises(InputError, match="no file"):
        LogShelf(folder).runs("pipe.json")


@pytest.mark.usefixtures("log")
def test_a_log_is_judged_and_labelled_and_agreement_is_counted(walk: Walk, folder: Path) -> None:
    async def steps(user: User) -> None:
        await user.open("/judge?log=shopping.json")
        fields(user, "Criteria")[0].set_value(CRITERIA)
        user.find("Estimate").click()
        await user.should_see("no judge is asked")
        [judge] = [item for item in elements(user) if isinstance(item, ui.button) and item.text == "Judge"]
        del judge
        user.find(kind=ui.button, content="Judge").click()
        await until(lambda: user.back_history[-1].startswith("/runs/"))
        name = user.back_history[-1].removeprefix("/runs/")
        await until(lambda: [run.state for run in adjudge.list_runs()] == ["finished"])
        await user.open(f"/runs/{name}/labels")
        await user.should_see("No label yet.")
        [toggle] = [item for item in elements(user) if isinstance(item, ui.toggle)]
        toggle.set_value("FAIL")
        await user.should_see("No loops: 100% agreement, 1 of 1 decided", retries=300)
        await user.open(f"/runs/{name}/labels")
        [toggle] = [item for item in elements(user) if isinstance(item, ui.toggle)]
        assert toggle.value == "FAIL"

    walk(steps)
    assert (folder / "criteria.yaml").read_text("utf-8") == CRITERIA
    [run] = adjudge.list_runs()
    with adjudge.read_run(run.name) as report:
        assert [case.result.status for case in report.cases()] == ["FAIL"]


@pytest.mark.usefixtures("log")
def test_the_levels_are_shown_without_a_judge(walk: Walk) -> None:
    async def steps(user: User) -> None:
        await user.open("/judge?log=shopping.json")
        [granularity] = fields(user, "Granularity")
        granularity.set_value("phase_level")
        user.find("Show the levels").click()
        await until(lambda: [run.state for run in adjudge.list_runs()] == ["finished"])
        [run] = adjudge.list_runs()
        case = (await user.http_client.get(f"/data/runs/{run.name}/cases/0")).json()
        assert [level["name"] for level in case["repeats"][0]["levels"]] == ["phase_level"]

    walk(steps)


@pytest.mark.usefixtures("log")
def test_criteria_that_changed_on_disk_meanwhile_are_not_written_over(walk: Walk, folder: Path) -> None:
    (folder / "criteria.yaml").write_text(CRITERIA, encoding="utf-8")

    async def steps(user: User) -> None:
        await user.open("/judge?log=shopping.json")
        assert fields(user, "Criteria")[0].value == CRITERIA
        (folder / "criteria.yaml").write_text("- name: theirs\n", encoding="utf-8")
        fields(user, "Criteria")[0].set_value("- name: mine\n")
        user.find("Estimate").click()
        await user.should_see("the file was changed since it was opened")

    walk(steps)
    assert (folder / "criteria.yaml").read_text("utf-8") == "- name: theirs\n"


WORDS = """\
- name: Milk  # the one that matters
  description: The cheapest milk is in the cart, and the user hears of it.

# counted
- name: No loops
  criterion: action_repeats
  maximum: 1
"""


def labelled(user: User, label: str) -> list[ui.element]:
    return [item for item in elements(user) if item.props.get("aria-label") == label]


@pytest.mark.usefixtures("log")
def test_checks_are_seen_before_they_are_used_and_edited(
    walk: Walk, folder: Path, scripted_judge: str
) -> None:
    async def steps(user: User) -> None:
        await user.open("/judge?log=shopping.json")
        fields(user, "Criteria")[0].set_value(WORDS)
        fields(user, "Judge")[0].set_value(scripted_judge)
        user.find("See the checks").click()
        await user.should_see("by scripted/m", retries=300)
        assert [item.value for item in labelled(user, "Check 1 of Milk")] == [
            "The cheapest milk is in the cart."
        ]
        [about] = labelled(user, "What check 2 of Milk is about")
        assert about.value == "answer"
        about.set_value("process")
        labelled(user, "Check 2 of Milk")[0].set_value('It says "milk".')
        press(user, "Delete check 1 of Milk")
        user.find("Write them into the criteria").click()
        await user.should_see("Written into criteria.yaml")
        assert fields(user, "Criteria")[0].value == (folder / "criteria.yaml").read_text("utf-8")
        user.find("See the checks").click()
        await user.should_see("yours", retries=300)
        # Other words have other checks: these are no longer shown.
        fields(user, "Criteria")[0].set_value(WORDS)
        assert labelled(user, "Check 1 of Milk") == []

    walk(steps)
    assert adjudge.list_runs() == []
    written = (folder / "criteria.yaml").read_text("utf-8")
    assert [line for line in written.splitlines() if line not in WORDS.splitlines()] == [
        "  checks:",
        '    - process: "It says \\"milk\\"."',
    ]
    assert all(line in written.splitlines() for line in WORDS.splitlines())
    prepared = adjudge.prepare_criteria_sync("criteria.yaml", judge=scripted_judge)
    assert [(check["about"], check["text"]) for check in prepared["Milk"]["checks"]] == [
        ("process", 'It says "milk".')
    ]


@pytest.mark.usefixtures("log")
def test_problems_of_criteria_are_told_where_their_checks_are_asked_for(walk: Walk) -> None:
    async def steps(user: User) -> None:
        await user.open("/judge?log=shopping.json")
        fields(user, "Criteria")[0].set_value("- name: Milk\n  descripton: It is bought.\n")
        user.find("See the checks").click()
        await user.should_see("descripton", retries=300)
        await user.should_see("criteria.yaml")

    walk(steps)


@pytest.mark.usefixtures("log")
@pytest.mark.parametrize("button", ["Estimate", "See the checks"])
def test_without_a_judge_the_page_says_in_which_field_to_name_one(
    walk: Walk, monkeypatch: pytest.MonkeyPatch, button: str
) -> None:
    for name in ("ADJUDGE_JUDGE", "GOOGLE_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.delenv(name, raising=False)

    async def steps(user: User) -> None:
        await user.open("/judge?log=shopping.json")
        fields(user, "Criteria")[0].set_value(WORDS.replace("No loops", "Bread"))
        user.find(button).click()
        await user.should_see("Name one in the field Judge, as provider/model.", retries=300)
        await user.should_not_see("--judge")

    walk(steps)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "- description: b\n  name: A\n",
            '- checks:\n    - outcome: "é\\u2028"\n  description: b\n  name: A\n',
        ),
        (
            "- name: A\n  checks:\n  - old\n  - answer: 'x'\n\n  # mine\n  description: b\n",
            '- name: A\n  checks:\n    - outcome: "é\\u2028"\n\n  # mine\n  description: b\n',
        ),
        (
            '[{"name": "A", "description": "x", "checks": ["old"]}]',
            '[{"name": "A", "description": "x", "checks": [{"outcome": "é\\u2028"}]}]',
        ),
        (
            '[{"name": " A ", "description": "x"}, {"name": "B", "description": "x"}]',
            '[{"name": " A ", "checks": [{"outcome": "é\\u2028"}], "description": "x"}, {"name": "B", "description": "x"}]',
        ),
    ],
)
def test_checks_are_written_among_what_somebody_wrote(before: str, after: str) -> None:
    assert with_checks(before, {"A": [("outcome", "é\u2028")]}) == after


@pytest.mark.parametrize("text", ["", "- name: B\n  description: x\n", "- [", "{}", "- name: A\n"])
def test_checks_of_a_criterion_that_is_gone_are_written_nowhere(text: str) -> None:
    with pytest.raises(InputError, match="no criterion in words of the name 'A'"):
        with_checks(text, {"A": [("outcome", "x")]})
