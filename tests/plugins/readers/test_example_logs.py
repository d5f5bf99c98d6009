"""The examples of the documentation: one run in many formats, and whatever stands in one place of one of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adjudge import read_log
from adjudge.model import Trajectory
from adjudge.plugin import InputError
from adjudge.testing.conformance.odd_json import odd_documents

EXAMPLES = Path(__file__).parents[3] / "docs" / "examples" / "logs"
WITH_CALLS = [
    *("autogen_agentchat.json", "inspect.json", "langfuse.json", "openai_run_state.json", "openhands.json"),
    "tau2.json",
]
LINES = sorted(path.name for path in EXAMPLES.glob("*.jsonl"))


@pytest.mark.parametrize("name", LINES)
def test_a_log_with_something_odd_in_it(name: str, tmp_path: Path) -> None:
    lines = [json.loads(line) for line in (EXAMPLES / name).read_text().splitlines()]
    path = tmp_path / name
    read = 0
    for variant in odd_documents(lines, 150):
        try:
            records = json.loads(variant)
        except ValueError:
            continue
        if not isinstance(records, list):
            continue
        path.write_text("\n".join(map(json.dumps, records)))
        try:
            for run in read_log(path, reader=name.split(".")[0]):
                assert Trajectory.model_validate_json(run.model_dump_json()) == run
                read += 1
        except InputError as error:
            assert name in str(error)
    assert read > 50


@pytest.mark.parametrize("name", [*LINES, *WITH_CALLS])
def test_every_example_tells_the_same_story(name: str) -> None:
    [run] = read_log(EXAMPLES / name)
    assert run.goal == "Buy the cheapest milk."
    [turn] = run.invocations
    assert [(call.name, call.args) for call in turn.tool_calls] == [
        ("search", {"query": "milk"}),
        ("add_to_cart", {"item": 17}),
    ]
    assert [result.value for result in turn.tool_results] == [
        "17: milk, 1.09. 18: oat milk, 1.49.",
        "1 item in the cart",
    ]
    assert turn.final_response is not None
    assert turn.final_response.text == "The cheapest milk is in your cart."
