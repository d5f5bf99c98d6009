"""Counts calls whose arguments do not fit the declaration of their tool."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from adjudge.kit import trace
from adjudge.model import JsonObject, ToolCall
from adjudge.plugin import CaseUnderTest, Measurement, Outcome
from adjudge_plugins.criteria.trace.invalid_arguments.schema import Checked, Schema
from adjudge_plugins.criteria.trace.invalid_arguments.work import MOST, Budget, TooMuchWorkError

_MOST: Final = 20
"""Calls of which the details say what is wrong: one mistake is often made all over a run."""


class InvalidArguments:
    """How many calls have arguments that are no JSON object, or that break the schema of the tool.

    Where several agents declare a tool of one name, it is enough that one declaration fits. Tools without a
    schema, and those whose schema is broken, take any object. What undeclared tools are called with is not
    known to be wrong, unless it is no object. Not applicable where nothing is declared, nor where the run has no call, or none
    with arguments: many instrumentations leave them out, and what a log does not record is not wrong in it.
    A schema whose references multiply into millions of checks is an error: the validator could not be stopped.
    """

    async def score(self, case: CaseUnderTest) -> Measurement:
        """One count for the case, with every such call and what is wrong with it."""
        return Measurement(overall=_invalid(case))


def _invalid(case: CaseUnderTest) -> Outcome:
    declared = trace.declared_tools(case.actual.invocations)
    if not declared:
        return Outcome.not_applicable("the run declares no tools")
    calls = [call for step in case.actual.steps for call in step.calls]
    if not calls:
        return Outcome.not_applicable("no tool call was recorded")
    if all(call.args is None and call.raw_args is None for call in calls):
        return Outcome.not_applicable("the run records no arguments")
    tools = {name: [_Tool(tool) for tool in alike] for name, alike in declared.items()}
    wrong: list[tuple[int, ToolCall, JsonObject]] = []
    budget = Budget()
    for step in case.actual.steps:
        for call in step.calls:
            try:
                problem = _problem(call, tools.get(call.name, ()), budget)
            except TooMuchWorkError:
                what = (
                    f"step {step.number} calls {call.name!r}, whose schema takes too many checks (more than {MOST:,} "
                    "for the whole case), or refers to something that cannot be followed"
                )
                return Outcome.failed("schema_too_large", what)
            if problem is not None:
                row: JsonObject = {"step": step.number, "tool": call.name, **problem}
                wrong.append((step.number, call, row))
    unusable = sorted(name for name, alike in tools.items() if any(tool.is_unusable for tool in alike))
    details: JsonObject = {"unusable_schemas": unusable} if unusable else {}
    if not wrong:
        scan = "every call's arguments are an object that its declaration takes"
        return Outcome.scored(0.0, scan, details=details, evidence=trace.scanned(case.actual, scan))
    _, call, row = wrong[0]
    steps = [step for step, _, _ in wrong]
    return Outcome.scored(
        float(len(wrong)),
        f"{trace.counted(len(wrong), 'call')} with invalid arguments: {trace.listed(steps)}; "
        f"first {call.name}: {row['path']} {row['problem']}",
        details={"steps": steps, "calls": [row for _, _, row in wrong[:_MOST]], **details},
        evidence=trace.citing(trace.cited(step, call) for step, call, _ in wrong),
    )


class _Tool:
    """A declaration, its schema compiled once for all calls."""

    def __init__(self, tool: trace.DeclaredTool) -> None:
        self.takes_text = tool.takes_text
        self._schema = None if tool.schema is None else Schema(tool.schema)

    @property
    def is_unusable(self) -> bool:
        """Whether its schema is none."""
        return self._schema is not None and self._schema.is_broken

    def check(self, arguments: JsonObject, budget: Budget) -> Checked | None:
        """The first thing that is wrong; ``None`` where nothing is."""
        return None if self._schema is None else self._schema.check(arguments, budget)


def _problem(call: ToolCall, tools: Sequence[_Tool], budget: Budget) -> JsonObject | None:
    if call.args is None and call.raw_args is not None:
        if any(tool.takes_text for tool in tools):
            return None
        return {"path": "$", "problem": "is no JSON object"}
    problems = [tool.check(call.args or {}, budget) for tool in tools]
    if not problems or None in problems:
        return None
    [first] = [problem for problem in problems if problem is not None][:1]
    return {"path": first.path, "problem": first.problem}
