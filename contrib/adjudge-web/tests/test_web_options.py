"""The options of criteria in the run dialog: defaults, what a file says, odd schemas, and what is saved."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from conftest import WalkT, elements, fields, press, until
from nicegui import ui
from nicegui.testing import User

Steps: TypeAlias = Callable[[User], Coroutine[Any, Any, None]]
Saved: TypeAlias = Callable[[Mapping[str, Any], Steps], dict[str, Any]]


@pytest.fixture
def saved(walk: Callable[[WalkT], None], folder: Path, scripted_judge: str) -> Saved:
    """What the dialog saves: of the criteria in a file, after the steps of a user in it."""
    del scripted_judge  # with the criteria in its folder

    def run(criteria: Mapping[str, Any], steps: Steps) -> dict[str, Any]:
        path = folder / "test_config.json"
        path.write_text(json.dumps({"criteria": criteria}), "utf-8")

        async def whole(user: User) -> None:
            await user.open("/set?file=weather.evalset.json")
            user.find("Run all…").click()
            await user.should_see("Save as test_config.json", retries=100)
            await steps(user)
            before = path.stat().st_mtime_ns
            user.find("Save as test_config.json").click()
            await until(lambda: path.stat().st_mtime_ns != before)

        walk(whole)
        found: dict[str, Any] = json.loads(path.read_text("utf-8"))["criteria"]
        return found

    return run


def values(user: User, label: str) -> list[Any]:
    return [field.value for field in fields(user, label)]


def test_defaults_of_structured_options_are_shown_and_stay_where_one_part_is_changed(saved: Saved) -> None:
    async def steps(user: User) -> None:
        assert values(user, "low") == [1, 3, 5, 8]
        assert values(user, "high") == [2, 4, 6, 9]
        assert values(user, "caps: name") == ["a", "b"]
        assert values(user, "caps: value") == [1, 2]
        assert values(user, "size") == ["large"]
        assert values(user, "side") == [2.0]
        assert values(user, "words, one a line") == ["one\ntwo"]
        for field, new in zip(fields(user, "high"), (20, 4, 60, 90), strict=True):
            field.set_value(new)
        fields(user, "caps: value")[1].set_value(7)
        press(user, "Add to spans")
        fields(user, "side")[0].set_value(3.0)

    assert saved({"preset": 1.0}, steps) == {
        "preset": {
            "threshold": 1.0,
            "bounds": {"low": 5, "high": 60},
            "spans": [{"low": 1, "high": 20}, {"low": 3, "high": 4}, {}],
            "caps": {"a": 1, "b": 7},
            "made": [{"low": 8, "high": 90}],
            "shape": {"form": "square", "side": 3.0},
        }
    }


def test_a_default_that_is_emptied_does_not_come_back(saved: Saved) -> None:
    async def steps(user: User) -> None:
        press(user, "Remove spans 2")
        press(user, "Remove spans 1")
        press(user, "Remove caps 2")
        press(user, "Remove caps 1")
        fields(user, "words, one a line")[0].set_value("")
        fields(user, "low")[0].set_value(0)
        fields(user, "high")[0].set_value(10)

    assert saved({"preset": 1.0}, steps) == {
        "preset": {"threshold": 1.0, "spans": [], "caps": {}, "words": [], "bounds": {}}
    }


def test_a_change_that_is_taken_back_leaves_the_option_out(saved: Saved) -> None:
    async def steps(user: User) -> None:
        for value in (20, 4):
            fields(user, "high")[1].set_value(value)
        press(user, "Add to caps")
        press(user, "Remove caps 3")
        for side in (3.0, 2.0):
            fields(user, "side")[0].set_value(side)

    assert saved({"preset": 1.0}, steps) == {"preset": {"threshold": 1.0}}


ODD: dict[str, Any] = {
    "spans": 3,
    "caps": {"a": "many"},
    "bounds": [1],
    "size": [1],
    "shape": {"form": "ellipse"},
    "made": [{"low": 1, "middle": 2}, None],
    "words": ["one\nand a half"],
    "level": "middle",
    "most": "lots",
}


def test_what_does_not_fit_is_shown_as_json_and_kept(saved: Saved) -> None:
    async def steps(user: User) -> None:
        await user.should_see("This value does not fit its field: here it is as JSON.")
        for name, value in ODD.items():
            assert [json.loads(text) for text in values(user, f"{name} (JSON)")] == [value], name

    given = {"preset": {"threshold": 1.0, **ODD}, "shapes": 0.5}
    assert saved(given, steps) == given


def test_what_does_not_fit_is_mended_in_its_json(saved: Saved) -> None:
    async def steps(user: User) -> None:
        fields(user, "caps (JSON)")[0].set_value('{"a": 5}')
        fields(user, "level (JSON)")[0].set_value("")

    given = {"preset": {"threshold": 1.0, "caps": {"a": "many"}, "level": "middle", "most": 10}}
    assert saved(given, steps) == {"preset": {"threshold": 1.0, "caps": {"a": 5}, "most": 10}}


def test_a_union_is_told_apart_by_its_constant_which_is_written_and_is_no_field(saved: Saved) -> None:
    async def steps(user: User) -> None:
        kinds = fields(user, "shapes 1: kind"), fields(user, "shapes 2: kind"), fields(user, "limit: kind")
        assert [kind.options[kind.value] for [kind] in kinds] == ["Square", "Circle", "none"]
        assert fields(user, "form") == []
        fields(user, "side")[0].set_value(5.0)
        kinds[1][0].set_value(1)
        fields(user, "side")[1].set_value(6.0)
        press(user, "Add to shapes")
        kinds[2][0].set_value(1)
        fields(user, "limit")[0].set_value(4)

    shapes = [{"form": "square", "side": 2}, {"form": "circle"}]
    assert saved({"shapes": {"threshold": 1.0, "shapes": shapes, "limit": "none"}}, steps) == {
        "shapes": {
            "threshold": 1.0,
            "shapes": [{"form": "square", "side": 5.0}, {"form": "square", "side": 6.0}, {"form": "circle"}],
            "limit": 4,
        }
    }


def test_a_union_without_a_value_has_no_kind_until_one_is_chosen(saved: Saved) -> None:
    async def steps(user: User) -> None:
        assert values(user, "limit: kind") == [None]
        fields(user, "limit: kind")[0].set_value(0)

    assert saved({"shapes": 1.0}, steps) == {"shapes": {"threshold": 1.0, "limit": "none"}}


def test_a_configuration_that_contains_itself_has_few_fields(saved: Saved) -> None:
    async def steps(user: User) -> None:
        assert values(user, "label") == [""]
        for name in ("left", "right", "above", "below", "others", "by name"):
            assert len(fields(user, f"{name} (JSON)")) == 1, name
        assert len(elements(user)) < 400
        fields(user, "left (JSON)")[0].set_value('{"label": "deeper", "right": {"label": "deepest"}}')

    assert saved({"tree": 1.0}, steps) == {
        "tree": {"threshold": 1.0, "left": {"label": "deeper", "right": {"label": "deepest"}}}
    }


def test_odd_schemas_are_json(saved: Saved) -> None:
    names = (
        "anything",
        "nothing",
        "one of all",
        "pair",
        "list of what",
        "list of anything",
        "two types",
        "elsewhere",
        "nowhere",
        "a boolean",
        "any or null",
        "null alone",
        "no choice",
        "objects",
        "bad default",
    )

    async def steps(user: User) -> None:
        found = [field.props["label"] for field in elements(user) if isinstance(field, ui.textarea)]
        assert found == [f"{name} (JSON)" for name in names]
        fields(user, "pair (JSON)")[0].set_value('["a", 1]')

    given = {"strange": {"threshold": 1.0, "two_types": None, "elsewhere": {"x": 1}}}
    assert saved(given, steps) == {"strange": {**given["strange"], "pair": ["a", 1]}}


def test_a_number_that_is_cleared_in_a_row_is_left_out_and_the_row_says_so(saved: Saved) -> None:
    async def steps(user: User) -> None:
        fields(user, "sizes 1")[0].set_value(None)
        fields(user, "weights: value")[0].set_value(None)
        press(user, "Add to sizes")
        await user.should_see("Left out: it has no value.")
        fields(user, "sizes 2")[0].set_value(5.5)

    given = {"shapes": {"threshold": 1.0, "sizes": [3, 5], "weights": {"a": 0.5, "b": 0.25}}}
    assert saved(given, steps) == {"shapes": {"threshold": 1.0, "sizes": [5], "weights": {"b": 0.25}}}


def test_two_rows_of_one_name_say_so_and_lose_nothing(saved: Saved) -> None:
    said = "Two rows have this name: nothing changes until each has its own."

    async def collided(user: User) -> None:
        fields(user, "weights: name")[1].set_value("a")
        await user.should_see(said)

    given = {"shapes": {"threshold": 1.0, "weights": {"a": 0.5, "b": 0.25}}}
    assert saved(given, collided) == given


def test_rows_of_one_name_are_saved_as_soon_as_each_has_its_own(saved: Saved) -> None:
    async def steps(user: User) -> None:
        fields(user, "weights: name")[1].set_value("a")
        fields(user, "weights: name")[0].set_value("c")
        await user.should_not_see("Two rows have this name")

    given = {"shapes": {"threshold": 1.0, "weights": {"a": 0.5, "b": 0.25}}}
    assert saved(given, steps) == {"shapes": {"threshold": 1.0, "weights": {"c": 0.5, "a": 0.25}}}


def test_the_spelling_of_adk_in_a_file_is_read_and_kept(saved: Saved) -> None:
    async def steps(user: User) -> None:
        assert values(user, "match type") == ["IN_ORDER"]
        fields(user, "match type")[0].set_value("ANY_ORDER")

    assert saved({"tool_trajectory_avg_score": {"threshold": 1.0, "matchType": "IN_ORDER"}}, steps) == {
        "tool_trajectory_avg_score": {"threshold": 1.0, "matchType": "ANY_ORDER"}
    }


def test_numbers_that_no_json_file_may_hold_are_no_json(saved: Saved) -> None:
    async def steps(user: User) -> None:
        fields(user, "anything (JSON)")[0].set_value("[NaN, Infinity]")
        await user.should_see("This is no JSON.")

    assert saved({"strange": {"threshold": 1.0, "anything": [1]}}, steps) == {
        "strange": {"threshold": 1.0, "anything": [1]}
    }
