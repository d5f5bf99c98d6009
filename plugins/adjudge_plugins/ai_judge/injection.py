"""Runs that speak to their judge: what lets them pass has to hold without the words by which they do.

Words of a run may ask its judge for a verdict. Whoever writes them gains where a statement is met, or does not
apply; nobody gains where it is not met. So where a run speaks to its judge anywhere, an answer that lets a
statement pass is asked for again: without every field that holds such words, without the task where it does, and
without the overview, which was made of all of them. Where the second answer is another, the statement is
undecided (``injection``), and a closer look is not taken: it would show the same words. That a statement is not
met stands as it is.

Words that ask for nothing and only lie are not noticed here. Against them stand the evidence: a claim shows no
outcome, and what is quoted has to stand in the log.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from adjudge.kit.evaluation import Check
from adjudge.kit.untrusted import addresses_judge, cleaned
from adjudge.model import CheckResult, Citation, Evidence
from adjudge_plugins.ai_judge.check_evaluation import Looking
from adjudge_plugins.ai_judge.question import Surroundings

_PASSING: Final = ("met", "not_applicable")
"""The answers that somebody may ask for."""

_FLAG: Final = "addresses_judge"

_SHOWN: Final = 5
"""Places that a result names."""


async def judged_without_speech(
    looking: Looking, checks: Sequence[Check], steps: Sequence[int]
) -> list[CheckResult]:
    """What the judge says of checks over some steps, and what of it holds where the run speaks to its judge."""
    results = await looking.judged(checks, steps)
    passing = {result.check_id for result in results if result.state in _PASSING}
    speech = looking.material.places.speech if passing else ()
    is_task = bool(passing) and addresses_judge(cleaned(looking.around.task)[0])
    if not speech and not is_task:
        return results
    quiet = replace(
        looking,
        material=looking.material.without_speech,
        around=Surroundings(task="" if is_task else looking.around.task, overview=""),
    )
    asked = [check for check in checks if check.check_id in passing]
    is_anything_left = any(quiet.material.places.of(step) for step in steps)
    again = (
        {result.check_id: result for result in await quiet.judged(asked, steps)} if is_anything_left else {}
    )
    return [
        _holding(result, again.get(result.check_id), speech) if result.check_id in passing else result
        for result in results
    ]


def _holding(first: CheckResult, second: CheckResult | None, speech: Sequence[Citation]) -> CheckResult:
    """The second answer where it is the first one again; an error where it could not be had; else undecided."""
    latest = second or first
    flags = dict.fromkeys([*first.votes.flags, *latest.votes.flags, _FLAG])
    votes = latest.votes.model_copy(update={"flags": tuple(flags)})
    if second is not None and second.state in (first.state, "error"):
        return second.model_copy(update={"votes": votes})
    where = f" (step {speech[0].step}, {speech[0].field})" if speech else " (its task)"
    without = "nothing is left to look at" if second is None else f"it is {_told(second)}"
    return latest.model_copy(
        update={
            "state": "unsure",
            "unsure_code": "injection",
            "reasoning": f"The run speaks to its judge{where}. The answer is {_told(first)}; without those words "
            f"{without}.",
            "evidence": Evidence(citations=tuple(speech[:_SHOWN])),
            "votes": votes,
        }
    )


def _told(result: CheckResult) -> str:
    return repr(result.state.replace("_", " "))
