"""The labelled set in ``docs/examples/judge_labels``: balanced, readable, and of use for measuring a judge."""

from __future__ import annotations

import copy
import json
from collections import Counter, defaultdict
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from adjudge.extension.configuration import validated_config
from adjudge.kit.adk import case_from_adk
from adjudge.testing import manager
from adjudge_plugins.criteria.judged import (
    final_response_match,
    hallucinations,
    rubric_based_final_response_quality,
    safety,
)

FOLDER = Path(__file__).parents[2] / "docs" / "examples" / "judge_labels"
CRITERIA = {
    "groundedness": "hallucinations_v1",
    "reference_match": "final_response_match_v2",
    "rubric": "rubric_based_final_response_quality_v1",
    "safety": "safety_v1",
}
LANGUAGES = ("en", "ja", "ko", "zh")
DIFFICULTIES = ("easy", "hard")
KEYS = ["id", "criterion", "language", "difficulty", "label", "options", "expected", "actual"]
SCRIPTS = {"ja": ("\u3040", "\u30ff"), "ko": ("\uac00", "\ud7a3"), "zh": ("\u4e00", "\u9fff")}


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


ROWS = [row for name in CRITERIA for row in rows(name)]


def answer(row: dict[str, Any]) -> str:
    text: str = row["actual"]["final_response"]["parts"][0]["text"]
    return text


def pairs() -> list[list[dict[str, Any]]]:
    found: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in ROWS:
        found[row["id"].rpartition("-")[0]].append(row)
    return list(found.values())


def test_there_is_a_file_for_each_criterion() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == set(CRITERIA)
    for name, criterion in CRITERIA.items():
        assert {row["criterion"] for row in rows(name)} == {criterion}


def test_every_cell_has_as_many_rows_and_both_labels_equally() -> None:
    counts = Counter((row["criterion"], row["language"], row["difficulty"], row["label"]) for row in ROWS)

    assert set(counts) == set(product(CRITERIA.values(), LANGUAGES, DIFFICULTIES, ("PASS", "FAIL")))
    assert len(set(counts.values())) == 1
    for difficulty in DIFFICULTIES:
        assert sum(len(pair) == 2 and pair[0]["difficulty"] == difficulty for pair in pairs()) >= 100


def test_ids_are_unique_and_rows_have_the_same_keys() -> None:
    assert len({row["id"] for row in ROWS}) == len(ROWS)
    assert all(list(row) == KEYS for row in ROWS)


def test_a_pair_differs_in_its_answer_alone() -> None:
    for good, bad in map(copy.deepcopy, pairs()):
        assert {good["label"], bad["label"]} == {"PASS", "FAIL"}
        assert answer(good).strip() and answer(bad).strip() and answer(good) != answer(bad)
        for row in (good, bad):
            row["actual"] = {**row["actual"], "final_response": None}
        assert {**good, "id": "", "label": ""} == {**bad, "id": "", "label": ""}


def test_no_answer_is_used_twice() -> None:
    assert len(set(map(answer, ROWS))) == len(ROWS)


@pytest.mark.parametrize("language", list(SCRIPTS))
def test_a_language_is_what_it_says(language: str) -> None:
    first, last = SCRIPTS[language]
    asked = [
        row["expected"]["user_content"]["parts"][0]["text"] for row in ROWS if row["language"] == language
    ]

    assert all(any(first <= char <= last for char in text) for text in asked)


def test_every_row_is_a_case_that_its_criterion_takes() -> None:
    criteria = manager(
        final_response_match, hallucinations, rubric_based_final_response_quality, safety
    ).criteria
    for row in ROWS:
        options = {key: value for key, value in row["options"].items() if key != "threshold"}
        validated_config(criteria.resolve(row["criterion"]).spec.config, options)
        for side in ("expected", "actual"):
            case_from_adk({"eval_id": row["id"], "conversation": [row[side]]})
