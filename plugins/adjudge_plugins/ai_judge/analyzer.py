"""``GranularityAnalyzerService``: chooses the granularity for a criterion (seed 003, section 2)."""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from adjudge.kit.digests import clipped_to_tokens
from adjudge.kit.judged_criteria import read_prompt
from adjudge.model import Choice, GranularityChoice, JudgedItem, Question, WordedCriterion
from adjudge.plugin import Host, Judge
from adjudge_plugins.ai_judge.keywords import KeywordMatcher, words_of
from adjudge_plugins.ai_judge.question import MOST_ITEMS

_CHECKS: Final = 1_000
"""The token limit for the checks of a criterion in the question for its granularity."""


@dataclass(frozen=True, slots=True)
class _Tie:
    """The strategies that the rules rank equally."""

    leading: tuple[str, ...]
    """Their names, the widest view first."""
    why: str

    def widest(self, because: str = "") -> GranularityChoice:
        reason = f"{self.why}{because}; the widest view comes first"
        return GranularityChoice(name=self.leading[0], reason=reason, chosen_by="rules")


class GranularityAnalyzerService:
    """Chooses a granularity for a criterion among all installed strategies, by their specs.

    A granularity set by the user or the author wins. Otherwise each keyword of a strategy that occurs in the
    criterion's description or checks scores one point per word of the keyword, and twice that in the
    criterion's name. Keywords of several words ("each page") are more specific than single ones ("click").
    The strategy with the most points wins. A tie, also at zero points, is decided by a judge if there is one
    and the choice has an effect. Otherwise the widest view wins, by the ``fineness`` of the specs: after a
    FAIL or UNSURE a finer view follows anyway. Strategies without a fineness come last, in the order of their
    names.

    The judge is asked once, about all criteria that are known when the first answer is needed.
    """

    def __init__(self, host: Host, judge: Judge | None = None) -> None:
        """Choose among the strategies of ``host``; ``judge`` decides ties."""
        self._host = host
        self._judge = judge
        found = host.granularity_strategies()
        times = Counter(registered.spec.name for registered in found)
        # A short name that two plugins use is ambiguous: their full ids are used instead.
        self._by_name = {
            registered.spec.name if times[registered.spec.name] == 1 else registered.id: registered
            for registered in found
        }
        self._keywords = KeywordMatcher({name: one.spec.keywords for name, one in self._by_name.items()})
        self._ruled: dict[WordedCriterion, GranularityChoice | _Tie] = {}
        self._judged: dict[WordedCriterion, GranularityChoice] = {}
        self._asking = asyncio.Lock()

    def ruled(
        self, criterion: WordedCriterion, *, option: str | None = None, fits: bool = False
    ) -> GranularityChoice:
        """Choose a granularity by rules alone, with the reason, and add the criterion to the question of ``choose``.

        Args:
            criterion: The criterion; its own ``granularity`` wins over the rules.
            option: The user's choice for all criteria of a run, which wins over everything; ``None``: no
            choice.
            fits: Whether the run is shown whole at every granularity, so that no judge is asked.

        Raises:
            UnknownNameError: no strategy has the name, or two have it; or none is installed.
            PluginError: the strategy belongs to a plugin that is not active.
        """
        if option is not None:
            return self._named(
                option, GranularityChoice(name=option, reason="named for the run", chosen_by="option")
            )
        if criterion.granularity is not None:
            return self._named(
                criterion.granularity,
                GranularityChoice(
                    name=criterion.granularity, reason="named by the criterion", chosen_by="criterion"
                ),
            )
        if criterion not in self._ruled:
            self._ruled[criterion] = self._by_keywords(criterion)
        found = self._ruled[criterion]
        if not isinstance(found, _Tie):
            return found
        shown = "; the run fits into one request, which shows the same steps at every granularity"
        return found.widest(shown if fits else "")

    def leaves_open(self, criterion: WordedCriterion) -> bool:
        """Whether the rules left the granularity of the criterion to a judge."""
        return self._judge is not None and isinstance(self._ruled.get(criterion), _Tie)

    async def choose(self, criterion: WordedCriterion, *, option: str | None = None) -> GranularityChoice:
        """Choose a granularity for a criterion, with the reason; a judge decides if the rules do not.

        Arguments and exceptions are those of ``ruled``.
        """
        ruled = self.ruled(criterion, option=option)
        if option is not None or self._judge is None or not isinstance(self._ruled.get(criterion), _Tie):
            return ruled
        async with self._asking:
            if criterion not in self._judged:
                await self._ask(self._judge)
        return self._judged[criterion]

    def _named(self, name: str, choice: GranularityChoice) -> GranularityChoice:
        self._host.granularity_strategy(name)
        return choice

    def _by_keywords(self, criterion: WordedCriterion) -> GranularityChoice | _Tie:
        """The choice by keywords; a tie if they suggest no strategy or several."""
        if not self._by_name:
            self._host.granularity_strategy("auto")  # raises an error that says that no strategy is installed
        in_name = self._keywords.found(criterion.name)
        in_text = self._keywords.found("\n".join((criterion.description, *criterion.checks)))
        points = {
            name: sum(map(words_of, (*in_name.get(name, ()), *in_name.get(name, ()), *in_text.get(name, ()))))
            for name in self._by_name
        }
        most = max(points.values())
        leading = sorted((name for name in points if points[name] == most), key=self._width)
        if len(leading) == 1:
            words = dict.fromkeys((*in_name.get(leading[0], ()), *in_text.get(leading[0], ())))
            reason = (
                f"the criterion mentions {', '.join(map(repr, words))}" if words else "it is the only one"
            )
            return GranularityChoice(name=leading[0], reason=reason, chosen_by="rules")
        return _Tie(
            tuple(leading),
            f"{' and '.join(leading)} fit equally well"
            if most
            else "the criterion contains no strategy's keyword",
        )

    async def _ask(self, judge: Judge) -> None:
        """Ask the judge about every undecided criterion, in a fixed order."""
        ties = {
            criterion: found
            for criterion, found in self._ruled.items()
            if isinstance(found, _Tie) and criterion not in self._judged
        }
        ordered = sorted(ties, key=lambda each: (each.name, each.description, each.checks))
        for first in range(0, len(ordered), MOST_ITEMS):
            asked = ordered[first : first + MOST_ITEMS]
            question = self._question(asked, {name for each in asked for name in ties[each].leading})
            for criterion, decision in zip(asked, await judge.decide(question), strict=True):
                tie = ties[criterion]
                if decision.state != "decided" or decision.label is None:
                    self._judged[criterion] = tie.widest(", and the judge did not decide")
                else:
                    reason = decision.reasoning or f"{tie.why}; the judge chose"
                    self._judged[criterion] = GranularityChoice(
                        name=decision.label, reason=reason, chosen_by="judge"
                    )

    def _question(self, criteria: Sequence[WordedCriterion], leading: Collection[str]) -> Question:
        """Build the question for the granularity of each criterion; the options are all tied strategies."""
        return Question(
            prompt=read_prompt(__package__, "choose_granularity"),
            exhibits=(),
            items=tuple(
                JudgedItem(item_id=f"criterion {number}", text=_in_words(criterion))
                for number, criterion in enumerate(criteria, 1)
            ),
            choices=tuple(
                Choice(label=name, meaning=self._by_name[name].spec.when_to_use, value=float(at))
                for at, name in enumerate(sorted(leading, key=self._width))
            ),
        )

    def finer_than(self, name: str) -> list[str]:
        """The strategies with a higher fineness than this one, in ascending order, equal ones by name.

        Empty if the strategy has no fineness.
        """
        found = self._by_name.get(name)
        if found is None or found.spec.fineness is None:
            return []
        return sorted(
            (
                other
                for other, one in self._by_name.items()
                if one.spec.fineness is not None and one.spec.fineness > found.spec.fineness
            ),
            key=self._width,
        )

    def _width(self, name: str) -> tuple[float, str]:
        fineness = self._by_name[name].spec.fineness
        return (math.inf if fineness is None else fineness, name)


def _in_words(criterion: WordedCriterion) -> str:
    checks = "".join(f"\n- {check}" for check in criterion.checks)
    return f"{criterion.name}: {criterion.description}{clipped_to_tokens(checks, _CHECKS)}"
