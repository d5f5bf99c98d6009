"""How much of a run one request shows where the user does not say it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from adjudge.extension.candidates import Candidate
from adjudge.model import JsonObject
from adjudge.plugin import Host, JudgeBackendSpec, JudgeRequest, NoConfig, hookimpl
from adjudge.testing import FakeHost, FakeJudge, as_candidate
from adjudge_plugins.judges import anthropic_judge, gemini_judge, openai_judge

STEPS: list[JsonObject] = [
    {"step": number, "action": f"open_page({number})", "observation": f"Page {number}. " + "Milk. " * 300}
    for number in range(1, 61)
]
"""More than the 24,000 tokens that a judge is shown of which nobody knows how much it takes."""

CRITERION = {"name": "Care", "description": "It is so.", "about": "process", "checks": ["It reads."],
             "granularity": "step_level"}  # fmt: skip


class Knowing(FakeJudge):
    """A judge that knows the context of each of its models: the number in the name."""

    def context(self, model: str) -> int | None:
        return int(model) if model.isdigit() else None


@pytest.fixture
def knowing(judging: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    class Plugin:
        @hookimpl.judge_backends
        def judge_backends(self) -> list[JudgeBackendSpec]:
            def make(_config: NoConfig, _host: Host) -> FakeJudge:
                return Knowing(judging.asked)

            return [JudgeBackendSpec(name="fake", summary="A program.", factory=make, prices="")]

    def candidates() -> list[Candidate]:
        return [as_candidate("fake-judge", Plugin())]

    monkeypatch.setattr(judging, "candidates", candidates)
    return judging


def asked(judging: Any, of_logs: Any, judge: str | list[str], **options: Any) -> tuple[int, int]:
    """How many questions there were about parts of the run for one vote of one model, and the budget that the report names."""
    judging.requests.clear()
    judged = judging(
        judging.log(STEPS), CRITERION, judge=judge, num_samples=1, outputs=["out.json"], **options
    )
    assert judged.errors == ()
    [entry] = json.loads((judging.folder / "out.json").read_text())["run"]["logs"]["criteria"].values()
    questions: list[JudgeRequest] = list(filter(of_logs.is_question, judging.requests))
    return len({request.key for request in questions}), entry["declared"]["token_budget"]


def test_a_judge_that_takes_more_is_shown_more(knowing: Any, of_logs: Any) -> None:
    many, unknown = asked(knowing, of_logs, "fake/m")
    assert many > 1 and unknown == 24_000
    assert asked(knowing, of_logs, "fake/128000") == (1, 96_000)
    assert asked(knowing, of_logs, "fake/2000000")[1] == 150_000, "more of it is overlooked, and costs more"
    few, least = asked(knowing, of_logs, "fake/8192")
    assert few > many and least == 6_144
    assert asked(knowing, of_logs, "fake/128000", token_budget=24_000) == (many, 24_000), (
        "the user's word holds"
    )


def test_a_panel_has_room_for_its_smallest_model(knowing: Any, of_logs: Any) -> None:
    assert asked(knowing, of_logs, ["fake/128000", "fake/64000"])[1] == 48_000
    assert asked(knowing, of_logs, ["fake/128000", "fake/m"])[1] == 24_000


def test_a_recording_is_asked_what_its_judge_was_asked(
    knowing: Any, of_logs: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked(knowing, of_logs, "fake/128000", record="calls.rec")
    monkeypatch.setenv("ADJUDGE_HOME", str(knowing.folder / "elsewhere"))
    assert asked(knowing, of_logs, "replay:calls.rec") == (0, 96_000)


@pytest.mark.parametrize(
    ("backend", "model", "environment", "context"),
    [
        (openai_judge.OpenAIJudge, "gpt-5-mini", {}, 128_000),
        (openai_judge.OpenAIJudge, "qwen", {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}, None),
        (anthropic_judge.AnthropicJudge, "claude-sonnet-4-5", {}, 200_000),
        (gemini_judge.GeminiJudge, "gemini-2.5-flash", {}, 1_000_000),
        (gemini_judge.GeminiJudge, "gemma-3-27b-it", {}, None),
    ],
)
def test_what_the_providers_models_take(
    tmp_path: Path, backend: Any, model: str, environment: dict[str, str], context: int | None
) -> None:
    [spec] = [
        spec
        for module in (openai_judge, anthropic_judge, gemini_judge)
        for spec in module.judge_backends()
        if spec.factory is backend
    ]
    made: Any = spec.factory(spec.config(), FakeHost(tmp_path, environment=environment))
    assert made.context(model) == context
