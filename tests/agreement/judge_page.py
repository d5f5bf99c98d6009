"""The page about one judge model."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from page import figure, share, table, wrapped
from samples import FailedRun
from web_runs import PACKAGE, WebRun

import adjudge
from adjudge.model import EvaluationResult
from adjudge.model.step import Usage, total_usage
from adjudge_plugins.agreement.statistics.confusion import Confusion, chance_probability

Report: TypeAlias = Mapping[str, Any]
"""Of ``adjudge agreement``, by who judged."""

_METHOD = """\
# A small judge with our prompts

Generated on {day} by `nox -s agreement -- --judge MODEL`; no figure on this page is written by hand, and no other session changes it.
The model is `{model}`, the prompt {prompts}, adjudge {version}, Python {python}.
[Is the judge right?](agreement.md) measures votes, panels and calibration on the recorded verdicts of other judges. Here a model was
asked with adjudge's own prompts, and its answers had to satisfy adjudge's own rules of evidence.

{short}

## How it was asked

Runs are judged as by `adjudge judge --num-samples 1`, at `step_level`, with at most {budget} tokens a request and temperature 0:
one vote, so that no confidence is measured. The judge did not name phases, because no question at this granularity shows their names.
Each run took {tokens_in} input tokens and {tokens_out} output tokens.

The runs were chosen without looking at labels or verdicts: short runs, because the model runs without a graphics card,
in the order of the SHA-256 of their names, as many as time allowed. Nothing was fitted or reworded on them. Numbers
in brackets are 95 % intervals. With so few runs they are wide.
"""

_DONE = """\
## Was the task done?

{runs} runs of web agents of at most {most_steps} steps on whose success all human labels agree (labels of
`{package}`, joined when the page is generated); {passed} succeeded, so that always giving the more frequent label agrees with
{majority} of them. The check is “{check}” A verdict needs evidence: words in the log that show it. The second row has the verdicts of the same
answers without this rule. The rows below are judges whose verdicts were recorded when Online-Mind2Web was made, and the
benchmark's own check by code, on those of the same runs that they judged. They saw screenshots. Our judge saw the agent's actions and
thoughts, but no observations: the logs do not contain them.
"""

_LOCATED = """\
## The step at fault

Failed runs of several agents, {runs} of at most {most_characters} characters, in which a person named the faulty step (Who&When,
the algorithm-generated part). The check is “{check}” The judge's step is the first one that
a FAIL cites; a run without a FAIL counts as missed. The reader of these logs does not read the answers and labels in the data. The position
prior names the step that is best for all other runs.
"""


_TOO_FEW = 10
_FEW = """\
With only {runs} runs these figures show nothing about the judge's quality. [Is the judge right?](agreement.md#the-step-at-fault) has the
baselines on all runs of the data.
"""


@dataclass(frozen=True)
class Facts:
    ours: str
    votes: str
    results: Sequence[EvaluationResult]
    day: str
    budget: int
    most_steps: int
    most_characters: int
    web: Sequence[WebRun]
    done_check: str
    done: Report
    done_results: Sequence[EvaluationResult]
    failed: Sequence[FailedRun]
    mistake_check: str
    located: Report
    located_results: Sequence[EvaluationResult]


def text(facts: Facts) -> str:
    """The whole page, as Markdown."""
    uses = [result.judging for result in facts.results if result.judging is not None]
    usage = total_usage(use.usage for use in uses)
    passed = sum(run.success == "PASS" for run in facts.web)
    parts = [
        _METHOD.format(
            day=facts.day,
            model=", ".join(sorted({version for use in uses for version in use.model_versions})),
            prompts=", ".join(
                sorted({f"`{name}` ({sha256[:12]})" for use in uses for name, sha256 in use.prompts.items()})
            ),
            version=adjudge.__version__,
            python=platform.python_version(),
            short=_short(facts),
            budget=facts.budget,
            tokens_in=_each(usage, "input_tokens", len(facts.results)),
            tokens_out=_each(usage, "output_tokens", len(facts.results)),
        ),
        _DONE.format(
            runs=len(facts.web),
            most_steps=facts.most_steps,
            package=PACKAGE,
            passed=passed,
            majority=share(max(passed, len(facts.web) - passed) / len(facts.web)),
            check=facts.done_check,
        ),
        _done(facts),
        _whatever(facts.done_results),
        _LOCATED.format(
            runs=len(facts.failed), most_characters=facts.most_characters, check=facts.mistake_check
        ),
        _located(facts),
        *([_FEW.format(runs=len(facts.failed))] if len(facts.failed) < _TOO_FEW else []),
        _agents(facts),
        _whatever(facts.located_results),
    ]
    return "\n".join(parts)


def _short(facts: Facts) -> str:
    ours, votes = facts.done[facts.ours], facts.done[facts.votes]
    exact, near = (_within(facts, steps) for steps in (0, 1))
    return wrapped(
        f"**In short.** Whether the task was done: {_told(ours)} of {ours['labelled']} runs, because a verdict needs words in the log that "
        f"show it. Its votes alone, without evidence: {_told(votes)}. The step at fault: named exactly in {figure(exact['judge'])} of "
        f"{facts.located[facts.ours]['localisation']['labelled']} failed runs, and within one step in {figure(near['judge'])}; always naming the "
        f"same step reaches {share(exact['position_prior'])} and {share(near['position_prior'])}."
    )


def _told(item: Mapping[str, Any]) -> str:
    """Coverage, agreement, and whether that is more than luck."""
    covered = f"a verdict on {share(item['decided'] / item['labelled'])}"
    if not item["decided"]:
        return covered
    by_chance = chance_probability(Confusion(**item["counts"]))
    return (
        f"{covered}, of which {figure(item['figures']['accuracy'])} equal the human label, kappa {figure(item['figures']['kappa'])} (random "
        f"verdicts reach that with a probability of {share(by_chance)})"
    )


def _done(facts: Facts) -> str:
    names = ("coverage", "accuracy", "kappa", "true_positive_rate", "true_negative_rate")
    rows = [
        (
            name,
            str(item["labelled"]),
            str(item["decided"]),
            *(figure(item["figures"][measure]) for measure in names),
        )
        for name, item in facts.done.items()
        if name != "all criteria"
    ]
    return table(("judge", "runs", "verdicts", "coverage", "accuracy", "kappa", "TPR", "TNR"), rows)


def _located(facts: Facts) -> str:
    rows = [
        (
            f"{item['within']} step{'s' * (item['within'] > 1)}" if item["within"] else "exact",
            figure(item["judge"]),
            share(item["position_prior"]),
        )
        for item in facts.located[facts.ours]["localisation"]["accuracies"]
    ]
    return table(("within", facts.ours, "position prior"), rows)


def _agents(facts: Facts) -> str:
    """Whose step it was: what the judge's step says, beside the most frequent agent."""
    right = sum(
        bool(result.evidence.citations)
        and result.verdict == "FAIL"
        and run.authors.get(result.evidence.citations[0].step) == run.mistake_agent
        for run, result in zip(facts.failed, facts.located_results, strict=True)
    )
    majority = facts.located[facts.ours]["localisation"]["majority_agent"]
    return (
        wrapped(
            f"The named step is one of the agent at fault in {share(right / len(facts.failed))} of the runs; naming the agent that is most "
            f"often at fault in the other runs reaches {share(majority)}."
        )
        + "\n"
    )


def _whatever(results: Sequence[EvaluationResult]) -> str:
    """Verdicts, and why there was none."""
    counted = Counter(str(result.verdict or "error") for result in results)
    reasons = Counter(
        code
        for result in results
        if result.verdict == "UNSURE"
        for code in dict.fromkeys(check.unsure_code for check in result.checks)
        if code is not None
    ) + Counter(result.error.code for result in results if result.error is not None)
    said = ", ".join(f"{counted[verdict]} {verdict}" for verdict in ("PASS", "FAIL", "UNSURE", "error"))
    why = ", ".join(f"`{code}` {times}" for code, times in reasons.most_common())
    return f"Verdicts: {said}.{f' Reasons for no verdict: {why}.' if why else ''}\n"


def _within(facts: Facts, steps: int) -> Mapping[str, Any]:
    accuracies = facts.located[facts.ours]["localisation"]["accuracies"]
    return next(item for item in accuracies if item["within"] == steps)


def _each(usage: Usage | None, what: str, runs: int) -> str:
    tokens = None if usage is None else getattr(usage, what)
    return "-" if tokens is None else str(round(tokens / runs))
