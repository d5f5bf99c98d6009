"""Long runs spliced from short ones, one faulty step in them, and a judge that finds it exactly where it is shown."""

from __future__ import annotations

import asyncio
import gzip
import itertools
import json
import random
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from adjudge.extension.loader import Extensions
from adjudge.judge.client import JudgeClient
from adjudge.judge.member import Member
from adjudge.judge.panel import JudgePanel
from adjudge.model import (
    Citation,
    Claim,
    Content,
    ErrorItem,
    EvaluationResult,
    Invocation,
    Item,
    Observation,
    Step,
    ToolCall,
    WordedCriterion,
)
from adjudge.model.tokens import tokens_asked
from adjudge.plugin import (
    Host,
    JudgeModelOptions,
    JudgeReply,
    JudgeRequest,
    Trajectory,
)
from adjudge.runner.traces import Traces
from adjudge.testing import FakeHost, FakeJudge, fields_shown, verdicts
from adjudge_plugins.ai_judge.services import CriterionEvaluator, Options, Services

LEVELS = ("step_level", "phase_level", "global_summary")

LOUD = "The card 4111 was refused by the bank"
"""What came back in a faulty step that anybody sees: an error."""
QUIET = "zebrafish"
"""What only the arguments of a wrong action say."""

_HINT = re.compile(rf"^\w+\| Step (\d+): .*{QUIET}", re.MULTILINE)


def whole(steps: Iterable[Step], task: str = "Serve every customer.") -> Trajectory:
    """Steps of several runs as one run, numbered through."""
    numbered = tuple(step.model_copy(update={"number": at}) for at, step in enumerate(steps, 1))
    return Trajectory(
        task=task, invocations=(Invocation(user_content=Content.of_text(task), steps=numbered),)
    )


def with_needle(run: Trajectory, kind: str, number: int) -> Trajectory:
    """The run with one step done wrong."""
    steps = list(run.steps)
    old = steps[number - 1]
    kept = [item for item in old.items if isinstance(item, Claim)]
    wrong: tuple[Item, ...] = (ToolCall(name="pay", args={"to": QUIET}), Observation(text="Done. " * 30))
    if kind == "loud":
        wrong = (ToolCall(name="pay", args={"order": number}), ErrorItem(message=LOUD))
    steps[number - 1] = old.model_copy(update={"items": (*kept, *wrong)})
    return whole(steps)


def depths(length: int, count: int = 10) -> list[int]:
    """Step numbers from the first to the last, evenly spread."""
    return [1 + round(at * (length - 1) / (count - 1)) for at in range(count)]


def made_up(length: int, seed: int = 7) -> list[Step]:
    """Orders of a shop, one after the other: pages, tools and goals change, and what comes back is long."""
    rng = random.Random(seed)
    words = [
        "milk",
        "bread",
        "price",
        "stock",
        "cart",
        "page",
        "item",
        "list",
        "customer",
        "order",
        "total",
        "street",
        "size",
        "blue",
        "green",
    ]
    tools = ["search", "open_page", "click", "fill", "read_table", "add_to_cart", "pay", "send_message"]
    found: list[Step] = []
    while len(found) < length:
        order = len(found)
        for tool in rng.choices(tools, k=rng.randint(3, 25)):
            said = " ".join(rng.choices(words, k=rng.randint(20, 150)))
            found.append(
                Step(
                    number=1,
                    items=(
                        Claim(text=f"Order {order}: I {tool} now."),
                        Claim(field="next_goal", text=f"Finish order {order} for {rng.choice(words)}"),
                        ToolCall(name=tool, args={"order": order, "what": rng.choice(words)}),
                        Observation(text=said),
                    ),
                )
            )
    return found[:length]


def of_web_agents(shared_data: Path, folder: Path) -> list[Step]:
    """Steps of real web agents as history logs have them, read by their reader."""
    steps: list[Any] = []
    with gzip.open(shared_data / "web_agent_runs" / "runs.jsonl.gz", "rt", encoding="utf-8") as file:
        for line in file:
            steps += [step for step in json.loads(line)["steps"] if step["action"] or step["thinking"]]
    path = folder / "web_agents.json"
    path.write_text(json.dumps(steps), encoding="utf-8")
    return list(_read(path))


def of_airline(shared_data: Path, folder: Path) -> list[Step]:
    """Steps of real chats with tools and what came back."""
    return list(_read(shared_data / "tau_airline" / "runs.jsonl.gz"))


def _read(path: Path) -> Iterator[Step]:
    extensions = Extensions.load()
    traces = Traces(extensions, FakeHost(path.parent))
    for run in traces.read(path, traces.reader_of(path)):
        yield from run.steps


def repeated(steps: Sequence[Step], length: int) -> list[Step]:
    return list(itertools.islice(itertools.cycle(steps), length))


@dataclass
class Judged:
    """A verdict, and what it took."""

    result: EvaluationResult
    questions: list[JudgeRequest]
    """About checks."""
    writings: list[JudgeRequest]
    """For names and summaries."""

    @property
    def longest(self) -> int:
        return max(tokens_asked(request) for request in (*self.questions, *self.writings))


@dataclass
class Finder:
    """Says ``not_met`` where the faulty step is shown as it was recorded, and wants to see what a line hints at."""

    asks_back: bool = True
    seen: list[JudgeRequest] = field(default_factory=list[JudgeRequest])

    def __call__(self, request: JudgeRequest) -> str | JudgeReply:
        self.seen.append(request)
        if "# Items" not in request.messages[1].text:
            return "{}"  # it writes nothing: names and summaries are those of the code
        material = request.messages[1].text
        cited: list[Citation] = []
        for step, name, text in fields_shown(request):
            for words in (LOUD, QUIET):
                if words in text:
                    cited.append(Citation(step=step, field=name, quote=words))
        wanted = ", ".join(_HINT.findall(material)) if self.asks_back and not cited else ""
        notes = {"rationale": "It is so.", "absent_words": "", "steps_wanted": wanted}
        if cited:
            return verdicts(request, "not_met", notes=notes, citations=cited)
        anything = [
            Citation(step=step, field=name, quote=text[:20])
            for step, name, text in fields_shown(request)
            if name in ("action", "observation", "result") and len(text) > 3 and "…" not in text[:20]
        ]
        return verdicts(request, "met", notes=notes, citations=anything[:1])


CRITERION = WordedCriterion(
    name="Care",
    description="No step goes wrong.",
    checks=("Each tool call is right.",),
)


def judged(
    run: Trajectory,
    level: str,
    folder: Path,
    *,
    criterion: WordedCriterion = CRITERION,
    budget: int = 24_000,
    judge: Callable[[JudgeRequest], Any] | None = None,
    votes: int = 1,
) -> Judged:
    """What a judge concludes at one granularity."""
    fake = FakeJudge(judge or Finder())
    member = Member(name="fake/m", model="m", backend_name="fake", backend=fake)
    client = JudgePanel(
        JudgeClient(secret=b"a secret of this test"), [member], JudgeModelOptions(num_samples=votes)
    )
    host: Host = FakeHost(folder, judge=fake)
    options = Options(granularity=None if level == "auto" else level, token_budget=budget)
    evaluator = CriterionEvaluator(Services(host, client, options), client, criterion)
    result = asyncio.run(evaluator.evaluate(run))
    questions = [request for request in fake.requests if "# Items" in request.messages[1].text]
    return Judged(result, questions, [request for request in fake.requests if request not in questions])


@pytest.fixture
def long_runs() -> Any:
    """The functions of this file, for test files, which cannot import it."""
    return sys.modules[__name__]
