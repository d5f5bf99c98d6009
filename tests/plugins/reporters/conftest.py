"""Runs for reporters to write, decided by the real algebra; and a real browser that opens what they wrote."""

from __future__ import annotations

import io
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

from adjudge.model import RunInfo
from adjudge.model.eval_set import EvalCase
from adjudge.model.evidence import Failure
from adjudge.model.invocation import Invocation
from adjudge.model.items import Content, Text, ToolCall
from adjudge.model.measurement import Measurement, Outcome
from adjudge.model.result import CaseResult
from adjudge.model.step import Step
from adjudge.model.trajectory import Trajectory
from adjudge.model.verdict import Verdict
from adjudge.plugin import ReportedCase, Reporter, RunReport
from adjudge.testing import FinishedCase
from adjudge.verdict.algebra import Rule, case_status, criterion_result
from adjudge.verdict.summary import summarise

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

Call = tuple[str, dict[str, Any]]
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
)
SIZES = {"laptop": (1440, 900), "tablet": (1024, 768), "phone": (390, 844)}


def turn(prompt: str, answer: str | None, calls: Sequence[Call] = ()) -> Invocation:
    """One turn, expected or actual."""
    steps = tuple(
        Step(number=number, items=(ToolCall(name=name, args=args),))
        for number, (name, args) in enumerate(calls, 1)
    )
    return Invocation(
        user_content=Content.of_text(prompt),
        steps=steps,
        final_response=None if answer is None else Content(items=(Text(text=answer),)),
    )


NIGHTLY = RunInfo(
    name="nightly",
    started_at="2025-12-31T23:59:55.790+00:00",
    finished_at="2026-01-01T00:00:00.000+00:00",
    duration=4.21,
    adjudge_version="0.1.0",
    python_version="3.11.7",
    plan_hash="0" * 64,
    agent={"target": "agent:agent"},
    eval_sets={},
)


@dataclass
class RunOf:
    """Collects repeats of cases and makes the report of their run."""

    rules: Mapping[str, float | None] = field(default_factory=lambda: {"answer_match": 0.8})
    lower_is_better: frozenset[str] = frozenset()
    value_range: tuple[float, float] = (0.0, 1.0)
    run: dict[str, Any] = field(default_factory=dict[str, Any])
    """What differs from the run ``nightly``."""
    warnings: tuple[str, ...] = ()
    cases: list[ReportedCase] = field(default_factory=list)

    def rule(self, name: str) -> Rule:
        return Rule(
            criterion_name=name,
            criterion=f"plugin/{name}",
            threshold=self.rules[name],
            lower_is_better=name in self.lower_is_better,
            value_range=self.value_range,
        )

    def add(
        self,
        eval_id: str,
        scores: Mapping[str, Measurement | Sequence[Outcome | float]] | Failure,
        *,
        expected: Sequence[Invocation] = (),
        actual: Sequence[Invocation] | None = (),
        file: str = "home.evalset.json",
        repeat: int = 1,
        duration: float | None = 0.5,
    ) -> RunOf:
        """Add one repeat of a case, with what each criterion measured or why the agent failed."""
        failure: Failure | None
        if isinstance(scores, Failure):
            criteria, status, failure = (), "error", scores
        else:
            criteria = tuple(
                criterion_result(measurement(found), self.rule(name)) for name, found in scores.items()
            )
            status, failure = case_status(criteria)
        result = CaseResult(
            eval_set_id=file.split(".")[0],
            eval_set_file=file,
            eval_id=eval_id,
            repeat=repeat,
            status=status,
            verdict=Verdict(status) if status in ("PASS", "FAIL", "UNSURE") else None,
            error=failure,
            criteria=criteria,
            duration=duration,
        )
        self.cases.append(
            FinishedCase(
                result=result,
                case=EvalCase(eval_id=eval_id, conversation=tuple(expected) or None),
                actual=Trajectory(invocations=tuple(actual or ())),
            )
        )
        return self

    def report(self, *, detailed: bool = False) -> RunReport:
        """The report of the run."""
        rules = [self.rule(name) for name in self.rules]
        repeats = max(case.result.repeat for case in self.cases)
        return RunReport(
            run=NIGHTLY.model_copy(update=self.run),
            summary=summarise(
                (case.result for case in self.cases),
                {case.result.eval_set_file: rules for case in self.cases},
                repeats,
            ),
            cases=lambda: iter(self.cases),
            warnings=self.warnings,
            detailed=detailed,
        )


def measurement(found: Measurement | Sequence[Outcome | float]) -> Measurement:
    if isinstance(found, Measurement):
        return found
    return Measurement(
        per_invocation=tuple(item if isinstance(item, Outcome) else Outcome.scored(item) for item in found)
    )


@pytest.fixture
def run_of() -> type[RunOf]:
    return RunOf


@pytest.fixture
def a_turn() -> Any:
    return turn


def written(reporter: Reporter, report: RunReport) -> bytes:
    stream = io.BytesIO()
    reporter.write(report, stream)
    return stream.getvalue()


@pytest.fixture
def write() -> Any:
    return written


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A Chromium without a window. Its process ends with the module: its event loop is in the way of others."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    names = ("chromium", "chromium-browser", "google-chrome")
    path = os.environ.get("ADJUDGE_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    if path is None:
        pytest.skip("no Chromium on this machine")
    with playwright.sync_playwright() as started:
        found = started.chromium.launch(executable_path=path, args=list(FLAGS))
        yield found
        found.close()


@dataclass
class Opened:
    """A page, with what it asked for and complained of."""

    page: Page
    file: Path
    requests: list[str] = field(default_factory=list[str])
    complaints: list[str] = field(default_factory=list[str])

    def at(self, **place: object) -> Page:
        """Open an address of the page anew."""
        address = "&".join(f"{name}={quote(str(value))}" for name, value in place.items())
        self.page.goto("about:blank")
        self.page.goto(f"{self.file.resolve().as_uri()}#{address}")
        self.page.wait_for_selector(".av-detail > *")
        return self.page


@pytest.fixture
def opened(browser: Browser) -> Iterator[Callable[..., Opened]]:
    """Open a report; it must not complain of anything, and ask nobody for anything."""
    found: list[Opened] = []

    def open_(file: Path, size: str = "laptop", *, dark: bool = False, bypass: bool = False) -> Opened:
        width, height = SIZES[size]
        page = browser.new_page(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            bypass_csp=bypass,
        )
        one = Opened(page, file)
        page.on("request", lambda request: one.requests.append(request.url))
        page.on("console", lambda message: one.complaints.append(message.text))
        page.on("pageerror", lambda error: one.complaints.append(str(error)))
        found.append(one)
        one.at()
        return one

    yield open_
    for one in found:
        one.page.close()
        own = (one.file.resolve().as_uri(), "about:blank")
        assert [url for url in one.requests if not url.startswith(own)] == []
        assert one.complaints == []
