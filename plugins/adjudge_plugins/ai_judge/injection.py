"""Runs that speak to their judge: what lets them pass has to hold without the words by which they do.

Words of a run may ask its judge for a verdict. Whoever writes them gains where a statement is met, or does not
apply; nobody gains where it is not met. So where a run speaks to its judge anywhere, an answer that lets a
statement pass is asked for again: without every field that holds such words, without the task, the instructions and
the tools where they do, and without the overviews, which were made of all of them. Where the second answer is another, the statement is
undecided (``injection``), and a closer look is not taken: it would show the same words. That a statement is not
met stands as it is.

Words that ask for nothing and only lie are not noticed here. Against them stand the evidence: a claim shows no
outcome, and what is quoted has to stand in the log.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from adjudge.kit.untrusted import addresses_judge, cleaned
from adjudge.model import CheckResult, Citation, Evidence
from adjudge_plugins.ai_judge.check_evaluation import Looking
from adjudge_plugins.ai_judge.question import AskedCheck, Surroundings

_PASSING: Final = ("met", "not_applicable")
"""The answers that somebody may ask for."""

_FLAG: Final = "addresses_judge"

_SHOWN: Final = 5
"""Places that a result names."""


async def judged_without_speech(
    looking: Looking, asked: Sequence[AskedCheck], steps: Sequence[int]
) -> list[CheckResult]:
    """What the judge says of checks over some steps, and what of it holds where the run speaks to its judge."""
    results = await looking.judged(asked, steps)
    passing = [each for each, result in zip(asked, results, strict=True) if result.state in _PASSING]
    speech = looking.material.places.speech if passing else ()
    silent = tuple(
        exhibit for exhibit in looking.around.exhibits if not addresses_judge(cleaned(exhibit.text)[0])
    )
    if not passing or (not speech and len(silent) == len(looking.around.exhibits)):
        return results
    quiet = replace(
        looking,
        material=looking.material.without_speech,
        around=Surroundings(exhibits=silent, overviews=()),
    )
    again: dict[str, CheckResult] = {}
    if any(quiet.material.places.of(step) for step in steps):
        judged = await quiet.judged(passing, steps)
        again = {each.item_id: result for each, result in zip(passing, judged, strict=True)}
    return [
        _holding(result, again.get(each.item_id), speech) if each in passing else result
        for each, result in zip(asked, results, strict=True)
    ]


def _holding(first: CheckResult, second: CheckResult | None, speech: Sequence[Citation]) -> CheckResult:
    """The second answer where it is the first one again; an error where it could not be had; else undecided."""
    latest = second or first
    flags = dict.fromkeys([*first.votes.flags, *latest.votes.flags, _FLAG])
    votes = latest.votes.model_copy(update={"flags": tuple(flags)})
    if second is not None and second.state in (first.state, "error"):
        return second.model_copy(update={"votes": votes})
    where = f" (step {speech[0].step}, {speech[0].field})" if speech else " (what it was told)"
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
