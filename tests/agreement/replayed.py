"""The recorded verdicts as the votes of a panel: the real judge client, and no network."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from web_runs import WebRun

from adjudge.extension.judge_options import JudgeModelOptions
from adjudge.model.judging import Choice, Decision, Exhibit, JudgedItem, JudgeRequest, Prompt, Question
from adjudge.testing import FakeHost, FakeJudge, verdicts

_CHOICES = (
    Choice(label="success", meaning="the task is done", value=1.0),
    Choice(label="failure", meaning="the task is not done", value=0.0),
)


async def panel(runs: Sequence[WebRun], voices: Sequence[str], rule: str) -> dict[str, Decision]:
    """What a panel of these voices decides of every run that all of them judged."""
    judged = [run for run in runs if all(voice in run.verdicts for voice in voices)]
    recorded = {
        (_model(voice), run.run_id): "success" if run.verdicts[voice] == "PASS" else "failure"
        for run in judged
        for voice in voices
    }

    def answer(request: JudgeRequest) -> str:
        return verdicts(request, lambda run_id: recorded[request.model, run_id])

    options: dict[str, Any] = {
        "judges": tuple(f"recorded/{_model(voice)}" for voice in voices),
        "panel_rule": rule,
        "num_samples": 1,
    }
    judge = FakeHost(Path.cwd(), judge=FakeJudge(answer)).judge(JudgeModelOptions(**options))
    question = Question(
        prompt=Prompt(name="recorded", version=1, text="Was the task of each run done?"),
        exhibits=(Exhibit(name="runs", text="as recorded"),),
        items=tuple(JudgedItem(item_id=run.run_id, text=run.run_id) for run in judged),
        choices=_CHOICES,
        rule="majority_or_unsure",
    )
    return {decision.item_id: decision for decision in await judge.decide(question)}


def _model(voice: str) -> str:
    return voice.replace(" ", "-")
