"""Counts calls whose arguments do not satisfy the declaration of their tool."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from adjudge.kit import trace
from adjudge.model import JsonObject, ToolCall
from adjudge.plugin import CaseUnderTest, Measurement, Outcome
from adjudge_plugins.criteria.trace.invalid_arguments.schema import Checked, Schema
from adjudge_plugins.criteria.trace.invalid_arguments.work import MOST, Budget, TooMuchWorkError

_MOST: Final = 20
"""The number of calls whose problem the details describe: one mistake is often repeated throughout a run."""


class InvalidArguments:
    """The number of calls whose arguments are not a JSON object, or violate the schema of the tool.

    If several agents declare a tool of the same name, one matching declaration is enough. Tools without a
    schema, or with a broken one, accept any object. Calls of undeclared tools only count if their arguments
    are not an object. Not applicable if no tool is declared, or if the run has no call or no call with
    arguments: many instrumentations do not record them. A schema whose references multiply into millions of
    checks is an error, because the validator cannot be interrupted.
    """

    async def score(self, case: CaseUnderTest) -> Measurement:
        """Return one count for the case, with every such call and its problem."""
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
    """A tool declaration with its compiled schema."""

    def __init__(self, tool: trace.DeclaredTool) -> None:
        self.takes_text = tool.takes_text
        self._schema = None if tool.schema is None else Schema(tool.schema)

    @property
    def is_unusable(self) -> bool:
        """Whether the schema is invalid."""
        return self._schema is not None and self._schema.is_broken

    def check(self, arguments: JsonObject, budget: Budget) -> Checked | None:
        """Return the first problem of the arguments; ``None`` if they are valid."""
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
