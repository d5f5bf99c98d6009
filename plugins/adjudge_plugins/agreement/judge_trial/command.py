"""``adjudge judges try``: one question with a known answer, or labelled turns."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click

from adjudge import JudgeUnusableError, open_judge
from adjudge.model import Choice, Decision, Exhibit, Failure, JudgedItem, JudgeUse, Prompt, Question
from adjudge.plugin import judge_use, say, say_json, show_fields

_MOST_SAMPLES: Final = 100
"""The most that ``num_samples`` may be anywhere."""

TRIAL: Final = Question(
    prompt=Prompt(name="judges_try", version=1, text="Say whether each statement about the text is true."),
    exhibits=(Exhibit(name="text", text="The museum opens at nine and closes at five."),),
    items=(JudgedItem(item_id="statement", text="The text says when the museum opens."),),
    choices=(
        Choice(label="yes", meaning="the statement is true", value=1.0),
        Choice(label="no", meaning="the statement is false", value=0.0),
    ),
)
"""What a model is tried with. The answer is yes."""


@click.command("try")
@click.argument("model")
@click.option(
    "--labelled",
    metavar="FILE...",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Measure the model on labelled turns (JSON Lines) instead.",
)
@click.argument("more", metavar="", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--num-samples",
    metavar="N",
    type=click.IntRange(min=1, max=_MOST_SAMPLES),
    default=1,
    show_default=True,
    help="With --labelled: the most votes for each decision.",
)
@click.option("--max-judge-calls", metavar="N", type=int, help="With --labelled: how many calls may be made.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def try_command(
    no_plugins: tuple[str, ...],
    model: str,
    labelled: tuple[Path, ...],
    more: tuple[Path, ...],
    num_samples: int,
    max_judge_calls: int | None,
    as_json: bool,
) -> int:
    """Ask MODEL one small question, and show the answer.

    One call is made, without the cache and without a retry. With --labelled, MODEL judges turns that
    people labelled, and the verdicts are compared with the labels. The result is stored: later runs with
    this judge warn if it was near chance.

    \b
    Exit status: 0 the model answered, 3 it did not answer or a turn could not be measured,
    2 something that the call needs is missing.
    """  # noqa: D301 - click reads \b
    if more and not labelled:
        raise click.UsageError(f"unexpected argument {str(more[0])!r}; files of labels follow --labelled")
    if not labelled:
        return _try(model, no_plugins, as_json=as_json)
    from adjudge_plugins.agreement.judge_trial.console import run_labelled

    try:
        return run_labelled(
            model,
            [*labelled, *more],
            no_plugins,
            num_samples=num_samples,
            max_calls=max_judge_calls,
            as_json=as_json,
        )
    except JudgeUnusableError as error:
        say(f"error ({_in_words(error.code or 'unusable')}): {error}", err=True)
        return 3


def _try(model: str, no_plugins: tuple[str, ...], *, as_json: bool) -> int:
    answer = asyncio.run(_asked(model, no_plugins))
    if as_json:
        say_json(json.dumps(_answer_facts(answer), indent=2, ensure_ascii=False))
    elif answer.failure is None:
        show_fields(_answer_fields(answer))
    else:
        say(f"error ({answer.failure_class}): {answer.failure.message}", err=True)
    return 0 if answer.failure is None else 3


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    """What came back when a model was asked."""

    judge: str
    """As ``provider/model``."""
    seconds: float
    decision: Decision | None
    use: JudgeUse | None
    failure: Failure | None
    """Why there is no verdict; its code is ``judge_`` and the class of the failure."""

    @property
    def failure_class(self) -> str | None:
        return None if self.failure is None else _in_words(self.failure.code.removeprefix("judge_"))


async def _asked(model: str, no_plugins: tuple[str, ...]) -> _Answer:
    decision: Decision | None = None
    async with open_judge(model, disable=no_plugins) as judge:
        [name] = judge.models
        started = time.perf_counter()
        with judge_use() as asked:
            try:
                [decision] = await judge.decide(TRIAL)
                failure = decision.error
            except JudgeUnusableError as error:
                failure = Failure(code=f"judge_{error.code}", message=str(error), origin=name)
        seconds = time.perf_counter() - started
    return _Answer(judge=name, seconds=seconds, decision=decision, use=asked.use(), failure=failure)


def _in_words(code: str) -> str:
    return code.replace("_", " ")


def _answer_facts(answer: _Answer) -> dict[str, Any]:
    decision, use = answer.decision, answer.use
    return {
        "judge": answer.judge,
        "error": None
        if answer.failure is None
        else {"class": answer.failure_class, "message": answer.failure.message},
        "model_version": next(iter(use.model_versions), None) if use else None,
        "verdict": decision.label if decision else None,
        "expected": "yes",
        "reason": decision.reasoning if decision else None,
        "seconds": round(answer.seconds, 3),
        "usage": use.usage.model_dump(mode="json", exclude={"extra"}) if use and use.usage else None,
        "cost": use.cost if use else None,
    }


def _answer_fields(answer: _Answer) -> list[tuple[str, str]]:
    facts = _answer_facts(answer)
    right = facts["verdict"] == facts["expected"]
    asked = f"“{TRIAL.exhibits[0].text}” {TRIAL.items[0].text}"
    usage, cost = answer.use.usage if answer.use else None, facts["cost"]
    tokens = [] if usage is None else [(usage.input_tokens, "in"), (usage.output_tokens, "out")]
    return [
        ("judge", answer.judge),
        ("model version", facts["model_version"] or "not reported"),
        ("asked", asked),
        ("verdict", facts["verdict"] + ("" if right else f", where {facts['expected']} is right")),
        ("reason", " ".join((facts["reason"] or "none given").split())),
        ("time", f"{answer.seconds:.2f} s"),
        (
            "tokens",
            ", ".join(f"{count} {word}" for count, word in tokens if count is not None) or "not reported",
        ),
        ("cost", "not known" if cost is None else f"{cost:.6f} USD"),
    ]
