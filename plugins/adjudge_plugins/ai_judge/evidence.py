"""Evidence: the citable places of a run, and the verification of citations.

A place is a step and a field. The agent's statements about itself are claims. Only its actions and what came
back can show that an outcome was reached: otherwise an agent could pass by claiming success.
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
"""The agent's own texts: they can show its process, but not that an outcome was reached."""

SHOWN: Final = ("action", "result", "observation", "error", "final_state")
"""The agent's actions and their results."""

SAID: Final = ("final_response", "text", "action")
"""The agent's messages to the user. Of its actions, only calls that are answers."""

CITABLE: Final[Mapping[CheckKind, Sequence[str]]] = {
    "process": (*SHOWN, *CLAIMS, "user"),
    "outcome": (*SHOWN, *CLAIMS),
    "answer": (*SHOWN, *CLAIMS),
}
"""The fields that may be cited for a check, by its subject. They include claims, which may show that it is not met."""

SUPPORTING: Final[Mapping[CheckKind, Sequence[str]]] = {
    "process": (*SHOWN, *CLAIMS, "user"),
    "outcome": SHOWN,
    "answer": SAID,
}
"""The fields that can show that a check is met, by its subject. Absences are searched for in the same fields."""

_SAID_TO_USER: Final = ("text", "final_response")
_OF_THE_AGENT: Final = (*CLAIMS, "action")

_NOWHERE: Final[Mapping[CheckKind, str]] = {
    "process": "nothing that was done, said or shown",
    "outcome": "no action and nothing that came back",
    "answer": "no answer of the agent",
}

_NARROWEST: Final = 3
"""The minimum display width of a quote or an absent word; wide characters count two. Shorter texts occur everywhere."""

_AUTHOR: Final = 60
"""The length limit of an author's name in characters."""


class Places:
    """Every place of a trajectory, with its text.

    The log has no separate step for a final answer or the final session state: they are assigned to the last
    step of their turn, or to step 0 if there is none. A user's message (``user``) is assigned to the first
    step of its turn; it is a wish and shows no outcome. The first message is the task, and is left out. A
    call that only answers, such as ``done(text=...)``, contains the agent's own words: it shows an outcome
    only in a run that records no results.
    """

    def __init__(self, trajectory: Trajectory) -> None:
        """Collect the places."""
        self._task, self._invocations = trajectory.task, trajectory.invocations
        self._texts: dict[int, dict[str, str]] = {}
        self._deeds: dict[int, tuple[str, str]] = {}
        """For each step with a call that only answers: its other actions, and its answers."""
        authors = {step.author for step in trajectory.steps if step.author}
        self._authors = {
            step.number: in_line(step.author, _AUTHOR)
            for step in trajectory.steps
            if step.author and len(authors) > 1
        }
        """The author of a step, if the run has several."""
        self.is_conversation = (
            sum(bool(said_by_user(turn.user_content.text)) for turn in trajectory.invocations) > 1
        )
        """Whether the user sends several messages: then the task may have been only to tell the user something."""
        last = 0
        for turn, invocation in enumerate(trajectory.invocations):
            asked = said_by_user(invocation.user_content.text)
            if not turn and (trajectory.task is None or asked in trajectory.task):
                asked = ""  # this is the task, which is shown separately
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
        """Whether the run records any results; if not, verdicts on outcomes are flagged ``self_reported``."""
        self._folded: dict[tuple[int, str], str] = {}
        self._missing: dict[tuple[str, CheckKind, tuple[int, ...]], bool] = {}

    @property
    def steps(self) -> tuple[int, ...]:
        """The numbers of the steps, in order."""
        return tuple(self._texts)

    def of(self, step: int) -> Mapping[str, str]:
        """The texts of a step by field; empty if there is no such step."""
        return self._texts.get(step, {})

    def fields_of(self, steps: Iterable[int], about: CheckKind) -> tuple[str, ...]:
        """The fields of these steps that may be cited for a check of this subject."""
        has = {name for step in steps for name in self.of(step)}
        return tuple(name for name in CITABLE[about] if name in has)

    def problem(self, citation: Citation, about: CheckKind, *, shows_met: bool = True) -> str | None:
        """The problem of a citation for a check; ``None`` if it is valid.

        White space is normalised and invisible characters are removed; letter case matters.

        Args:
            citation: The judge's citation.
            about: The subject of the check.
            shows_met: Whether it should show that the check is met; otherwise claims are valid too.
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
        """Whether any citation is of something other than a message to the user."""
        return any(citation.field not in _SAID_TO_USER for citation in citations)

    def absence(self, words: str, steps: Sequence[int], about: CheckKind) -> Absence | None:
        """The absence of ``words`` in the supporting fields of ``steps``; ``None`` if they occur.

        Letter case is ignored, unlike in citations.
        """
        wanted = _folded(words).casefold()
        # Cached: votes often name the same words, and every part of a long run may search all of it.
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
        """A citation for each place in which the run addresses its judge."""
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
        """A copy without some fields. ``shows_outcomes`` stays the same."""
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
        """The steps as passages for a judge: every field under a heading with the step, the field and the author."""
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
        # A run without results can only be judged by the agent's own account.
        return about == "outcome" and (
            not self.shows_outcomes or (self.is_conversation and field in _SAID_TO_USER)
        )

    def _add(self, step: int, name: str, text: str) -> None:
        fields = self._texts.setdefault(step, {})
        fields[name] = f"{fields[name]}\n{text}" if name in fields else text

    def _text_about(self, step: int, name: str, about: CheckKind) -> str:
        """The part of a field that can show an outcome, or an answer."""
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
    """Whether words are long enough that their presence or absence is meaningful."""
    return sum(2 if east_asian_width(char) in "WF" else 1 for char in _folded(words)) >= _NARROWEST


def _fields(step: Step) -> dict[str, str]:
    fields: dict[str, str] = {}
    for name, text in filter(None, map(place_of, step.items)):
        if text:
            fields[name] = f"{fields[name]}\n{text}" if name in fields else text
    return fields


def _deeds_and_answers(step: Step) -> tuple[str, str]:
    """The text of a step's actions, and separately that of the calls that only answer."""
    texts: tuple[list[str], list[str]] = ([], [])
    for item in step.items:
        name, text = place_of(item) or ("", "")
        if name == "action":
            texts[isinstance(item, ToolCall) and is_answer(item.name)].append(text)
    return "\n".join(texts[0]), "\n".join(texts[1])


def _folded(text: str) -> str:
    return " ".join(defused(cleaned(text)[0]).split())
