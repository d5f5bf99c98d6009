"""Cases: edited with their types kept, undone, compared before they are saved, and never over somebody else's work."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from adjudge_web import eval_set_folder
from adjudge_web.case_draft import CaseDraft, ConflictError
from conftest import WalkT, fields, press, weather_case
from nicegui import ui
from nicegui.testing import User

from adjudge.kit.adk import EvalSetFile, open_eval_set
from adjudge.plugin import InputError

Walk = Callable[[WalkT], None]
OSLO = "/case?file=weather.evalset.json&id=oslo"


def cases(folder: Path, name: str = "weather.evalset.json") -> dict[str, Any]:
    data = json.loads((folder / name).read_text("utf-8"))
    return {case["eval_id"]: case for case in data["eval_cases"]}


def test_a_case_is_edited_and_nothing_else_in_the_file_changes(walk: Walk, folder: Path) -> None:
    before = json.loads((folder / "weather.evalset.json").read_text("utf-8"))

    async def steps(user: User) -> None:
        await user.open(OSLO)
        fields(user, "Final response")[0].set_value("It is sunny in Oslo.")
        fields(user, "Argument")[0].set_value("town")
        user.find("Save 3 changes…").click()
        await user.should_see("What changes")
        await user.should_see("$.conversation[0].final_response.parts[0].text")
        await user.should_see("sunny")
        user.find("Write the file").click()
        await user.should_see("Save…")

    walk(steps)
    after = json.loads((folder / "weather.evalset.json").read_text("utf-8"))
    turn = before["eval_cases"][1]["conversation"][0]
    turn["final_response"]["parts"][0]["text"] = "It is sunny in Oslo."
    turn["intermediate_data"]["tool_uses"][0]["args"] = {"town": "Oslo"}
    assert after == before


def test_arguments_keep_their_types(walk: Walk, folder: Path) -> None:
    case = weather_case("typed", "Rome", "Yes.")
    arguments = {"count": 3, "share": 0.5, "loud": True, "names": ["a"], "nothing": None, "text": "3"}
    case["conversation"][0]["intermediate_data"]["tool_uses"][0]["args"] = arguments
    document = {"eval_set_id": "typed", "eval_cases": [case]}
    (folder / "typed.evalset.json").write_text(json.dumps(document), encoding="utf-8")

    async def steps(user: User) -> None:
        await user.open("/case?file=typed.evalset.json&id=typed")
        types = [item.value for item in sorted(user.find(ui.select).elements, key=lambda item: item.id)]
        assert types == ["number", "number", "yes/no", "JSON", "JSON", "text"]
        [count, _] = sorted(user.find(ui.number).elements, key=lambda item: item.id)
        count.set_value(4)
        user.find("Save 1 change…").click()
        await user.should_see("What changes")
        user.find("Write the file").click()
        await user.should_see("Save…")

    walk(steps)
    saved = cases(folder, "typed.evalset.json")["typed"]["conversation"][0]["intermediate_data"]["tool_uses"][
        0
    ]["args"]
    assert saved == {**arguments, "count": 4}
    assert type(saved["count"]) is int


def test_undo_messages_deleted_rubrics_and_states(walk: Walk, folder: Path) -> None:
    async def steps(user: User) -> None:
        await user.open(OSLO)
        fields(user, "User")[0].set_value("Something else")
        user.find("Undo").click()
        assert fields(user, "User")[0].value == "What is the weather in Oslo?"
        user.find(kind=ui.button, content="Add a rubric").click()
        fields(user, "Property")[0].set_value("It names the city.")
        fields(user, "Initial state (JSON)")[0].set_value('{"unit": "C"}')
        press(user, "Delete the call")
        fields(user, "Final state (JSON)")[0].set_value("{no json")
        # What a field shows and the draft has not would be lost.
        user.find("Save 3 changes…").click()
        await user.should_see("Final state (JSON): This is no JSON.")
        await user.should_not_see("What changes")
        fields(user, "Final state (JSON)")[0].set_value("")
        user.find("Save 3 changes…").click()
        await user.should_see("What changes")
        user.find("Write the file").click()
        await user.should_see("Save…")

    walk(steps)
    saved = cases(folder)["oslo"]
    assert saved["conversation"][0]["intermediate_data"]["tool_uses"] == []
    assert saved["session_input"] == {"app_name": "", "user_id": "", "state": {"unit": "C"}}
    assert saved["conversation"][0]["rubrics"][0]["rubric_content"] == {"text_property": "It names the city."}
    assert "final_session_state" not in saved
    assert cases(folder)["paris"] == weather_case("paris", "Paris", "It is sunny in Paris.")


def test_an_unsound_case_is_not_saved_and_the_page_says_why(walk: Walk, folder: Path) -> None:
    before = (folder / "weather.evalset.json").read_bytes()

    async def steps(user: User) -> None:
        await user.open(OSLO)
        fields(user, "Initial state (JSON)")[0].set_value("[1, 2]")
        user.find("Save 1 change…").click()
        await user.should_see("What changes")
        user.find("Write the file").click()
        await user.should_see("'state' must be an object")

    walk(steps)
    assert (folder / "weather.evalset.json").read_bytes() == before


def test_two_people_who_edit_one_case_do_not_lose_each_others_work(walk: Walk, folder: Path) -> None:
    async def steps(user: User) -> None:
        await user.open(OSLO)
        other = CaseDraft(folder / "weather.evalset.json", "oslo")
        other.put(("conversation", 0, "final_response", "parts", 0, "text"), "Theirs")
        other.save()
        fields(user, "Final response")[0].set_value("Mine")
        user.find("Save 1 change…").click()
        await user.should_see("What changes")
        user.find("Write the file").click()
        await user.should_see("somebody changed this case since you opened it")
        assert "Theirs" in (folder / "weather.evalset.json").read_text("utf-8")
        user.find("Write mine over theirs").click()
        await user.should_see("Save…")

    walk(steps)
    assert cases(folder)["oslo"]["conversation"][0]["final_response"]["parts"][0]["text"] == "Mine"


def test_changes_of_other_cases_meanwhile_are_kept(folder: Path) -> None:
    path = folder / "weather.evalset.json"
    mine, theirs = CaseDraft(path, "oslo"), CaseDraft(path, "paris")
    theirs.put(("conversation", 0, "final_response", "parts", 0, "text"), "Theirs")
    theirs.save()
    mine.put(("conversation", 0, "final_response", "parts", 0, "text"), "Mine")
    mine.save()

    said = {
        name: case["conversation"][0]["final_response"]["parts"][0]["text"]
        for name, case in cases(folder).items()
    }
    assert said == {"paris": "Theirs", "oslo": "Mine"}


def test_a_case_that_somebody_removed_is_a_conflict(folder: Path) -> None:
    path = folder / "weather.evalset.json"
    mine = CaseDraft(path, "oslo")
    mine.put(("conversation", 0, "final_response", "parts", 0, "text"), "Mine")
    data = json.loads(path.read_text("utf-8"))
    del data["eval_cases"][1]
    path.write_text(json.dumps(data), encoding="utf-8")

    with pytest.raises(ConflictError, match="removed"):
        mine.save()
    mine.save(over_theirs=True)
    assert list(cases(folder)) == ["paris", "oslo"]


def test_cases_are_added_and_deleted(walk: Walk, folder: Path) -> None:
    async def steps(user: User) -> None:
        await user.open("/set?file=weather.evalset.json")
        user.find("Add a case").click()
        await user.should_see("a conversation")
        fields(user, "Id")[0].set_value("ローマ")
        user.find("Add it").click()
        await user.should_see("Turn 1")
        assert "ローマ" in cases(folder)
        user.find("Delete…").click()
        await user.should_see("Delete 1 case?")
        user.find("Delete for good").click()
        await user.should_see("2 cases")

    walk(steps)
    assert list(cases(folder)) == ["paris", "oslo"]


def test_a_new_eval_set_is_made_in_the_list(walk: Walk, folder: Path) -> None:
    async def steps(user: User) -> None:
        await user.open("/")
        user.find(kind=ui.button, content="New").click()
        await user.should_see("New eval set")
        [name] = [item for item in user.find(ui.input).elements if "letters" in str(item.props.get("label"))]
        name.set_value("../../evil")
        user.find("Make").click()
        await user.should_see("can be no id of an eval set")
        name.set_value("trips")
        user.find("Make").click()
        await user.should_see("No case yet.")

    walk(steps)
    assert open_eval_set(folder / "trips.evalset.json", may_be_empty=True).given_id == "trips"


def test_an_old_shape_is_migrated_beside_itself(walk: Walk, folder: Path) -> None:
    old = [{"query": "hi", "expected_tool_use": [], "reference": "hello"}]
    (folder / "old.test.json").write_text(json.dumps(old), encoding="utf-8")

    async def steps(user: User) -> None:
        await user.open("/")
        await user.should_see("old shape")
        await user.open("/set?file=old.test.json")
        user.find("Migrate").click()
        await user.should_see("Add a case")

    walk(steps)
    assert open_eval_set(folder / "old.evalset.json").given_id is not None
    assert json.loads((folder / "old.test.json").read_text("utf-8")) == old


@pytest.mark.parametrize("file", ["../weather.evalset.json", "/etc/passwd", "sky.py", "a\x00b.test.json", ""])
def test_no_address_leads_out_of_the_folder(walk: Walk, file: str) -> None:
    async def steps(user: User) -> None:
        for page in ("set", "case"):
            answer = await user.http_client.get(f"/{page}", params={"file": file, "id": "x"})
            assert "there is no such eval set here" in answer.text

    walk(steps)


def large(folder: Path, last: str = "case_3999") -> None:
    """An eval set of 4,000 cases, of which the last has this id."""
    ids = [*(f"case_{number}" for number in range(3999)), last]
    cases = [weather_case(name, "Oslo", "It is sunny in Oslo.") for name in ids]
    content = json.dumps({"eval_set_id": "many", "eval_cases": cases})
    (folder / "large.evalset.json").write_text(content, encoding="utf-8")


@pytest.fixture
def reading(monkeypatch: pytest.MonkeyPatch) -> Event:
    """No eval set is read to its end before this is set."""
    may_go_on = Event()

    def opened(path: Path, **options: bool) -> EvalSetFile:
        assert may_go_on.wait(60)
        return open_eval_set(path, **options)

    monkeypatch.setattr(eval_set_folder, "open_eval_set", opened)
    return may_go_on


def test_the_first_cases_of_a_large_eval_set_are_there_before_all_of_it_is_read(
    walk: Walk, folder: Path, reading: Event
) -> None:
    large(folder)

    async def steps(user: User) -> None:
        await user.open("/set?file=large.evalset.json")
        await user.should_see("case_49")
        await user.should_see("the first cases; all of them are being read…")
        await user.should_not_see("Run all…")
        chosen = user.find(ui.checkbox)
        first = min(chosen.elements, key=lambda item: item.id)
        first.set_value(True)
        reading.set()
        await user.should_see("1–50 of 4000 cases")
        await user.should_see("Run 1…")
        assert first in user.find(ui.checkbox).elements
        user.find("Next").click()
        await user.should_see("case_99")

    walk(steps)


def test_what_is_wrong_at_the_end_of_a_large_eval_set_is_told(walk: Walk, folder: Path) -> None:
    large(folder, last="case_0")

    async def steps(user: User) -> None:
        await user.open("/set?file=large.evalset.json")
        await user.should_see("a second case with this id; the first is number 1 of the file.")
        await user.should_not_see("case_49")

    walk(steps)


def test_a_large_eval_set_is_listed_before_it_is_read(walk: Walk, folder: Path, reading: Event) -> None:
    large(folder)
    (folder / "weather.evalset.json").unlink()

    async def steps(user: User) -> None:
        await user.open("/")
        await user.should_see("large.evalset.json")
        await user.should_see("being read…")
        reading.set()
        await user.should_see("4000 cases")
        await user.should_see("many")

    walk(steps)


def test_an_address_without_a_page_says_so_and_leads_home(walk: Walk) -> None:
    async def steps(user: User) -> None:
        answer = await user.http_client.get("/nowhere/<b>")
        assert answer.status_code == 404
        assert "There is no page /nowhere/" in answer.text
        assert "All eval sets" in answer.text
        assert "<b>" not in answer.text
        assert (await user.http_client.get("/adjudge-web/nothing.css")).text == "There is no such file."

    walk(steps)


def test_a_broken_file_is_listed_with_what_is_wrong(walk: Walk, folder: Path) -> None:
    (folder / "broken.test.json").write_text('{"eval_set_id": 3', encoding="utf-8")

    async def steps(user: User) -> None:
        await user.open("/")
        await user.should_see("cannot be read")
        await user.open("/set?file=broken.test.json")
        await user.should_see("broken.test.json")

    walk(steps)
    with pytest.raises(InputError):
        open_eval_set(folder / "broken.test.json")


def test_an_empty_number_is_not_taken_for_the_one_before(walk: Walk, folder: Path) -> None:
    case = weather_case("days", "Rome", "Yes.")
    case["conversation"][0]["intermediate_data"]["tool_uses"][0]["args"] = {"days": 3, "city": "Rome"}
    document = {"eval_set_id": "days", "eval_cases": [case]}
    (folder / "days.evalset.json").write_text(json.dumps(document), encoding="utf-8")

    async def steps(user: User) -> None:
        await user.open("/case?file=days.evalset.json&id=days")
        fields(user, "User")[0].set_value("How long?")
        [days] = user.find(ui.number).elements
        days.set_value(None)
        user.find("Save 1 change…").click()
        await user.should_see("Value: This is no number.")
        await user.should_not_see("What changes")

    walk(steps)
