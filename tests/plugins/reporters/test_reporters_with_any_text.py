"""Whatever agents, tools and criteria say, every reporter writes a file that can be read."""

from __future__ import annotations

import base64
import json
import re
import unicodedata
import zlib
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from adjudge.kit import render
from adjudge.kit.render import clean
from adjudge.kit.viewer.segments import compared
from adjudge.model.evidence import Failure
from adjudge.model.measurement import Measurement, Outcome
from adjudge_plugins.reporters.console_reporter.reporter import ConsoleReporter
from adjudge_plugins.reporters.html_reporter.reporter import HtmlReporter
from adjudge_plugins.reporters.json_reporter.writer import JsonReporter
from adjudge_plugins.reporters.junit_reporter.reporter import JUnitReporter
from adjudge_plugins.reporters.markdown_reporter.reporter import MarkdownReporter

# Halves of surrogate pairs too: a Python agent can return them.
texts = st.text(st.characters(exclude_categories=()), max_size=40)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
objects = st.dictionaries(texts, values, max_size=3)
entries = st.fixed_dictionaries(
    {
        "status": st.sampled_from(
            ["match", "different_args", "missing", "unexpected", "out_of_order", "extra"]
        )
        | texts
    },
    optional={
        "expected": st.none() | st.fixed_dictionaries({}, optional={"name": values, "args": values}) | values,
        "actual": st.none() | st.fixed_dictionaries({}, optional={"name": values, "args": values}) | values,
        "differences": st.lists(
            objects | st.fixed_dictionaries({"path": texts, "expected": values}), max_size=2
        ),
    },
)
differences = st.lists(
    st.fixed_dictionaries({"path": texts}, optional={"expected": values, "actual": values}), max_size=3
)
details = objects | st.fixed_dictionaries(
    {}, optional={"calls": st.lists(entries, max_size=3) | values, "differences": differences | values}
)
outcomes = st.one_of(
    st.builds(Outcome.scored, st.floats(0, 1), texts, details=details),
    st.builds(Outcome.unsure, st.just("split_votes"), texts, details=details),
    st.builds(Outcome.failed, texts, texts, origin=texts, retryable=st.booleans()),
    st.builds(Outcome.not_applicable, texts, details=details),
)
turns = st.lists(
    st.tuples(texts, st.none() | texts, st.lists(st.tuples(texts, objects), max_size=2)), max_size=3
)
cases = st.tuples(
    texts,
    st.lists(outcomes, max_size=3) | st.builds(Failure, code=texts, message=texts, origin=texts),
    turns,
    turns,
)


@pytest.mark.parametrize("detailed", [False, True])
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    found=st.lists(cases, min_size=1, max_size=3, unique_by=lambda case: case[0]), warning=texts, name=texts
)
def test_any_run_is_written_and_can_be_read(
    run_of: Any, a_turn: Any, write: Any, found: Any, warning: str, name: str, detailed: bool
) -> None:
    run = run_of(warnings=(warning,), run={"name": name})
    for eval_id, scores, expected, actual in found:
        run.add(
            eval_id,
            scores if isinstance(scores, Failure) else {"answer_match": scores},
            expected=[a_turn(*turn) for turn in expected],
            actual=[a_turn(*turn) for turn in actual],
        )
    report = run.report(detailed=detailed)

    document = json.loads(write(JsonReporter(), report))
    root = ElementTree.fromstring(write(JUnitReporter(), report))  # noqa: S314 - it is our own
    text = write(ConsoleReporter(), report).decode()

    page = page_of(write(HtmlReporter(), report))
    comment = write(MarkdownReporter(), report).decode()

    unmeasured = root.findall(".//error[@type='nothing_measured']")
    assert len(document["cases"]) == len(list(root.iter("testcase"))) - len(unmeasured) == len(found)
    assert [c for c in text if unicodedata.category(c) in ("Cc", "Cs") and c != "\n"] == []
    rows = page["run"]["rows"]
    assert [row["name"] for row in rows] == [page[row["key"]]["name"] for row in rows]
    assert len(rows) == len(found)
    assert [c for said in strings(page) for c in said if unprintable(c)] == []
    assert [c for c in comment if unprintable(c)] == []


def unprintable(char: str) -> bool:
    return unicodedata.category(char) in ("Cc", "Cs") and char not in "\n\t"


def page_of(raw: bytes) -> dict[str, Any]:
    """Every document in a page, by its key."""
    parts = re.findall(r'data-part="(\w+)">([\w+/=]*)<', raw.decode())
    data = {name: json.loads(zlib.decompress(base64.b64decode(text))) for name, text in parts}
    run = data.pop("run")
    return {"run": run} | {
        f"{part}.{place}": case for part, cases in data.items() for place, case in enumerate(cases)
    }


def strings(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            yield from (said for item in value.items() for part in item for said in strings(part))
        case list():
            yield from (said for item in value for said in strings(item))


@given(
    expected=st.text(st.sampled_from("ab \n\u3042"), max_size=60) | texts,
    actual=st.text(st.sampled_from("ab \n\u3042"), max_size=60) | texts,
)
def test_two_answers_are_shown_whole_with_what_differs_marked(expected: str, actual: str) -> None:
    left, right, note = compared(expected, actual)

    assert "".join(text for text, _ in left) == clean(expected)
    assert "".join(text for text, _ in right) == clean(actual)
    same = ["".join("".join(text for text, differs in side if not differs).split()) for side in (left, right)]
    if not note:
        assert same[0] == same[1]


LONG = "the same words, again and again and again; " * 12


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    before=st.sampled_from(["", LONG, "x" * 400]),
    between=st.sampled_from(["", " and ", LONG]),
    after=st.sampled_from(["", LONG, "y" * 400]),
    expected=st.tuples(texts, texts),
    actual=st.tuples(texts, texts),
)
def test_values_that_differ_are_never_shown_alike(
    run_of: Any,
    write: Any,
    monkeypatch: pytest.MonkeyPatch,
    before: str,
    between: str,
    after: str,
    expected: Any,
    actual: Any,
) -> None:
    wanted, found = (f"{before}{first}{between}{last}{after}" for first, last in (expected, actual))
    assume(clean_text(wanted) != clean_text(found))
    differences = [{"path": "$.text", "expected": wanted, "actual": found}]
    scores = {"answer_match": Measurement(overall=Outcome.scored(0.0, details={"differences": differences}))}
    monkeypatch.setenv("COLUMNS", "10000")
    lines = write(ConsoleReporter(), run_of().add("x", scores).report()).decode().splitlines()
    [place] = [number for number, line in enumerate(lines) if line.strip().startswith("text: expected ")]
    shown = lines[place].strip().removeprefix("text: expected ")
    one, _, other = shown.partition(", got ")
    if not other:
        one, other = shown, lines[place + 1].strip().removeprefix("got").strip()

    assert one != other


def clean_text(text: str) -> str:
    """What can be printed of a text."""
    return render.clean(json.dumps(text, ensure_ascii=False))


@given(score=st.floats(0, 1) | st.floats(allow_nan=False), threshold=st.floats(0, 1))
def test_a_score_is_never_shown_on_the_wrong_side_of_its_threshold(score: float, threshold: float) -> None:
    shown = float(render.score_text(score, threshold))

    assert (shown >= threshold) == (score >= threshold)
    assert (shown <= threshold) == (score <= threshold)
    assert float(render.threshold_text(threshold)) == threshold


@pytest.mark.parametrize(
    ("score", "threshold", "shown"),
    [
        (2 / 3, 0.8, "0.67"),
        (0.7999, 0.8, "0.7999"),
        (0.79999999, 0.8, "0.79999999"),
        (0.8, 0.8, "0.80"),
        (0.999, None, "0.999"),
        (0.001, None, "0.001"),
        (-0.0, None, "0.00"),
        (1532.0, 1000.0, "1532"),
        (1532.5, 1000.0, "1532.50"),
    ],
)
def test_scores_have_two_decimals_or_as_many_as_it_takes(
    score: float, threshold: float | None, shown: str
) -> None:
    assert render.score_text(score, threshold) == shown
