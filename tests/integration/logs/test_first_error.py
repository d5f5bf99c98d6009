"""``first_error``: which step made a run fail, who took it, and how that compares with people's labels."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import adjudge
from adjudge.cli import cli
from adjudge.model import Citation, JsonObject
from adjudge.plugin import JudgeRequest
from adjudge.testing import fields_shown, verdicts

FIRST_ERROR = {"criterion": "first_error", "maximum": 0}


def may_name(request: JudgeRequest) -> list[str]:
    """The answers that a request allows."""
    menu: list[str] = (request.schema_ or {})["properties"]["item_1"]["properties"]["verdict"]["enum"]
    return menu


def says(request: JudgeRequest, step: int | None, agent: str = "", runners_up: str = "") -> str:
    """The answer that a step is the one, where it may be named, with the first words of it that are shown."""
    label = str(step) if str(step) in may_name(request) else "none"
    shown = [each for each in fields_shown(request) if each[2].strip() and label in ("none", str(each[0]))]
    number, field, text = shown[0]
    quote = next(line for line in text.split("\n") if len(line.strip()) > 3)[:40]
    cited = Citation(step=number, field=field, quote=quote)
    notes = {"rationale": "It is wrong.", "agent": agent, "runners_up": runners_up}
    return verdicts(request, label, citations=[cited], notes=notes)


# --- an oracle, on the labels of people -----------------------------------------------------


def labelled_runs(folder: Path, kind: str) -> Iterator[tuple[Path, int, JsonObject]]:
    """Every labelled run: its file, which run of the file it is, and what stands in it."""
    if kind == "who_and_when":
        path = folder / "who_and_when" / "runs.jsonl.gz"
        with gzip.open(path, "rt", encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                yield path, number, json.loads(line)
    else:
        for path in sorted((folder / "more_logs" / kind).glob("*.json")):
            yield path, 1, json.loads(path.read_text(encoding="utf-8"))


def beginning(text: str) -> str:
    """Enough of a task to know it by: the rest may be cut out where requests are small."""
    return " ".join(text.split())[:100]


def oracle(runs: Sequence[tuple[Path, int, JsonObject]]) -> Callable[[JudgeRequest], str]:
    """A judge that knows the label of every run. It finds the run by its task, and the step by where it was read from."""
    known: dict[str, tuple[int, str]] = {}
    for path in dict.fromkeys(path for path, _, _ in runs):
        read = list(adjudge.read_log(path))
        for _, number, run in (each for each in runs if each[0] == path):
            place = f"$.history[{run['mistake_step']}]"
            [step] = [
                step.number
                for step in read[number - 1].steps
                if step.source_ref is not None and step.source_ref.endswith(f" {place}")
            ]
            known[beginning(run["question"])] = (step, run["mistake_agent"])

    assert len(known) == len(runs)

    def answer(request: JudgeRequest) -> str:
        exhibit = request.messages[1].text.partition("<<<BEGIN task ")[2].partition("<<<END task ")[0]
        step, agent = known[beginning(" ".join(line[6:] for line in exhibit.split("\n")[1:]))]
        return says(request, step, agent)

    return answer


@pytest.mark.parametrize("budget", [24_000, 4_000])
@pytest.mark.parametrize(("kind", "count"), [("who_and_when", 126), ("magentic_one", 5)])
def test_an_oracle_is_right_in_every_run(
    judging: Any, shared_data: Path, kind: str, count: int, budget: int
) -> None:
    runs = list(labelled_runs(shared_data, kind))
    judging.answer = oracle(runs)
    logs = list(dict.fromkeys(path for path, _, _ in runs))
    judging.run(logs, {**FIRST_ERROR, "token_budget": budget}, outputs=["results.json"])
    cases = json.loads(Path("results.json").read_text(encoding="utf-8"))["cases"]
    labels = [
        {
            "source": str(path),
            "run": number,
            "criterion": "first_error",
            "label": "FAIL",
            "source_ref": f"history[{run['mistake_step']}]",
            "agent": run["mistake_agent"],
        }
        for path, number, run in runs
    ]
    Path("labels.json").write_text(json.dumps(labels), encoding="utf-8")
    done = CliRunner().invoke(cli, ["agreement", "results.json", "labels.json", "--json"])
    [measured] = json.loads(done.stdout)["criteria"]
    located = measured["localisation"]

    assert len(cases) == count
    assert (located["labelled"], located["located"]) == (count, count)
    assert [(item["within"], item["judge"]["value"]) for item in located["accuracies"]] == [
        (0, 1.0),
        (1, 1.0),
        (3, 1.0),
        (5, 1.0),
    ]
    assert located["agent"]["value"] == 1.0
    assert measured["figures"]["coverage"]["value"] == 1.0
    questions = [case["criteria"][0]["details"]["questions"] for case in cases]
    in_parts = sum(number > 1 for number in questions)
    assert in_parts >= count // 4 if budget == 4_000 else in_parts <= count // 10
    assert all(case["criteria"][0]["evidence"]["citations"] for case in cases)
