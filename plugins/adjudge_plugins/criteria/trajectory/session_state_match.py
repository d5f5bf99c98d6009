"""``session_state_match``: whether the session ended in the expected state."""

from __future__ import annotations

from typing import Final, Literal

from adjudge.kit.matching import ArgumentRules, Tolerance
from adjudge.kit.matching.arguments import RuleMatcher
from adjudge.plugin import (
    CaseUnderTest,
    ComponentConfig,
    Criterion,
    CriterionSpec,
    Host,
    Measurement,
    Need,
    Outcome,
    hookimpl,
)


class SessionStateMatchConfig(ComponentConfig):
    """Options of ``session_state_match``.

    ``ignore`` and ``tolerance`` name keys by dotted paths: ``user.id``, ``items.0.price``. A segment may be
    a glob (``*_at``); ``**`` stands for any number of segments.
    """

    mode: Literal["subset", "exact"] = "subset"
    """``subset``: the state may contain further keys, at every depth. ``exact``: it must not."""
    ignore: tuple[str, ...] = ()
    """Paths of keys that are not compared, with everything below them."""
    tolerance: dict[str, Tolerance] = {}
    """The permitted deviation of numbers, by path."""


_ANY_KEY: Final = "a key that nobody expects"


class SessionStateMatch:
    """1.0 if the session ended in the expected state (``EvalCase.final_session_state``), else 0.0.

    It measures the case as a whole. A case whose expected state is absent, empty or completely ignored is
    not applicable; if the agent does not expose its state, the result is an error.
    """

    def __init__(self, config: SessionStateMatchConfig) -> None:
        self._matcher = RuleMatcher(
            ArgumentRules(mode=config.mode, ignore=config.ignore, tolerance=config.tolerance)
        )

    async def score(self, case: CaseUnderTest) -> Measurement:
        """Return one score for the case."""
        return Measurement(overall=self._compare(case))

    def _compare(self, case: CaseUnderTest) -> Outcome:
        expected, actual = case.case.final_session_state, case.actual.final_session_state
        if not expected:
            return Outcome.not_applicable("the case has no expected final session state")
        if actual is None:
            return Outcome.failed("state_not_shown", "the agent does not show the state of its session")
        # Everything is ignored if neither an empty state nor an additional key would be a difference.
        if not self._matcher.differences(expected, {}) and not self._matcher.differences({}, {_ANY_KEY: 1}):
            return Outcome.not_applicable(
                "everything that the case expects of the final session state is ignored"
            )
        differences = self._matcher.differences(expected, actual)
        if not differences:
            return Outcome.scored(1.0, "the final session state is the expected one")
        places = ", ".join(difference.path for difference in differences[:5])
        more = f" and {len(differences) - 5} more" if len(differences) > 5 else ""
        return Outcome.scored(
            0.0,
            f"the final session state differs at {places}{more}",
            details={"differences": [difference.as_json() for difference in differences]},
        )


def _make(config: SessionStateMatchConfig, host: Host) -> Criterion:  # noqa: ARG001
    return SessionStateMatch(config)


@hookimpl.criteria
def criteria() -> list[CriterionSpec]:
    """The one criterion of this plugin."""
    return [
        CriterionSpec(
            name="session_state_match",
            summary="The final session state is the expected one: 1.0 or 0.0, with a diff",
            factory=_make,
            config=SessionStateMatchConfig,
            needs=frozenset({Need.FINAL_SESSION_STATE}),
            simulated_conversations=True,
            default_threshold=1.0,
        )
    ]
