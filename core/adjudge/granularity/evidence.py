"""Evidence: the places of a run that can be cited, and whether a citation stands in one of them.

A place is a step and a field. What the agent says of itself is a claim; only what it did and what came
back can show an outcome (judging the agent's words by the agent's words is how judges are fooled).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from adjudge.judging.untrusted import cleaned
from adjudge.model.measurement import Absence, Citation
from adjudge.model.step import Step
from adjudge.model.trajectory import Trajectory
from adjudge.moves import json_text, place_of

CLAIMS: Final = ("thinking", "memory", "evaluation_previous_goal", "next_goal", "text", "final_response")
"""What the agent says: evidence of how it went about things, never of what it reached."""

SHOWN: Final = ("action", "result", "observation", "error", "final_state")
"""What it did, and what came back."""

CITABLE: Final = {"process": (*SHOWN, *CLAIMS), "outcome": SHOWN}
"""The fields that may be cited for a check about this."""

_SHORTEST: Final = 3
"""Characters of a quote or a scan. Whatever is shorter stands everywhere."""


class Places:
    """Every place of a trajectory with its text.

    The final answer and the final state of the session have no step of their own in a log: they belong
    to the last step of their turn, and to step 0 where the turn has none.
    """

    def __init__(self, trajectory: Trajectory) -> None:
        """Read the places."""
        self._texts: dict[int, dict[str, str]] = {}
        last = 0
        for invocation in trajectory.invocations:
            for step in invocation.steps:
                last = step.number
                self._texts[last] = _fields(step)
            if invocation.final_response is not None and invocation.final_response.text:
                self._add(last, "final_response", invocation.final_response.text)
        if trajectory.final_session_state:
            self._add(last, "final_state", json_text(trajectory.final_session_state))
        self._folded: dict[tuple[int, str], str] = {}

    @property
    def steps(self) -> tuple[int, ...]:
        """The numbers of the steps, in order."""
        return tuple(self._texts)

    @property
    def shows_outcomes(self) -> bool:
        """Whether anything came back at all; otherwise a run can only be believed (``self_reported``)."""
        shown = ("result", "observation", "error", "final_state")
        return any(name in fields for fields in self._texts.values() for name in shown)

    def of(self, step: int) -> Mapping[str, str]:
        """The fields of a step with their texts; empty where there is no such step."""
        return self._texts.get(step, {})

    def problem(self, citation: Citation, about: str) -> str | None:
        """What is wrong with a citation for a check about ``process`` or ``outcome``; ``None`` where it holds.

        Whitespace is folded, invisible characters are taken out, and case counts.
        """
        if citation.step not in self._texts:
            known = self.steps
            return (
                f"there is no step {citation.step}; the steps are {known[0]} to {known[-1]}"
                if known
                else ("the run has no step")
            )
        if citation.field not in CITABLE[about]:
            return f"{citation.field!r} is the agent's own claim, and shows no outcome"
        if citation.field not in self._texts[citation.step]:
            has = ", ".join(self._texts[citation.step]) or "nothing"
            return f"step {citation.step} has no {citation.field!r}; it has {has}"
        quote = _folded(citation.quote)
        if len(quote) < _SHORTEST:
            return "the quote is too short to be found"
        if quote not in self._text(citation.step, citation.field):
            return f"these words do not stand in the {citation.field!r} of step {citation.step}"
        return None

    def absence(self, words: str, steps: Sequence[int]) -> Absence | None:
        """That ``words`` stand in no action and in nothing that came back in ``steps``; ``None`` where they do.

        Case is ignored: this is to find, not to quote.
        """
        wanted = _folded(words).casefold()
        if len(wanted) < _SHORTEST or not steps:
            return None
        for step in steps:
            for name in SHOWN:
                if wanted in self._text(step, name).casefold():
                    return None
        scan = f"no action and nothing that came back contains {_folded(words)!r}"
        return Absence(steps=(steps[0], steps[-1]), scan=scan)

    def exhibit(self, steps: Iterable[int]) -> str:
        """The steps as a judge reads them: a line for every field, with its step and its name."""
        return "\n".join(
            f"step {step} {name}: {line}"
            for step in steps
            for name, text in self.of(step).items()
            for line in text.split("\n")
        )

    def _add(self, step: int, name: str, text: str) -> None:
        fields = self._texts.setdefault(step, {})
        fields[name] = f"{fields[name]}\n{text}" if name in fields else text

    def _text(self, step: int, name: str) -> str:
        place = (step, name)
        if place not in self._folded:
            self._folded[place] = _folded(self.of(step).get(name, ""))
        return self._folded[place]


def _fields(step: Step) -> dict[str, str]:
    fields: dict[str, str] = {}
    for name, text in filter(None, map(place_of, step.items)):
        if text:
            fields[name] = f"{fields[name]}\n{text}" if name in fields else text
    return fields


def _folded(text: str) -> str:
    return " ".join(cleaned(text)[0].split())
