"""``GranularityAnalyzerService``: at which granularity a criterion is judged (seed 003, section 2)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Final

from adjudge.kit.digests import clipped_to_tokens
from adjudge.kit.judged_criteria import read_prompt
from adjudge.model import Choice, GranularityChoice, JudgedItem, Question, WordedCriterion
from adjudge.plugin import Host, Judge
from adjudge_plugins.ai_judge.keywords import KeywordMatcher, words_of

_CHECKS: Final = 1_000
"""Tokens of the checks of a criterion that a judge is shown to choose by. More of them say no more."""


class GranularityAnalyzerService:
    """Chooses among all installed strategies by what each says of itself.

    A granularity that somebody named wins. Else every keyword of a strategy that stands in the criterion's
    description or checks counts as many points as it has words, and twice as many in its name: "each page" says
    more than "click". The most points win. A tie, also one of no points at all, is decided by a judge where there is
    one. Else the widest view wins, by the ``fineness`` of the specs: a verdict that fails or cannot be reached leads to
    a finer view anyway. Strategies that say nothing of their fineness come last, by their names.
    """

    def __init__(self, host: Host, judge: Judge | None = None) -> None:
        """Choose among the strategies of ``host``; ``judge`` is asked on ties."""
        self._host = host
        self._judge = judge
        found = host.granularity_strategies()
        times = Counter(registered.spec.name for registered in found)
        # A name that two plugins have means neither: then their ids are the names.
        self._by_name = {
            registered.spec.name if times[registered.spec.name] == 1 else registered.id: registered
            for registered in found
        }
        self._keywords = KeywordMatcher({name: one.spec.keywords for name, one in self._by_name.items()})
        self._chosen: dict[WordedCriterion, GranularityChoice] = {}

    async def choose(self, criterion: WordedCriterion, *, option: str | None = None) -> GranularityChoice:
        """The granularity of a criterion, with the reason.

        Args:
            criterion: In its author's words; its ``granularity`` wins over rules.
            option: What the user named for all criteria of a run: wins over all. ``None``: nothing.

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
        if criterion not in self._chosen:
            self._chosen[criterion] = await self._ruled(criterion)
        return self._chosen[criterion]

    def _named(self, name: str, choice: GranularityChoice) -> GranularityChoice:
        self._host.granularity_strategy(name)
        return choice

    async def _ruled(self, criterion: WordedCriterion) -> GranularityChoice:
        """What the keywords say; a judge, or the documented order, where they say nothing or two things."""
        if not self._by_name:
            self._host.granularity_strategy("auto")  # says that nothing is installed
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
            return GranularityChoice(
                name=leading[0],
                reason=f"the criterion speaks of {', '.join(map(repr, words))}"
                if words
                else "it is the only one",
                chosen_by="rules",
            )
        tie = (
            f"{' and '.join(leading)} fit alike" if most else "no strategy's keyword stands in the criterion"
        )
        return await self._judged(criterion, leading, tie)

    async def _judged(
        self, criterion: WordedCriterion, leading: Sequence[str], tie: str
    ) -> GranularityChoice:
        if self._judge is None:
            reason = f"{tie}; the widest view comes first"
            return GranularityChoice(name=leading[0], reason=reason, chosen_by="rules")
        checks = clipped_to_tokens("".join(f"\n- {check}" for check in criterion.checks), _CHECKS)
        question = Question(
            prompt=read_prompt(__package__, "choose_granularity"),
            exhibits=(),
            items=(
                JudgedItem(item_id="criterion", text=f"{criterion.name}: {criterion.description}{checks}"),
            ),
            choices=tuple(
                Choice(label=name, meaning=self._by_name[name].spec.when_to_use, value=float(at))
                for at, name in enumerate(leading)
            ),
        )
        [decision] = await self._judge.decide(question)
        if decision.state != "decided" or decision.label is None:
            reason = f"{tie}, and the judge did not decide; the widest view comes first"
            return GranularityChoice(name=leading[0], reason=reason, chosen_by="rules")
        return GranularityChoice(
            name=decision.label, reason=decision.reasoning or f"{tie}; the judge chose", chosen_by="judge"
        )

    def finer_than(self, name: str) -> list[str]:
        """The strategies with a higher fineness than this one, the next one first; of equals, by their names.

        None where the strategy says nothing of its fineness.
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
