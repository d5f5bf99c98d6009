"""What judging a log asks of a judge: calls and tokens, per strategy and length, beside judging everything at step level."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final

import agent_logs
from environments import REPOSITORY, Environments
from measure import worker
from table import markdown, rounded

STEPS: Final = (30, 300, 3_000)
BUDGET: Final = 24_000
"""Tokens of one request, adjudge's default."""
VOTES: Final = 5
"""The default."""

_RUNS: Final = REPOSITORY.parent / "shared" / "data" / "tau_airline" / "runs.jsonl.gz"

CRITERIA: Final[list[dict[str, Any]]] = [
    {
        "name": "No hallucination",
        "about": "process",
        "description": "The agent invents no facts in its reasoning.",
        "checks": ["Each statement of the agent about facts follows from what a tool gave before."],
    },
    {
        "name": "Correct tool calls",
        "about": "process",
        "description": "Each action is right.",
        "checks": [
            "Every tool call has the arguments that the user and earlier results call for.",
            "The agent never calls a tool with the same arguments twice in a row.",
        ],
    },
    {
        "name": "Sub-task completion",
        "about": "process",
        "description": "Each sub-task is brought to an end before the next one begins.",
        "checks": ["Each sub-task is brought to an end before the next one begins."],
    },
    {
        "name": "Recovery",
        "about": "process",
        "description": "The agent recovers from errors in a coherent series of actions.",
        "checks": ["After each error the agent changes its approach.", "Consecutive actions serve one aim."],
    },
    {
        "name": "Task success",
        "about": "outcome",
        "description": "The task succeeded in the end.",
        "checks": ["What the user wanted is reached in the end."],
    },
    {
        "name": "Efficient strategy",
        "about": "process",
        "description": "The overall strategy is efficient.",
        "checks": ["The strategy as a whole takes no needless detours.", "The agent keeps to one plan."],
    },
]
"""Two for each granularity, in words that say which. The checks and what they are about are given, so that nothing is asked to find them."""

LOGS: Final = 20
MOST_REQUESTS: Final = 6
MOST_TOKENS: Final = 5
"""The goals for that many logs by five criteria: requests a log, and times the log's own tokens."""

_ROWS: Final = (
    ("step_level", "met"),
    ("phase_level", "met"),
    ("global_summary", "met"),
    ("auto", "met"),
    ("auto", "not_met"),
)


@dataclass(frozen=True, slots=True)
class Asked:
    """One log judged by all criteria in one way."""

    steps: int
    granularity: str
    verdict: str
    """What the judge says of every check: ``met``, or ``not_met``."""
    calls: int
    writing: int
    """Calls for texts, among all."""
    tokens: int
    """Of all requests, by adjudge's own estimate."""
    largest: int
    """Of one request."""
    provider_tokens: int
    """Of all requests, by the vocabulary of a provider."""
    provider_largest: int
    calls_with_votes: int
    """With the default votes."""
    tokens_with_votes: int
    ratio: float
    """The tokens of judging everything at step level by these."""
    seconds: float
    """Of judging, with a judge that answers at once and votes once."""


def asked(environments: Environments) -> Iterator[Asked]:
    """Every length in every way, one vote and the default votes. Nothing here depends on the machine but the seconds.

    Raises:
        RuntimeError: a request is larger than its budget, or a verdict is not the judge's.
    """
    folder = environments.folder("calls")
    criteria = folder / "criteria.json"
    criteria.write_text(json.dumps(CRITERIA), encoding="utf-8")
    texts = folder / "requests.jsonl"
    for steps in STEPS:
        log = _log(folder, steps)
        everything = 0
        for granularity, verdict in _ROWS:

            def judged(
                samples: int, file: Path | str, log: Path = log, how: tuple[str, str] = (granularity, verdict)
            ) -> Any:
                return worker(
                    environments.adjudge,
                    "adjudge_judge_calls",
                    folder,
                    log,
                    criteria,
                    how[0],
                    str(samples),
                    how[1],
                    file,
                )

            once, often = judged(1, texts), judged(VOTES, "-")
            counted = worker(environments.logs, "provider_tokens", folder, texts)
            _check(once, granularity, verdict)
            everything = everything or once["tokens"]
            yield Asked(
                steps=once["steps"],
                granularity=granularity,
                verdict=verdict,
                calls=once["calls"],
                writing=once["writing"],
                tokens=once["tokens"],
                largest=once["largest"],
                provider_tokens=counted["tokens"],
                provider_largest=counted["largest"],
                calls_with_votes=often["calls"],
                tokens_with_votes=often["tokens"],
                ratio=everything / once["tokens"],
                seconds=once["seconds"],
            )
    texts.unlink()


@dataclass(frozen=True, slots=True)
class Cost:
    """Several logs judged at once."""

    criteria: int
    checks: int
    votes: int
    requests: float
    """A log."""
    tokens: float
    """Of the requests about a log, by the vocabulary of a provider."""
    times: float
    """Of the log's own tokens."""


def costs(environments: Environments) -> Iterator[Cost]:
    """Short logs by five criteria with the default votes, and by one criterion with one vote."""
    folder = environments.folder("calls")
    log, own = folder / f"airline_{LOGS}_runs.jsonl", folder / "own.jsonl"
    with gzip.open(_RUNS, "rt", encoding="utf-8") as stream:
        lines = list(islice(stream, LOGS))
    log.write_text("".join(lines), encoding="utf-8")
    messages = [message for line in lines for message in json.loads(line)["traj"]]
    own.write_text("".join(f"{json.dumps(json.dumps(each, ensure_ascii=False))}\n" for each in messages))
    of_logs = worker(environments.logs, "provider_tokens", folder, own)["tokens"]
    texts = folder / "requests.jsonl"
    for many, votes in ((5, VOTES), (1, 1)):
        criteria = folder / f"{many}_criteria.json"
        criteria.write_text(json.dumps(CRITERIA[-many:]), encoding="utf-8")
        found = worker(
            environments.adjudge,
            "adjudge_judge_calls",
            folder,
            log,
            criteria,
            "auto",
            str(votes),
            "met",
            texts,
        )
        if found["verdicts"] != {"PASS": many * LOGS}:
            raise RuntimeError(f"expected {many * LOGS} times PASS, found {found['verdicts']}")
        tokens = worker(environments.logs, "provider_tokens", folder, texts)["tokens"]
        yield Cost(
            criteria=many,
            checks=sum(len(criterion["checks"]) for criterion in CRITERIA[-many:]),
            votes=votes,
            requests=found["calls"] / LOGS,
            tokens=tokens / LOGS,
            times=tokens / of_logs,
        )
    texts.unlink()


def costs_listed(costs: Sequence[Cost]) -> str:
    """A Markdown table."""
    return markdown(
        ["criteria", "checks", "votes", "requests a log", "tokens a log (o200k)", "times the log's own"],
        [
            [
                str(row.criteria),
                str(row.checks),
                str(row.votes),
                f"{row.requests:g}",
                rounded(row.tokens),
                f"{rounded(row.times)}x",
            ]
            for row in costs
        ],
    )


def source() -> str:
    """Where the steps come from, for the page."""
    if _RUNS.is_file():
        return "The log joins runs of tau-bench's airline agent (gpt-4o) to one run with that number of agent messages"
    return "The log is a generated run, because the real runs were not available"


def listed(asked: Sequence[Asked]) -> str:
    """A Markdown table."""
    return markdown(
        [
            "granularity",
            "steps",
            "calls",
            "to write",
            "tokens",
            "times fewer tokens",
            "largest request",
            "tokens (o200k)",
            "largest (o200k)",
            f"calls, {VOTES} votes",
            f"tokens, {VOTES} votes",
            "adjudge s",
        ],
        [
            [
                row.granularity + ("" if row.verdict == "met" else ", everything fails"),
                f"{row.steps:,}",
                f"{row.calls:,}",
                f"{row.writing:,}",
                rounded(row.tokens),
                f"{rounded(row.ratio)}x",
                f"{row.largest:,}",
                rounded(row.provider_tokens),
                f"{row.provider_largest:,}",
                f"{row.calls_with_votes:,}",
                rounded(row.tokens_with_votes),
                rounded(row.seconds),
            ]
            for row in asked
        ],
    )


def _check(found: Any, granularity: str, verdict: str) -> None:
    if found["largest"] > BUDGET:
        raise RuntimeError(f"a request of {found['largest']} tokens exceeds the budget of {BUDGET}")
    wanted = "PASS" if verdict == "met" else "FAIL"
    if found["verdicts"] != {wanted: len(CRITERIA)}:
        raise RuntimeError(f"expected {len(CRITERIA)} times {wanted}, found {found['verdicts']}")
    levels = 3 if granularity == "auto" else 1
    if len(found["used"]) != levels:
        raise RuntimeError(f"expected {levels} granularities, found {found['used']}")


def _log(folder: Path, steps: int) -> Path:
    if not _RUNS.is_file():
        return agent_logs.write(folder / f"history_{steps}.json", "history log", steps)
    path = folder / f"airline_{steps}.json"
    path.write_text(json.dumps({"messages": list(_joined(steps))}), encoding="utf-8")
    return path


def _joined(steps: int) -> Iterator[dict[str, Any]]:
    """Messages of one run after another, from the beginning again where there are too few, each call with an id of its own."""
    with gzip.open(_RUNS, "rt", encoding="utf-8") as stream:
        runs = [json.loads(line)["traj"] for line in stream]
    taken, round_ = 0, 0
    while True:
        for number, run in enumerate(runs):
            for message in run:
                if message["role"] == "system" and (number or round_):
                    continue
                text = json.dumps(message)
                for call_id in _ids(message):
                    text = text.replace(call_id, f"{round_}_{number}_{call_id}")
                yield json.loads(text)
                if (
                    message["role"] == "assistant"
                    and (taken := taken + 1) >= steps
                    and not message.get("tool_calls")
                ):
                    return
        round_ += 1


def _ids(message: dict[str, Any]) -> list[str]:
    calls = [call["id"] for call in message.get("tool_calls") or ()]
    return [*calls, *([message["tool_call_id"]] if message.get("tool_call_id") else [])]
