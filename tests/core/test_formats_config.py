"""Configuration files in every form that ADK takes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.adk.config import load_config, parse_config
from adjudge.errors import InputError
from adjudge.model.config import CriterionEntry


def one(value: Any, **further: Any) -> CriterionEntry:
    (entry,) = parse_config({"criteria": {"metric": value}, **further}, source=None).criteria
    return entry


@pytest.mark.parametrize(
    ("value", "threshold"),
    [
        (0.8, 0.8),
        (1, 1.0),
        (-2, -2.0),
        ("0.5", 0.5),
        ({"threshold": "1"}, 1.0),
        ({"threshold": None}, None),
        ({}, None),
    ],
)
def test_a_criterion_may_be_a_number_a_numeric_string_or_an_object(
    value: Any, threshold: float | None
) -> None:
    assert one(value) == CriterionEntry(name="metric", criterion="metric", threshold=threshold)


def test_option_names_are_taken_in_both_spellings_as_deep_as_adk_has_them() -> None:
    entry = one(
        {
            "threshold": 1,
            "matchType": "IN_ORDER",
            "ignore_args": True,
            "includeIntermediateResponsesInFinal": True,
            "judgeModelOptions": {"judgeModel": "m", "numSamples": 3, "judgeModelConfig": {"topP": 1}},
            "rubrics": [{"rubricId": "r", "rubricContent": {"textProperty": "is kind"}}],
            "tools": {"setDevice": {"ignoreNames": ["*"]}},
        }
    )
    assert entry.options == {
        "match_type": "IN_ORDER",
        "ignore_args": True,
        "include_intermediate_responses_in_final": True,
        "judge_model_options": {"judge_model": "m", "num_samples": 3, "judge_model_config": {"topP": 1}},
        "rubrics": [{"rubric_id": "r", "rubric_content": {"text_property": "is kind"}}],
        "tools": {"setDevice": {"ignoreNames": ["*"]}},
    }


def test_one_component_can_be_used_under_two_names() -> None:
    config = parse_config(
        {
            "criteria": {
                "strict": {"criterion": "c", "threshold": 1},
                "lax": {"criterion": "p/c", "threshold": 0.5},
            }
        },
        source=None,
    )
    assert [(entry.name, entry.criterion) for entry in config.criteria] == [("strict", "c"), ("lax", "p/c")]


@pytest.mark.parametrize("spelling", ["custom_metrics", "customMetrics"])
def test_a_custom_metric_becomes_a_criterion_that_calls_its_function(spelling: str) -> None:
    metric = {
        "codeConfig": {"name": "pkg.mod.fn"},
        "metric_info": {"metricName": "metric", "metric_value_info": {"interval": {"minValue": 0}}},
        "description": "d",
    }
    assert one({"threshold": 0.5, "depth": 2}, **{spelling: {"metric": metric}}) == CriterionEntry(
        name="metric",
        criterion="metric",
        is_custom_metric=True,
        threshold=0.5,
        options={
            "function": "pkg.mod.fn",
            "metric_info": {"metric_name": "metric", "metric_value_info": {"interval": {"min_value": 0}}},
            "description": "d",
            "depth": 2,
            # ADK tells the function these two.
            "metric_name": "metric",
            "threshold": 0.5,
        },
    )


def test_what_nothing_reads_is_kept_with_a_warning() -> None:
    metric = {"code_config": {"name": "a.b"}}
    config = parse_config(
        {"criteria": {"x": 1}, "team": "dice", "custom_metrics": {"y": metric, "z": metric}}, source="c.json"
    )
    assert config.extra == {"team": "dice"}
    assert len(config.warnings) == 3
    assert "'team'" in config.warnings[0]


def test_simulator_and_live_configuration_are_kept() -> None:
    config = parse_config(
        {
            "criteria": {"x": 1},
            "userSimulatorConfig": {"type": "llm_backed", "maxAllowedInvocations": 3},
            "live_model_config": {"timeout_seconds": 5},
        },
        source=None,
    )
    assert config.user_simulator is not None
    assert config.user_simulator.simulator == "llm_backed"
    assert config.user_simulator.options == {"max_allowed_invocations": 3}
    assert config.live_model_config == {"timeout_seconds": 5}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"criterias": {"x": 1}}, ["Did you mean 'criteria'?"]),
        ({}, ["no criteria"]),
        ({"criteria": {}}, ["no criteria"]),
        ({"criteria": [1]}, ["'criteria' must be an object"]),
        ({"criteria": {"x": float("nan")}}, ["$.criteria.x", "finite number"]),
        ({"criteria": {"x": "nan"}}, ["finite number"]),
        ({"criteria": {"x": True}}, ["finite number, found true"]),
        ({"criteria": {"x": None}}, ["expected a threshold or an object"]),
        ({"criteria": {"x": {"threshold": "high"}}}, ["$.criteria.x.threshold", "found the text 'high'"]),
        ({"criteria": {"x": {"criterion": 1}}}, ["'criterion' must be the name of a component"]),
        ({"criteria": {"x": {"matchType": 1, "match_type": 2}}}, ["given twice"]),
        ({"criteria": {"x": 1}, "custom_metrics": {"x": {}}}, ["no 'code_config'"]),
        ({"criteria": {"x": 1}, "custom_metrics": {"x": {"code_config": {"name": "fn"}}}}, ["dotted path"]),
        (
            {"criteria": {"x": 1}, "custom_metrics": {"x": {"code_config": {"nam": "a.b"}}}},
            ["Did you mean 'name'?"],
        ),
        ({"criteria": {"x": 1}, "user_simulator_config": "llm"}, ["must be an object"]),
    ],
)
def test_a_bad_configuration_is_refused(data: Any, words: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        parse_config(data, source="test_config.json")
    for word in ["test_config.json", *words]:
        assert word in str(caught.value)


def test_every_problem_is_said_at_once() -> None:
    with pytest.raises(InputError) as caught:
        parse_config({"criteria": {"x": None, "y": "z"}, "custom_metric": {}}, source=None)
    assert len(caught.value.problems) == 3


def test_a_file_that_is_missing_is_never_replaced_by_the_default(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        load_config(tmp_path / "test_config.json")


def test_every_real_configuration_is_read(shared_data: Path) -> None:
    files = sorted((shared_data / "adk_eval_files").rglob("test_config.json"))
    assert len(files) >= 8
    for path in files:
        raw = json.loads(path.read_text(encoding="utf-8"))["criteria"]
        assert {entry.name: entry.threshold for entry in load_config(path).criteria} == raw


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
KEYS = st.sampled_from(
    ["criteria", "custom_metrics", "userSimulatorConfig", "live_model_config", "criterias"]
)


@given(
    data=st.dictionaries(KEYS, JSON) | st.fixed_dictionaries({"criteria": st.dictionaries(st.text(), JSON)})
)
def test_any_object_is_a_configuration_or_a_message(data: Any) -> None:
    try:
        config = parse_config(data, source=None)
    except InputError as error:
        assert error.problems
    else:
        assert config.criteria
