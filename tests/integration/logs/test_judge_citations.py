"""No result cites what does not stand in the log, whatever a judge says: looked up again without the code that decides it.

A judge that is a program cites at random: words that it was shown, words that are almost those, of other steps, of
other fields, of nobody, nothing at all. What is left of it in the results is looked for in the items of the run as
its reader gives it, and in the file itself.
"""

from __future__ import annotations

import ast
import contextlib
import gzip
import json
import random
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from adjudge.extension.loader import Extensions, discover
from adjudge.kit import trace
from adjudge.kit.logs import open_log
from adjudge.model import (
    Absence,
    Citation,
    Claim,
    ErrorItem,
    EvaluationResult,
    Item,
    Observation,
    Text,
    ToolCall,
    ToolResult,
)
from adjudge.plugin import (
    JudgeRequest,
    ReadOptions,
    Source,
    Trajectory,
)
from adjudge.testing import FakeHost, verdicts
from adjudge.testing.log_runs import JudgedLogs

STEP_BY_STEP = {
    "name": "Care",
    "description": "Every step is justified.",
    "granularity": "step_level",
    "checks": ["Each call follows from what came back.", "The final result is there."],
}
ANYHOW = {
    "name": "Success",
    "description": "The task is done.",
    "checks": ["The result is there.", "It lasts."],
}
CLAIMED = {"thinking", "memory", "evaluation_previous_goal", "next_goal", "text", "final_response"}
SHOWN = {"deed", "result", "observation", "error", "final_state"}
"""What something can be missing from. A deed is an action other than to answer."""
FIELDS = (*sorted(CLAIMED), "action", "result", "observation", "error", "final_state", "nothing")


def test_over_all_runs_of_other_peoples_agents(judging: Any, of_logs: Any, shared_data: Path) -> None:
    kinds = [
        "browser_use_history",
        "otel_spans",
        "swe_agent",
        "tau_airline",
        "web_agent_runs",
        "who_and_when",
    ]
    sessions = sorted((shared_data / "adk_eval_files").rglob("*.json"))
    logs = [*(shared_data / kind for kind in kinds), *sessions]
    judged = at_random(judging, of_logs, logs, STEP_BY_STEP)

    assert len(judged.logs) >= 250
    found = resolved(judged)
    assert found["citations"] > 500
    assert found["absences"] > 30


def test_over_one_run_in_every_format(judging: Any, of_logs: Any, small_logs: dict[str, Path]) -> None:
    logs = list(small_logs.values())
    found: Counter[str] = Counter()
    for seed in range(10):
        found += resolved(at_random(judging, of_logs, logs, STEP_BY_STEP, ANYHOW, seed=seed))
    assert found["citations"] > 10 * len(logs)


@pytest.mark.parametrize(
    "wrong",
    [
        Citation(step=2, field="observation", quote="17: milk, 1.09."),
        Citation(step=1, field="result", quote="17: milk, 1.09."),
        Citation(step=1, field="observation", quote="17: milk, 1.08."),
        Citation(step=1, field="thinking", quote="I need a list"),
        Citation(step=1, field="observation", quote=" "),
    ],
)
def test_what_does_not_stand_there_would_be_noticed(
    judging: Any, of_logs: Any, small_logs: dict[str, Path], wrong: Citation
) -> None:
    criterion = {**STEP_BY_STEP, "checks": ["The final result is there."]}
    judged = at_random(judging, of_logs, [small_logs["history_log"]], criterion)
    [log] = judged.logs
    [result] = log.results

    def with_citation(citation: Citation) -> JudgedLogs:
        evidence = result.evidence.model_copy(update={"citations": (citation,)})
        passed = result.model_copy(update={"evidence": evidence, "verdict": "PASS"})
        held = log.model_copy(update={"results": (passed,)})
        return judged.model_copy(update={"logs": (held,)})

    resolved(with_citation(Citation(step=1, field="observation", quote="17: milk, 1.09.")))
    with pytest.raises(AssertionError, match="Citation"):
        resolved(with_citation(wrong))


# --- a judge that says anything -------------------------------------------------------------


def at_random(
    judging: Any, of_logs: Any, logs: list[Path], *criteria: dict[str, Any], seed: int = 0
) -> JudgedLogs:
    """Judge logs by chance; the same seed is the same chance."""

    def answer(request: JudgeRequest) -> str:
        chance = random.Random(f"{seed} {request.key} {request.sample}")
        shown = [place for place in of_logs.quotes(request, FIELDS, length=None) if place.quote]
        words = (
            chance.choice(shown).quote.split()
            if shown and chance.random() < 0.5
            else [chance.choice(["result", "lasts", "xyzzy"])]
        )
        return verdicts(
            request,
            lambda _: chance.choice(["met", "not_met", "not_met", "not_applicable", "cannot_tell"]),
            notes={"rationale": "By chance.", "forbids": "no", "absent_words": " ".join(words[:2])},
            citations=lambda _: [any_citation(chance, shown) for _ in range(chance.randrange(4))],
        )

    judging.answer = answer
    judged: JudgedLogs = judging(logs, *criteria, use_cache=False, num_samples=1)
    not_judged = {"log_unreadable", "no_steps"}
    assert {error.error.message for error in judged.errors if error.error.code not in not_judged} == set()
    return judged


def any_citation(chance: random.Random, shown: list[Citation]) -> Citation:
    """A place that may or may not be there."""
    if not shown:
        return Citation(step=chance.randrange(-1, 9), field="result", quote="nothing was shown")
    seen, other = chance.choice(shown), chance.choice(shown)
    start = chance.randrange(len(seen.quote))
    true = seen.quote[start : start + chance.choice([3, 8, 40, 400])]
    whole = "\n".join(item.quote for item in shown if (item.step, item.field) == (seen.step, seen.field))
    said = chance.choice(
        [
            {},
            {"quote": seen.quote},
            {"quote": whole},
            {"quote": f"  {true.replace(' ', chr(10))} "},
            {"quote": true.swapcase()},
            {"quote": true[:-1] + chance.choice("abc xyz0123.")},
            {"quote": true + other.quote[:9]},
            {"quote": chance.choice(["", " ", "a", "..", "step 1 result: ", "\u200b\u200b\u200b"])},
            {"quote": "The task was completed successfully."},
            {"step": other.step},
            {"step": chance.choice([-1, 0, 10**6])},
            {"field": chance.choice(FIELDS)},
            {"field": other.field, "quote": other.quote},
        ]
    )
    return Citation.model_validate({"step": seen.step, "field": seen.field, "quote": true, **said})


# --- looked up again ------------------------------------------------------------------------


def resolved(judged: JudgedLogs) -> Counter[str]:
    """Look up everything that the results rest on; how much there was."""
    found: Counter[str] = Counter()
    about = {item.name: {check.check_id: check.about for check in item.checks} for item in judged.criteria}
    runs = {
        (source, number): (places_of(trajectory), squeezed(document))
        for source in {log.source for log in judged.logs}
        for number, (trajectory, document) in enumerate(runs_of(Path(source)), start=1)
    }
    claimed = {
        (source, number): claims_of(trajectory)
        for source in {log.source for log in judged.logs}
        for number, (trajectory, _) in enumerate(runs_of(Path(source)), start=1)
    }
    for log in judged.logs:
        places, document = runs[log.source, log.run]
        for result in log.results:
            for is_about, citation in citations_of(result, about[result.criterion_name]):
                assert stands(citation, places, document), (log.source, log.run, citation)
                if is_about == "outcome":
                    assert citation.field not in claimed[log.source, log.run], (log.source, citation)
                found["citations"] += 1
            for absence in result.evidence.absences:
                assert is_missing(absence, places), (log.source, log.run, absence)
                found["absences"] += 1
            decided = result.verdict in ("PASS", "FAIL")
            assert not decided or result.evidence.citations or result.evidence.absences
    return found


def claims_of(trajectory: Trajectory) -> frozenset[str]:
    """The fields that show no outcome of a run: what a user is told may be the deed, and some runs show nothing else."""
    came_back = {"result", "observation", "error", "final_state"}
    if not any(field in came_back for _, field in places_of(trajectory)):
        return frozenset()
    is_conversation = sum(bool(turn.user_content.text) for turn in trajectory.invocations) > 1
    return frozenset(CLAIMED) - ({"text", "final_response"} if is_conversation else set())


def stands(citation: Citation, places: dict[tuple[int, str], str], document: str) -> bool:
    """Whether the words stand in that field of that step, in the file too."""
    text = places.get((citation.step, citation.field), "")
    # A call is written as name(arguments), and no format has it so.
    parts = citation.quote.split("(", 1) if citation.field == "action" else [citation.quote]
    return (
        bare(citation.quote) != ""
        and bare(citation.quote) in bare(text)
        and ("\n" in citation.quote or all(squeezed([part]) in document for part in parts))
    )


def is_missing(absence: Absence, places: dict[tuple[int, str], str]) -> bool:
    """Whether the words stand nowhere in these steps but in what the agent says."""
    words = ast.literal_eval(absence.scan.partition(" contains ")[2])
    first, last = absence.steps
    return not any(
        folded(words) in folded(text)
        for (step, field), text in places.items()
        if first <= step <= last and field in SHOWN
    )


def citations_of(result: EvaluationResult, about: dict[str, str]) -> Iterator[tuple[str, Citation]]:
    """Every citation of a result, of its checks and of the votes for them, with what it is cited for."""
    every = {about[check.check_id] for check in result.checks}
    for citation in result.evidence.citations:
        # That something was not reached may be seen in what the agent says of itself too.
        yield "outcome" if every == {"outcome"} and result.verdict == "PASS" else "any", citation
    for check in result.checks:
        for citation in check.evidence.citations:
            yield about[check.check_id] if check.state == "met" else "any", citation
        for vote in check.votes.votes:
            for citation in vote.citations:
                yield about[check.check_id] if vote.label == "met" else "any", citation


def places_of(trajectory: Trajectory) -> dict[tuple[int, str], str]:
    """What stands in each field of each step."""
    found: dict[tuple[int, str], list[str]] = {}
    last = 0
    for turn in trajectory.invocations:
        for step in turn.steps:
            last = step.number
            for item in step.items:
                for field, text in texts_of(item):
                    found.setdefault((last, field), []).append(text)
        if turn.final_response is not None:
            found.setdefault((last, "final_response"), []).append(turn.final_response.text)
    if trajectory.final_session_state:
        found[last, "final_state"] = [json.dumps(trajectory.final_session_state, ensure_ascii=False)]
    return {place: "\n".join(texts) for place, texts in found.items()}


def texts_of(item: Item) -> Iterator[tuple[str, str]]:
    match item:
        case Claim():
            yield item.field, item.text
        case Text():
            yield "text", item.text
            yield "action", item.text
        case Observation():
            yield "observation", item.text
        case ErrorItem():
            yield "error", item.message
        case ToolResult():
            value = item.value
            yield "result", value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        case ToolCall():
            arguments = item.raw_args
            if arguments is None:
                arguments = json.dumps(item.args or {}, ensure_ascii=False)
            yield "action", f"{item.name}({arguments})"
            if item.name == "think":
                yield "thinking", "\n".join(map(str, (item.args or {}).values()))
            if not trace.is_answer(item.name):
                yield "deed", f"{item.name}({arguments})"
        case _:
            pass


def runs_of(path: Path) -> Iterator[tuple[Trajectory, list[str]]]:
    """The runs of a log, each with every text that its part of the file holds."""
    source, host = Source(path), FakeHost(Path.cwd())
    with open_log(source) as file:
        head = file.read(64 * 1024)
    readers = (spec.factory(spec.config(), host) for spec in (item.spec for item in READERS))
    [reader] = [reader for reader in readers if reader.sniff(head, path)]
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open(encoding="utf-8") as text:
        documents = map(json.loads, text) if ".jsonl" in path.name else [json.loads(text.read())]
        leaves = [list(leaves_of(document)) for document in documents]
    runs = list(reader.read(source, ReadOptions()))
    whole = [text for document in leaves for text in document]
    return zip(runs, leaves if len(leaves) == len(runs) else [whole] * len(runs), strict=True)


READERS = list(Extensions(discover()).trace_readers)


def leaves_of(value: Any) -> Iterator[str]:
    """Every text of a JSON document in order, and what is JSON inside of a text too."""
    match value:
        case str():
            yield value
            if value.lstrip()[:1] in ("{", "["):
                with contextlib.suppress(ValueError):
                    yield from leaves_of(json.loads(value))
        case list():
            for item in value:
                yield from leaves_of(item)
        case dict():
            for key, item in value.items():
                yield key
                yield from leaves_of(item)
        case _:
            yield json.dumps(value)


def bare(text: str) -> str:
    """Without white space and what nobody sees."""
    return "".join(
        char
        for char in text
        if not char.isspace() and unicodedata.category(char)[0] != "C" and char not in "\ufe0e\ufe0f"
    )


def folded(text: str) -> str:
    """As what is not there is looked for."""
    return " ".join(text.split()).casefold()


def squeezed(texts: Iterable[str]) -> str:
    """Letters and digits alone."""
    return re.sub(r"[\W_]+", "", " ".join(texts))
