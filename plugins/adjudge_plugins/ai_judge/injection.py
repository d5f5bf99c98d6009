"""Prompt injection: detects runs whose text addresses the judge; a PASS must also hold without that text.

Text of a run may ask the judge for a verdict. Its author gains if a statement is met or does not apply, but
not if it is not met. So if a run addresses its judge anywhere, every answer that lets a statement pass is
checked by a second question. It leaves out every field with such text, the task, the instructions and the
tools if they contain such text, and the overviews, which are made from all of these. If the second answer
differs, the statement is undecided (``injection``). No finer granularity is tried, as it would show the same
text. An answer "not met" is kept without a second question.

False claims that do not address the judge are not detected here. The rules of evidence cover them: a claim
cannot show an outcome, and quotes must occur in the log.
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
"""The answers that an injection may be aiming at."""

_FLAG: Final = "addresses_judge"

_SHOWN: Final = 5
"""The number of places that a result names."""


async def judged_without_speech(
    looking: Looking, asked: Sequence[AskedCheck], steps: Sequence[int]
) -> list[CheckResult]:
    """Judge checks on some steps; if the run addresses the judge, a passing answer must hold without that text."""
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
    """Return the second answer if it equals the first, an error if the second question failed, else undecided."""
    latest = second or first
    flags = dict.fromkeys([*first.votes.flags, *latest.votes.flags, _FLAG])
    votes = latest.votes.model_copy(update={"flags": tuple(flags)})
    if second is not None and second.state in (first.state, "error"):
        return second.model_copy(update={"votes": votes})
    where = f" (step {speech[0].step}, {speech[0].field})" if speech else " (in its task or its instructions)"
    without = "nothing is left to judge" if second is None else f"it is {_told(second)}"
    return latest.model_copy(
        update={
            "state": "unsure",
            "unsure_code": "injection",
            "reasoning": f"A text in the run addresses the judge{where}. The answer is {_told(first)}; without that text "
            f"{without}.",
            "evidence": Evidence(citations=tuple(speech[:_SHOWN])),
            "votes": votes,
        }
    )


def _told(result: CheckResult) -> str:
    return repr(result.state.replace("_", " "))
