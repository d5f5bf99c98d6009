"""Rubrics: collects those that apply to a turn or a case, and lets a judge decide them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Final, NamedTuple, Self

from pydantic import AfterValidator, model_validator

from adjudge.kit.judged_criteria.config import JudgedConfig
from adjudge.kit.judged_criteria.outcomes import rubric_outcome
from adjudge.kit.judged_criteria.turns import TurnUnderTest
from adjudge.model.case_under_test import CaseUnderTest
from adjudge.model.invocation import Rubric
from adjudge.model.judging import Choice, Exhibit, JudgedItem, Prompt, Question
from adjudge.model.measurement import Outcome, RubricScore
from adjudge.plugin import ComponentConfig, Judge

CHOICES: Final = (
    Choice(label="yes", meaning="the property holds", value=1.0),
    Choice(label="no", meaning="the property does not hold, or only in part", value=0.0),
    Choice(label="not_applicable", meaning="the property speaks only of a situation that did not arise"),
    Choice(label="unknown", meaning="what is shown is not enough to tell", abstains=True),
)
"""The possible answers to "does this property hold?"."""


# --- in a configuration -----------------------------------------------------------------


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("the text is blank")
    return text


_Words = Annotated[str, AfterValidator(_not_blank)]


class RubricContent(ComponentConfig):
    """The text of a rubric (ADK ``RubricContent``)."""

    text_property: _Words
    """The property to decide."""


class RubricOption(ComponentConfig):
    """A rubric in a configuration (ADK ``Rubric``)."""

    rubric_id: _Words
    rubric_content: RubricContent
    description: str | None = None
    """A description for people; a judge does not see it."""
    type: str | None = None
    """Ignored: a rubric in the options of a criterion always belongs to this criterion, as in ADK."""


class RubricsConfig(JudgedConfig):
    """Options of a criterion that decides rubrics (ADK ``RubricsBasedCriterion``)."""

    rubrics: tuple[RubricOption, ...] = ()
    """The rubrics of all cases; cases and turns may have further rubrics."""

    @model_validator(mode="after")
    def _ids_differ(self) -> Self:
        ids = [rubric.rubric_id for rubric in self.rubrics]
        if twice := sorted({name for name in ids if ids.count(name) > 1}):
            raise ValueError(f"rubric ids must differ; given more than once: {', '.join(map(repr, twice))}")
        return self


# --- applicable rubrics -----------------------------------------------------------------


class RubricJudge:
    """Decides the rubrics of one criterion.

    Rubrics of the configuration always apply. Rubrics of a case or a turn apply if they have the criterion's type or no
    type (google-adk ignores those without a type).
    """

    def __init__(self, judge: Judge, prompt: Prompt, config: RubricsConfig, *, kind: str) -> None:
        """Create the judge of one criterion's rubrics.

        Args:
            judge: The judge.
            prompt: The criterion's prompt.
            config: The configuration with the rubrics of all cases.
            kind: The rubric type of the criterion, for instance ``TOOL_USE_QUALITY``.
        """
        self._judge = judge
        self._prompt = prompt
        self._kind = kind
        self._configured = tuple(
            _Placed(option.rubric_id, option.rubric_content.text_property, "the configuration")
            for option in config.rubrics
        )

    async def judge_turn(
        self, turn: TurnUnderTest, exhibits: tuple[Exhibit, ...], *, unmet: str | None = None
    ) -> Outcome:
        """Decide the rubrics of one turn: the configuration's, the case's and its own. The score is their mean.

        Args:
            turn: The turn.
            exhibits: The exhibits for the judge.
            unmet: The reason why no rubric can hold, if this is known without a judge.
        """
        own = turn.actual if turn.expected is None else turn.expected
        rubrics = (
            *self._configured,
            *self._fitting("the case", turn.case.case.rubrics),
            *self._fitting("the turn", own.rubrics),
        )
        return await self._decide(rubrics, exhibits, unmet)

    async def judge_case(self, case: CaseUnderTest, exhibits: tuple[Exhibit, ...]) -> Outcome:
        """Decide the rubrics of a conversation: the configuration's, the case's and those of its turns.

        The score is their mean. Identical rubrics of several turns count once.
        """
        owners = (actual if expected is None else expected for actual, expected in case.pairs)
        of_turns = [rubric for owner in owners for rubric in self._fitting("a turn", owner.rubrics)]
        rubrics = (
            *self._configured,
            *self._fitting("the case", case.case.rubrics),
            *dict.fromkeys(of_turns),
        )
        return await self._decide(rubrics, exhibits, None)

    async def _decide(
        self, rubrics: Sequence[_Placed], exhibits: tuple[Exhibit, ...], unmet: str | None
    ) -> Outcome:
        if problem := _problem(rubrics):
            return Outcome.failed("bad_rubrics", problem)
        if not rubrics:
            return Outcome.not_applicable("there is no rubric for it")
        if unmet is not None:
            scores = [RubricScore(rubric_id=rubric.name, score=0.0, rationale=unmet) for rubric in rubrics]
            return Outcome.scored(0.0, unmet).model_copy(update={"rubric_scores": tuple(scores)})
        items = tuple(JudgedItem(item_id=rubric.name, text=rubric.text) for rubric in rubrics)
        question = Question(prompt=self._prompt, exhibits=exhibits, items=items, choices=CHOICES)
        return rubric_outcome(await self._judge.decide(question))

    def _fitting(self, place: str, rubrics: Iterable[Rubric] | None) -> Iterator[_Placed]:
        for rubric in rubrics or ():
            if not rubric.type or rubric.type.casefold() == self._kind.casefold():
                yield _Placed(rubric.rubric_id, rubric.text or "", place)


class _Placed(NamedTuple):
    name: str
    text: str
    place: str


def _problem(rubrics: Iterable[_Placed]) -> str | None:
    """A message if a judge cannot decide these rubrics; else ``None``."""
    places: dict[str, str] = {}
    for name, text, place in rubrics:
        if name in places:
            return (
                f"the rubric id {name!r} is given twice, in {places[name]} and in {place}: "
                "give every rubric an id of its own"
            )
        if not text.strip():
            return f"the rubric {name!r} of {place} has no text in rubric_content.text_property"
        places[name] = place
    return None
