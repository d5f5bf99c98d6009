"""Asks a model about the labelled cases, with the prompts of the adjudge that is imported; one JSON line a case.

``PYTHONPATH`` decides which adjudge that is: the checkout's, or that of an earlier commit.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from prompt_sample import LabelledCase, labelled_cases

from adjudge import score_by_judge
from adjudge.model.result import CriterionResult


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--judge", metavar="MODEL", required=True)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--only", metavar="CRITERION", action="append", default=[])
    arguments = parser.parse_args()
    by_criterion: defaultdict[str, list[LabelledCase]] = defaultdict(list)
    for case in labelled_cases():
        if not arguments.only or case.criterion in arguments.only:
            by_criterion[case.criterion].append(case)
    with arguments.output.open("w", encoding="utf-8") as file:
        # One criterion after the other: an interrupted trial has whole criteria.
        for cases in by_criterion.values():
            done = asyncio.run(score_by_judge([case.to_score() for case in cases], arguments.judge))
            for case, score in zip(cases, done.scores, strict=True):
                answer = _answer(case, score.result)
                file.write(json.dumps(answer) + "\n")
                print(case.case_id, case.label, answer["verdict"], flush=True)  # noqa: T201
            file.flush()


def _answer(case: LabelledCase, result: CriterionResult) -> dict[str, Any]:
    use = result.judging
    usage = use.usage if use else None
    return {
        "case": case.case_id,
        "criterion": case.criterion,
        "label": case.label,
        # A simulated user that fails is no verdict on an agent, but it is what this criterion was asked.
        "verdict": "FAIL" if result.error and result.error.code == "user_at_fault" else result.verdict,
        "codes": [*result.reason_codes, *([result.error.code] if result.error else [])],
        "statements": [
            [name, wanted, _statement(result, name)] for name, wanted in sorted(case.statements.items())
        ],
        "prompts": dict(use.prompts) if use else {},
        "models": list(use.model_versions) if use else [],
        "votes": use.votes if use else 0,
        "lost": use.lost_votes if use else 0,
        "tokens_in": usage.input_tokens if usage else None,
        "tokens_out": usage.output_tokens if usage else None,
        "reasons": list(_reasons(result)),
    }


def _statement(result: CriterionResult, name: str) -> bool | None:
    """Whether it was found to hold; ``None``: it was not decided, or said not to apply."""
    score = next((each.score for each in result.rubric_scores if each.rubric_id == name), None)
    return None if score is None else score == 1.0


def _reasons(result: CriterionResult) -> Iterator[str]:
    if result.reasoning:
        yield result.reasoning
    for rubric in result.rubric_scores:
        yield f"{rubric.rubric_id}: {rubric.score}: {rubric.rationale}"
    for turn in result.per_invocation:
        if turn.reasoning:
            yield turn.reasoning


if __name__ == "__main__":
    main()
