"""``trajectory_single_tool_use``: whether every turn used the tool (seed 001)."""

from __future__ import annotations

from pydantic import Field

from adjudge.kit.matching import counted
from adjudge.model import Invocation
from adjudge.plugin import (
    CaseUnderTest,
    ComponentConfig,
    Criterion,
    CriterionSpec,
    Host,
    Measurement,
    Outcome,
    hookimpl,
)


class TrajectorySingleToolUseConfig(ComponentConfig):
    """Which tool is looked for."""

    tool_name: str = Field(min_length=1)
    """The exact name of the tool that must be called."""


class TrajectorySingleToolUse:
    """1.0 for a turn in which the agent called the tool at least once, else 0.0. It needs no expected calls."""

    def __init__(self, config: TrajectorySingleToolUseConfig) -> None:
        self._tool = config.tool_name

    async def score(self, case: CaseUnderTest) -> Measurement:
        """Return one outcome per turn, with the number of calls of the tool."""
        return Measurement(per_invocation=tuple(map(self._turn, case.actual.invocations)))

    def _turn(self, turn: Invocation) -> Outcome:
        names = [call.name for call in turn.tool_calls]
        times = names.count(self._tool)
        if times:
            reason = f"{self._tool} was called {counted(times, 'time')}."
        else:
            others = ", ".join(dict.fromkeys(names)) or "no tool at all"
            reason = f"{self._tool} was not called; the turn called {others}."
        return Outcome.scored(float(bool(times)), reason, details={"tool_name": self._tool, "times": times})


def _make(config: TrajectorySingleToolUseConfig, host: Host) -> Criterion:  # noqa: ARG001
    return TrajectorySingleToolUse(config)


@hookimpl.criteria
def criteria() -> list[CriterionSpec]:
    """The criterion of this plugin."""
    return [
        CriterionSpec(
            name="trajectory_single_tool_use",
            summary="Share of turns in which the agent called one named tool",
            factory=_make,
            config=TrajectorySingleToolUseConfig,
            example_options={"tool_name": "search"},
            simulated_conversations=True,
        )
    ]
