"""Reports of a run from the command line: a case that passes, one that fails, one that breaks."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any
from xml.etree import ElementTree

import jsonschema

from adjudge_plugins.reporters.json_reporter.schema import result_schema

AGENT = """
def agent(text):
    city = text.rstrip("?").split()[-1]
    if city == "Atlantis":
        raise LookupError("no such city")
    return {
        "intermediate_data": {"tool_uses": [{"name": "get_weather", "args": {"city": city}}]},
        "final_response": {"parts": [{"text": f"It is sunny in {city}."}]},
    }
"""


def case(city: str, answer: str) -> dict[str, Any]:
    return {
        "eval_id": city.lower(),
        "conversation": [
            {
                "user_content": {"parts": [{"text": f"Weather in {city}?"}]},
                "final_response": {"parts": [{"text": answer}]},
                "intermediate_data": {"tool_uses": [{"name": "get_weather", "args": {"city": "Paris"}}]},
            }
        ],
    }


def test_one_run_is_reported_in_every_format(
    tmp_path: Path, adjudge: Callable[..., CompletedProcess[str]]
) -> None:
    (tmp_path / "sky.py").write_text(AGENT)
    cases = [case("Paris", "It is sunny in Paris."), case("Oslo", "It rains."), case("Atlantis", "?")]
    (tmp_path / "sky.test.json").write_text(json.dumps({"eval_set_id": "sky", "eval_cases": cases}))
    criteria = {"tool_trajectory_avg_score": 1.0, "response_match_score": 0.8}
    (tmp_path / "test_config.json").write_text(json.dumps({"criteria": criteria}))

    done = adjudge(
        "eval", "sky:agent", "sky.test.json", "--run", "r", "--output", "r.json", "--output", "r.xml"
    )

    assert done.returncode == 1
    assert "FAIL   sky.test.json:oslo\n" in done.stdout
    assert 'city: expected "Paris", got "Oslo"\n' in done.stdout
    assert "ERROR  sky.test.json:atlantis\n" in done.stdout
    assert "LookupError: no such city\n" in done.stdout
    assert done.stdout.splitlines()[-3].startswith("FAIL  1 of 3 cases failed, 1 passed, 1 error   run r   ")

    document = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(result_schema()).validate(document)
    assert [row["status"] for row in document["cases"]] == ["PASS", "FAIL", "error"]
    assert document["cases"][1]["invocations"][0]["actual_response"] == "It is sunny in Oslo."

    root = ElementTree.parse(tmp_path / "r.xml").getroot()  # noqa: S314 - it is our own
    assert (root.get("name"), root.get("tests"), root.get("failures"), root.get("errors")) == (
        "r",
        "3",
        "1",
        "1",
    )


def test_the_page_on_the_format_names_every_key() -> None:
    page = (Path(__file__).parents[3] / "docs" / "reference" / "result-json.md").read_text(encoding="utf-8")
    schema = result_schema()

    keys = {key for part in [schema, *schema["$defs"].values()] for key in part.get("properties", {})}

    assert {key for key in keys if f"`{key}`" not in page} == set()
