"""Evidence: the places of a run that can be cited, and whether a citation stands in one of them.

A place is a step and a field. What the agent says of itself is a claim; only what it did and what came
back can show an outcome (judging the agent's words by the agent's words is how judges are fooled).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from copy import copy
from functools import cached_property
from typing import Final
from unicodedata import east_asian_width

from adjudge.kit.digests import in_line, said_by_user
from adjudge.kit.evaluation import CheckKind
from adjudge.kit.trace import is_answer, json_text, place_of
from adjudge.kit.untrusted import cleaned, defused, said_to_judge
from adjudge.model import Absence, Citation, Passage, Step, ToolCall, Trajectory
from adjudge_plugins.ai_judge.vocabulary import Vocabulary

CLAIMS: Final = ("thinking", "memory", "evaluation_previous_goal", "next_goal", "text", "final_response")
"""What the agent says: evidence of how it went about things, never of what it reached."""

SHOWN: Final = ("action", "result", "observation", "error", "final_state")
"""What it did, and what came back."""

SAID: Final = ("final_response", "text", "action")
"""What it says to its user. Of the actions, calls that only answer."""

CITABLE: Final[Mapping[CheckKind, Sequence[str]]] = {
    "process": (*SHOWN, *CLAIMS, "user"),
    "outcome": (*SHOWN, *CLAIMS),
    "answer": (*SHOWN, *CLAIMS),
}
"""The fields that may be cited for a check about this: that it is not met may be seen in what the agent claims too."""

SUPPORTING: Final[Mapping[CheckKind, Sequence[str]]] = {
    "process": (*SHOWN, *CLAIMS, "user"),
    "outcome": SHOWN,
    "answer": SAID,
}
"""The fields that can show that a check about this is met, and in which something is missing."""

_SAID_TO_USER: Final = ("text", "final_response")
_OF_THE_AGENT: Final = (*CLAIMS, "action")

_NOWHERE: Final[Mapping[CheckKind, str]] = {
    "process": "nothing that was done, said or shown",
    "outcome": "no action and nothing that came back",
    "answer": "no answer of the agent",
}

_NARROWEST: Final = 3
"""Columns of a quote or a scan, two for a Chinese, Japanese or Korean character. Whatever is narrower stands everywhere."""

_AUTHOR: Final = 60
"""Characters of the name of who spoke or acted."""


class Places:
    """Every place of a trajectory with its text.

    The final answer and the final state of the session have no step of their own in a log: they belong
    to the last step of their turn, and to step 0 where the turn has none. What the user says (``user``)
    belongs to the first step of its turn; as a wish it shows no outcome, and the first of all is the task. A
    call that only answers, such as ``done(text=...)``, holds the agent's own words: it shows an outcome only in
    a run that shows nothing of what came back, where a declared result is all there is.
    """

    def __init__(self, trajectory: Trajectory) -> None:
        """Read the places."""
        self._task, self._invocations = trajectory.task, trajectory.invocations
        self._texts: dict[int, dict[str, str]] = {}
        self._deeds: dict[int, tuple[str, str]] = {}
        """For steps with a call that only answers: the actions besides, and the answers."""
        authors = {step.author for step in trajectory.steps if step.author}
        self._authors = {
            step.number: in_line(step.author, _AUTHOR)
            for step in trajectory.steps
            if step.author and len(authors) > 1
        }
        """Who spoke or acted in a step, where there are several."""
        self.is_conversation = (
            sum(bool(said_by_user(turn.user_content.text)) for turn in trajectory.invocations) > 1
        )
        """Whether a user answers: what the agent says to it may be all that it was to do."""
        last = 0
        for turn, invocation in enumerate(trajectory.invocations):
            asked = said_by_user(invocation.user_content.text)
            if not turn and (trajectory.task is None or asked in trajectory.task):
                asked = ""  # it is the task, which is shown beside the steps
            if asked and not invocation.steps:
                self._add(last, "user", asked)
            for position, step in enumerate(invocation.steps):
                last = step.number
                self._texts[last] = ({"user": asked} if asked and not position else {}) | _fields(step)
                if any(is_answer(call.name) for call in step.calls):
                    self._deeds[last] = _deeds_and_answers(step)
            if invocation.final_response is not None and invocation.final_response.text:
                self._add(last, "final_response", invocation.final_response.text)
        if trajectory.final_session_state:
            self._add(last, "final_state", json_text(trajectory.final_session_state))
        shown = ("result", "observation", "error", "final_state")
        self.shows_outcomes = any(name in fields for fields in self._texts.values() for name in shown)
        """Whether anything came back at all; otherwise a run can only be believed (``self_reported``)."""
        self._folded: dict[tuple[int, str], str] = {}
        self._missing: dict[tuple[str, CheckKind, tuple[int, ...]], bool] = {}

    @property
    def steps(self) -> tuple[int, ...]:
        """The numbers of the steps, in order."""
        return tuple(self._texts)

    def of(self, step: int) -> Mapping[str, str]:
        """The fields of a step with their texts; empty where there is no such step."""
        return self._texts.get(step, {})

    def fields_of(self, steps: Iterable[int], about: CheckKind) -> tuple[str, ...]:
        """The fields that these steps have and that may be cited for a check about something."""
        has = {name for step in steps for name in self.of(step)}
        return tuple(name for name in CITABLE[about] if name in has)

    def problem(self, citation: Citation, about: CheckKind, *, shows_met: bool = True) -> str | None:
        """What is wrong with a citation for a check about something; ``None`` where it holds.

        Whitespace is folded, invisible characters are taken out, and case counts.

        Args:
            citation: What a judge cites.
            about: What the check is about.
            shows_met: Whether it is to show that the check is met. That it is not may be seen in a claim too.
        """
        if citation.step not in self._texts:
            known = self.steps
            return (
                f"there is no step {citation.step}; the steps are {known[0]} to {known[-1]}"
                if known
                else ("the run has no step")
            )
        if citation.field not in CITABLE[about]:
            return f"{citation.field!r} is what the user says, and shows nothing of the agent"
        if shows_met and not self._can_support(citation.field, about):
            return (
                f"{citation.field!r} is nothing that the agent says to its user"
                if about == "answer"
                else f"{citation.field!r} is the agent's own claim, and shows no outcome"
            )
        if citation.field not in self._texts[citation.step]:
            has = ", ".join(self._texts[citation.step]) or "nothing"
            return f"step {citation.step} has no {citation.field!r}; it has {has}"
        quote = _folded(citation.quote)
        text = self._text(citation.step, citation.field)
        if not is_findable(quote) and quote != text:
            return "the quote is too short to be found"
        if not quote or quote not in text:
            return f"these words do not stand in the {citation.field!r} of step {citation.step}"
        if (
            shows_met
            and about != "process"
            and quote not in self._text_about(citation.step, citation.field, about)
        ):
            return (
                "this call is no answer"
                if about == "answer"
                else "a call that only answers says what the agent claims, and shows no outcome"
            )
        return None

    def shows_more_than_words(self, citations: Sequence[Citation]) -> bool:
        """Whether any of these places is more than what the agent says to its user."""
        return any(citation.field not in _SAID_TO_USER for citation in citations)

    def absence(self, words: str, steps: Sequence[int], about: CheckKind) -> Absence | None:
        """That ``words`` stand nowhere in ``steps`` where they would show something; ``None`` where they do.

        Those are the places that may be cited. Case is ignored: this is to find, not to quote.
        """
        wanted = _folded(words).casefold()
        # Votes name the same words, and every part of a long run may ask about all of it.
        scan = (wanted, about, tuple(steps))
        if scan not in self._missing:
            texts = (self._text_about(step, name, about) for step in steps for name in SUPPORTING[about])
            self._missing[scan] = all(wanted not in text.casefold() for text in texts)
        if not self._missing[scan]:
            return None
        said = f"{_NOWHERE[about]} contains {_folded(words)!r}"
        return Absence(steps=(steps[0], steps[-1]), scan=said)

    @cached_property
    def speech(self) -> tuple[Citation, ...]:
        """Where the run speaks to whoever judges it: a citation for each place."""
        said = (
            (step, name, said_to_judge(cleaned(text)[0]))
            for step, fields in self._texts.items()
            for name, text in fields.items()
        )
        return tuple(Citation(step=step, field=name, quote=words) for step, name, words in said if words)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The words that the run uses."""
        fields = (text for texts in self._texts.values() for text in texts.values())
        return Vocabulary(self._task, self._invocations, fields)

    def without(self, withheld: Collection[tuple[int, str]]) -> Places:
        """The same run without some of its places. Whether it shows outcomes at all stays what it was."""
        rest = copy(self)
        rest._texts = {
            step: {name: text for name, text in fields.items() if (step, name) not in withheld}
            for step, fields in self._texts.items()
        }
        rest._deeds = {step: text for step, text in self._deeds.items() if (step, "action") not in withheld}
        rest._folded = {}
        rest._missing = {}
        for made in ("speech", "vocabulary"):
            rest.__dict__.pop(made, None)
        return rest

    def passages(self, steps: Iterable[int]) -> tuple[Passage, ...]:
        """The steps as a judge reads them: every field under a heading with its step, its name and who spoke or acted."""
        return tuple(
            Passage(heading=self._heading(step, name), text=text)
            for step in steps
            for name, text in self.of(step).items()
        )

    def _heading(self, step: int, name: str) -> str:
        author = self._authors.get(step) if name in _OF_THE_AGENT else None
        return f"step {step} {name}, by “{author}”" if author else f"step {step} {name}"

    def _can_support(self, field: str, about: CheckKind) -> bool:
        """Whether a field can show that a check is met."""
        if field in SUPPORTING[about]:
            return True
        # Where nothing came back the agent's account is the witness that there is.
        return about == "outcome" and (
            not self.shows_outcomes or (self.is_conversation and field in _SAID_TO_USER)
        )

    def _add(self, step: int, name: str, text: str) -> None:
        fields = self._texts.setdefault(step, {})
        fields[name] = f"{fields[name]}\n{text}" if name in fields else text

    def _text_about(self, step: int, name: str, about: CheckKind) -> str:
        """The text of a field as far as it shows what was reached, or what was answered."""
        if name == "action" and about == "answer":
            return _folded(self._deeds[step][1]) if step in self._deeds else ""
        if name == "action" and about == "outcome" and step in self._deeds and self.shows_outcomes:
            return _folded(self._deeds[step][0])
        return self._text(step, name)

    def _text(self, step: int, name: str) -> str:
        place = (step, name)
        if place not in self._folded:
            self._folded[place] = _folded(self.of(step).get(name, ""))
        return self._folded[place]


def is_findable(words: str) -> bool:
    """Whether words are enough to be looked for, so that it says something where they stand or do not."""
    return sum(2 if east_asian_width(char) in "WF" else 1 for char in _folded(words)) >= _NARROWEST


def _fields(step: Step) -> dict[str, str]:
    fields: dict[str, str] = {}
    for name, text in filter(None, map(place_of, step.items)):
        if text:
            fields[name] = f"{fields[name]}\n{text}" if name in fields else text
    return fields


def _deeds_and_answers(step: Step) -> tuple[str, str]:
    """The actions of a step, those that only answer apart."""
    texts: tuple[list[str], list[str]] = ([], [])
    for item in step.items:
        name, text = place_of(item) or ("", "")
        if name == "action":
            texts[isinstance(item, ToolCall) and is_answer(item.name)].append(text)
    return "\n".join(texts[0]), "\n".join(texts[1])


def _folded(text: str) -> str:
    return " ".join(defused(cleaned(text)[0]).split())
