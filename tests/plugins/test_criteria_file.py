"""Criteria files: what they may say, and that everything else is told at once with its place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.errors import InputError
from adjudge_plugins.ai_judge.criteria_file import read_criteria

COST = {
    "name": "Cost Efficiency",
    "description": "The agent compares prices before it buys.",
    "granularity": "global_summary",
    "checks": ["It looks at two prices.", {"outcome": "It takes the lower one."}],
    "threshold": 0.5,
}


def written(folder: Path, text: str, name: str = "criteria.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def in_words(name: str) -> bool:
    return name == "words"


def told(folder: Path, text: str, name: str = "criteria.yaml") -> str:
    with pytest.raises(InputError) as caught:
        read_criteria(written(folder, text, name), in_words)
    return str(caught.value).replace(f"{folder}/", "")


def test_yaml_and_json_say_the_same(tmp_path: Path) -> None:
    yaml = """\
# What a shopper wants.
- name: Cost Efficiency
  description: The agent compares prices before it buys.
  granularity: global_summary
  checks:
    - It looks at two prices.
    - outcome: It takes the lower one.
  threshold: 0.5
- name: no
  description: >
    A word of YAML 1.1 is a text here,
    and 一行 goes on.
"""
    from_yaml = read_criteria(written(tmp_path, yaml), in_words)
    no = {"name": "no", "description": "A word of YAML 1.1 is a text here, and 一行 goes on."}
    from_json = read_criteria(written(tmp_path, json.dumps([COST, no]), "criteria.json"), in_words)

    assert from_yaml == from_json
    cost = {key: value for key, value in COST.items() if key != "threshold"}
    assert from_yaml == [{**cost, "checks_threshold": COST["threshold"]}, no]


def test_an_entry_may_name_what_judges_words(tmp_path: Path) -> None:
    named = written(tmp_path, "- {criterion: words, name: It, description: It is done.}\n")
    [entry] = read_criteria(named, in_words)
    assert entry == {"criterion": "words", "name": "It", "description": "It is done."}


def test_every_problem_is_told_at_once(tmp_path: Path) -> None:
    output = told(
        tmp_path,
        """\
- name: Cost
  descripton: misspelt
  checks: []
  threshold: 2
- name: Cost
  description: 3
  granularity: ' '
- nothing
- name: 2024-01-01
  description: A date, and checks of all kinds.
  checks: [1, '', once, outcome: once, result: done]
""",
    )

    assert output.splitlines() == [
        "criteria.yaml, $[0]: unknown key 'descripton' in criterion. Did you mean 'description'?",
        "  It has: name, description, granularity, about, checks, threshold, criterion.",
        "criteria.yaml, $[0]: criterion has no 'description'.",
        "criteria.yaml, $[0]: 'checks' is empty.",
        "  Leave it out, and they are made from the description.",
        "criteria.yaml, $[0]: 'threshold' must be more than 0 and at most 1, found 2: it is the share of the "
        "checks that must be met.",
        "criteria.yaml, $[1]: 'description' must be a string, found the number 3.",
        "criteria.yaml, $[1]: 'granularity' is blank.",
        "criteria.yaml, $[2]: criterion must be an object, found the text 'nothing'.",
        "criteria.yaml, $[3]: 'name' must be a string, found a date.",
        "criteria.yaml, $[3].checks[0]: a check must be a string, or process, outcome or answer with a string, "
        "found the number 1.",
        "criteria.yaml, $[3].checks[1]: this check is blank.",
        "criteria.yaml, $[3].checks[4]: a check must be a string, or process, outcome or answer with a string, "
        "found an object.",
        "criteria.yaml, $[3].checks[3]: this check is listed twice.",
        "criteria.yaml, $[1].name: the name 'Cost' is that of $[0] too.",
    ]


# Each line names the one before nine times: 3.5 thousand million values in ten lines.
ALIASES = "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 11))
MERGES = "a0: &a0 {x: 1}\n" + "".join(
    f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 9)}]}}\n" for n in range(1, 11)
)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("c.yaml", "", "c.yaml, $: criteria must be a list, found null."),
        ("c.yaml", "[]", "c.yaml, $: there are no criteria: nothing would be judged."),
        ("c.json", '{"criteria": []}', "c.json, $: criteria must be a list, found an object."),
        ("c.yaml", "- name: a\n  name: b\n", 'c.yaml:2:3: not YAML: found duplicate key "name"'),
        ("c.json", '[{"name": "a", "name": "b"}]', "c.json:1:16: the key 'name' a second time"),
        ("c.yml", "- name: [\n", "c.yml:2:1: not YAML: expected the node content"),
        ("c.yaml", "- name: a\n description: b\n", "c.yaml:2:2: not YAML: the indentation is wrong"),
        ("c.yaml", "- name: a: b\n", "c.yaml:1:10: not YAML: a colon cannot stand here"),
        ("c.yaml", "a: 1\n---\nb: 2\n", "c.yaml:2:1: not YAML: but found another document"),
        ("c.yaml", "- !!python/object/apply:os.system [ls]\n", "c.yaml:1:3: not YAML: could not determine"),
        ("c.yaml", "- name: 2024-99-99\n", "c.yaml: not YAML: month must be in 1..12"),
        ("c.yaml", "- ? {a: b}\n  : c\n", "c.yaml:1:5: not YAML: found unhashable key"),
        ("c.yaml", "- &a [*a]\n", "c.yaml:1:3: an alias stands inside what it names"),
        ("c.yaml", ALIASES, "c.yaml:6:5: more than 100,000 values, once the aliases are written out"),
        ("c.yaml", MERGES, "c.yaml:6:14: more than 100,000 values, once the aliases are written out"),
        ("c.yaml", "[" * 101 + "]" * 101, "c.yaml:1:101: more than 100 lists and objects inside one another"),
        ("c.yaml", "[" * 5000 + "]" * 5000, "c.yaml: more than 100 lists and objects inside one another"),
        ("c.yaml", "- maximum: .inf\n", "c.yaml:1:12: .inf is no finite number"),
        ("c.yaml", "- maximum: -.Inf\n", "c.yaml:1:12: -.Inf is no finite number"),
        ("c.yaml", "- maximum: .nan\n", "c.yaml:1:12: .nan is no finite number"),
        ("c.yaml", "- maximum: 1e400\n", "c.yaml:1:12: 1e400 is no finite number"),
        ("c.yaml", f"- maximum: {10**400}\n", "c.yaml:1:12: a whole number of more than 300 digits"),
        ("c.yaml", "#" * (4 << 20) + "\n[]", "c.yaml: the file has more than 4,194,304 bytes"),
        ("c.txt", "[]", "c.txt: a criteria file ends with .yaml, .yml or .json"),
    ],
)
def test_what_is_no_criteria_file(tmp_path: Path, name: str, text: str, message: str) -> None:
    assert told(tmp_path, text, name).startswith(message)


def test_a_file_that_is_not_there_or_not_text(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file"):
        read_criteria(tmp_path / "absent.yaml", in_words)
    (tmp_path / "binary.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match=r"binary\.yaml: not UTF-8"):
        read_criteria(tmp_path / "binary.yaml", in_words)


KEYS = st.sampled_from(["name", "description", "granularity", "checks", "threshold", "treshold", 1])
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5))
VALUES: st.SearchStrategy[Any] = st.one_of(SCALARS, st.lists(SCALARS, max_size=3))
ANYTHING = st.one_of(VALUES, st.lists(st.one_of(VALUES, st.dictionaries(KEYS, VALUES)), max_size=3))


@given(ANYTHING)
def test_anything_is_criteria_or_a_message(tmp_path_factory: pytest.TempPathFactory, data: object) -> None:
    path = tmp_path_factory.getbasetemp() / "c.json"
    path.write_text(json.dumps(data))
    try:
        criteria = read_criteria(data if isinstance(data, list) else path, in_words)
    except InputError as error:
        file = None if isinstance(data, list) else str(path)
        assert all(problem.file == file for problem in error.problems)
    else:
        assert criteria
        assert len({item["name"] for item in criteria}) == len(criteria)
        assert all(item["name"] and item["description"] for item in criteria)
        assert all(0 < item.get("checks_threshold", 1) <= 1 for item in criteria)
