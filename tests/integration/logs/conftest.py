"""Logs to judge, and judges that are programs: what they cite, they read in the prompt."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import adjudge
from adjudge.extension.discovery import discover
from adjudge.extension.loader import Extensions
from adjudge.plugin import (
    Citation,
    Host,
    JsonObject,
    JudgeBackendSpec,
    JudgedLogs,
    JudgeRequest,
    NoConfig,
    hookimpl,
)
from adjudge.testing import FakeJudge, as_candidate, verdicts

TASK = "Buy the cheapest milk."
STEPS: list[JsonObject] = [
    {
        "step": 2,
        "thinking": "I need a list of what there is.",
        "action": 'search({"query": "milk"})',
        "observation": "17: milk, 1.09. 18: oat milk, 1.49.",
        "next_goal": "Put the cheapest into the cart.",
    },
    {
        "step": 3,
        "thinking": "Number 17 is the cheapest.",
        "action": 'add_to_cart({"item": 17})',
        "result": "1 item in the cart",
    },
]

OUTCOME = {
    "name": "Success",
    "description": "The milk is bought.",
    "checks": ["The final result: the cheapest milk is in the cart."],
}
PROCESS = {
    "name": "Care",
    "description": "Every step is justified.",
    "checks": ["Each tool call follows from what came back before."],
}

_LINE = re.compile(r"^\w+\| step (\d+) (\w+): (.+)$", re.MULTILINE)


def quotes(request: JudgeRequest, fields: Sequence[str] = ("result", "observation")) -> list[Citation]:
    """Places that a judge may cite, as the prompt shows them."""
    return [
        Citation(step=int(step), field=name, quote=text.strip()[:60])
        for step, name, text in _LINE.findall(request.messages[1].text)
        if name in fields
    ]


def is_question(request: JudgeRequest) -> bool:
    """Whether checks are to be decided, and not texts to be written."""
    return "# Items" in request.messages[1].text


@dataclass
class Judging:
    """Judges logs with the installed plugins and one more: ``fake/m``, a program."""

    folder: Path
    verdict: str | Callable[[str], str] = "met"
    cite: Callable[[JudgeRequest], Sequence[Citation]] = lambda request: quotes(request)[:1]
    notes: dict[str, str] = field(default_factory=lambda: {"rationale": "It says so.", "absent_words": ""})
    answer: Callable[[JudgeRequest], Any] | None = None
    requests: list[JudgeRequest] = field(default_factory=list[JudgeRequest])

    def log(
        self, steps: Sequence[JsonObject] = STEPS, name: str = "log.json", task: str | None = TASK
    ) -> str:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({**({"task": task} if task else {}), "steps": list(steps)}))
        return name

    def __call__(
        self, logs: str | Path | Sequence[str | Path], *criteria: JsonObject, **options: Any
    ) -> JudgedLogs:
        options = {"judge": "fake/m", "extensions": self.extensions(), **options}
        return adjudge.judge_logs_sync(logs, criteria or None, **options)

    def extensions(self) -> Extensions:
        return Extensions([*discover(), as_candidate("fake-judge", _Plugin(self))])

    def asked(self, request: JudgeRequest) -> Any:
        self.requests.append(request)
        if self.answer is not None:
            return self.answer(request)
        return verdicts(request, self.verdict, notes=self.notes, citations=self.cite(request))


class _Plugin:
    def __init__(self, judging: Judging) -> None:
        self._judging = judging

    @hookimpl.judge_backends
    def judge_backends(self) -> list[JudgeBackendSpec]:
        def make(_config: NoConfig, _host: Host) -> FakeJudge:
            return FakeJudge(self._judging.asked)

        return [JudgeBackendSpec(name="fake", summary="A program.", factory=make, prices="")]


@pytest.fixture
def judging(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Judging:
    """A judge and a folder; the working folder is there."""
    monkeypatch.delenv("ADJUDGE_JUDGE", raising=False)
    monkeypatch.chdir(tmp_path)
    return Judging(tmp_path)


@pytest.fixture
def of_logs() -> Any:
    """The functions of this file, for test files, which cannot import it."""
    import sys

    return sys.modules[__name__]
