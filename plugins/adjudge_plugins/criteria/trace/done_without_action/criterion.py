"""Finds answers that claim an action in runs without any action."""

from __future__ import annotations

from collections.abc import Iterator

from adjudge.kit import trace
from adjudge.model import Citation, Evidence, Item, Opaque, Text, ToolCall, ToolResult
from adjudge.plugin import (
    CaseUnderTest,
    Measurement,
    Outcome,
    Trajectory,
)
from adjudge_plugins.criteria.trace.done_without_action.claims import claimed_deed


class DoneWithoutAction:
    """1.0 if the agent claims to have done something and the run has no action at all; else 0.0.

    Not applicable if the run has no answer.
    """

    async def score(self, case: CaseUnderTest) -> Measurement:
        """Return one outcome for the case, with the words of the claim."""
        return Measurement(overall=_outcome(case.actual))


def _outcome(run: Trajectory) -> Outcome:
    answers = list(_answers(run))
    if not answers:
        return Outcome.not_applicable("the run has no answer")
    done = next(((step.number, item) for step in run.steps for item in step.items if _is_deed(item)), None)
    if done is not None:
        number, item = done
        return Outcome.scored(
            0.0, f"the agent did something: step {number}", evidence=trace.citing([trace.cited(number, item)])
        )
    claims = [claim for answer in answers if (claim := answer.claim) is not None]
    if not claims:
        return Outcome.scored(
            0.0,
            "nothing was done, and no answer says otherwise",
            evidence=trace.scanned(run, "no answer says that something was done"),
        )
    steps = [claim.step for claim in claims]
    nothing = trace.scanned(run, "no action but answers")
    return Outcome.scored(
        1.0,
        f"the answer says {claims[0].quote!r}, and nothing was done in the whole run: {trace.listed(steps)}",
        details={"steps": steps},
        evidence=Evidence(citations=trace.citing(claims).citations, absences=nothing.absences),
    )


class _Answer:
    """A text to the user, or a call that ends the run."""

    def __init__(self, step: int, field: str, text: str, *, call: ToolCall | None = None) -> None:
        self._step, self._field, self._text, self._call = step, field, text, call

    @property
    def claim(self) -> Citation | None:
        """The place where the answer claims a deed; ``None`` if it claims none."""
        if self._call is not None and (self._call.args or {}).get("success") is True:
            return trace.cited(self._step, self._call)
        words = claimed_deed(self._text)
        return None if words is None else Citation(step=self._step, field=self._field, quote=words)


def _answers(run: Trajectory) -> Iterator[_Answer]:
    """The answers of all turns. A final response belongs to the last step before it; to step 0 if there is none."""
    last = 0
    for turn in run.invocations:
        for step in turn.steps:
            last = step.number
            for call in step.calls:
                if trace.is_answer(call.name):
                    _, text = trace.place_of(call) or ("action", "")
                    yield _Answer(last, "action", text, call=call)
        if turn.final_response is not None and turn.final_response.text.strip():
            yield _Answer(last, "final_response", turn.final_response.text)


def _is_deed(item: Item) -> bool:
    """Whether an item is an action, or implies one. An item of unknown type may be one."""
    if isinstance(item, ToolCall):
        return not trace.is_answer(item.name)
    if isinstance(item, ToolResult):
        return item.name is None or not trace.is_answer(item.name)
    return isinstance(item, Opaque) or (isinstance(item, Text) and trace.is_in_words(item))
