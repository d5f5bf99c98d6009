"""Finds the parents of a span: an enclosing span of the same call, and an agent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from adjudge_plugins.readers.spans.span import Span
from adjudge_plugins.readers.spans.span_records import AgentRun, ModelCall, Told, ToolRun


def joined(spans: Sequence[Span], told: Sequence[tuple[Span, Told]]) -> list[tuple[Span, Told]]:
    """Merge a model call or tool run with an enclosing span of the same call.

    A framework and the client library that it uses may both write a span for one call.
    """
    parents = {span.span_id: span.parent_id for span in spans}
    whole = {span.span_id: (span, what) for span, what in told}
    holders: dict[str, str] = {}
    jumps: dict[str, str | None] = {}
    """Caches the enclosing span for spans already visited, so that deep nesting is walked once."""
    for span, what in told:
        at = parents[span.span_id]
        passed = {span.span_id}
        while at is not None and at not in passed and (at in holders or at not in whole):
            passed.add(at)
            at = jumps[at] if at in jumps else holders.get(at, parents.get(at))
        if at in passed:  # a cycle in a malformed log
            at = None
        jumps |= dict.fromkeys(passed - {span.span_id}, at)
        outer = whole.get(at or "")
        if at is None or outer is None:
            continue
        if isinstance(what, ModelCall) and isinstance(outer[1], ModelCall):
            whole[at] = (outer[0], _merged(outer[1], what))
        elif not (isinstance(what, ToolRun) and isinstance(outer[1], ToolRun) and outer[1].name == what.name):
            continue
        del whole[span.span_id]
        holders[span.span_id] = at
    return list(whole.values())


def _merged(outer: ModelCall, inner: ModelCall) -> ModelCall:
    return replace(
        outer,
        inputs=outer.inputs or inner.inputs,
        outputs=outer.outputs or inner.outputs,
        instructions=outer.instructions or inner.instructions,
        tools=outer.tools or inner.tools,
        agent=outer.agent or inner.agent,
        model=outer.model or inner.model,
        usage=outer.usage or inner.usage,
        extra={**(inner.extra or {}), **(outer.extra or {})} or None,
    )


def agents_of(spans: Sequence[Span], told: Sequence[tuple[Span, Told]]) -> dict[str, str | None]:
    """The enclosing agent of every span, by the span's id."""
    parents = {span.span_id: span.parent_id for span in spans}
    names = {span.span_id: what.name for span, what in told if isinstance(what, AgentRun) and what.name}
    found: dict[str, str | None] = {}
    for span in spans:
        at: str | None = span.span_id
        passed: set[str] = set()
        while at is not None and at not in names and at not in found and at not in passed:
            passed.add(at)
            at = parents.get(at)
        # In a cycle of a malformed log there is no agent.
        name = names.get(at or "", found.get(at or ""))
        found |= dict.fromkeys({span.span_id, *passed}, name)
    return found


def inner_calls(spans: Sequence[Span], calls: Mapping[str, str]) -> dict[str, str]:
    """The id of the nearest enclosing tool call, by span id; ``calls`` maps tool spans to call ids."""
    if not calls:
        return {}
    parents = {span.span_id: span.parent_id for span in spans}
    found: dict[str, str | None] = {}
    for span in spans:
        passed: list[str] = []
        at: str | None = span.span_id
        inside: str | None = None
        while at is not None and at in parents and at not in passed:  # a cycle in a malformed log
            passed.append(at)
            if at in found:
                inside = found[at]
                break
            at = parents[at]
            if at is not None and at in calls:
                inside = calls[at]
                break
        # Every span on the way up has the same enclosing call.
        found |= {name: inside for name in passed if name not in found}
    return {name: inside for name, inside in found.items() if inside is not None}
