"""Renders a run for people: turns, phases, steps with their agents, and costs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from adjudge.kit import digests
from adjudge.kit.trace import cost_of
from adjudge.model import (
    Blob,
    Claim,
    ErrorItem,
    Item,
    Observation,
    Opaque,
    Step,
    Text,
    ToolCall,
    ToolResult,
    Usage,
    total_usage,
)
from adjudge.plugin import Trajectory
from adjudge_plugins.ai_judge.decomposer import decomposed

_SHOWN: Final = 600
"""The length limit of a text in characters, unless the full texts are requested."""
_LABEL: Final = 12
"""The width of the labels in columns."""


def lines_of(run: Trajectory, headline: str, *, full: bool = False) -> Iterator[str]:
    """Render a run as lines.

    Args:
        run: The run.
        headline: Its title.
        full: Whether texts are printed in full; otherwise they are shortened, with the number of omitted
        characters.
    """
    calls = sum(len(step.calls) for step in run.steps)
    yield f"{headline}, {_counted(len(run.invocations), 'turn')}, {_counted(len(run.steps), 'step')}, {_counted(calls, 'call')}"
    yield from _about(run, full)
    phases = {cluster.steps[0]: cluster for cluster in decomposed(run).clusters}
    letters = {first: chr(ord("A") + at % 26) * (at // 26 + 1) for at, first in enumerate(phases)}
    for place, turn in enumerate(run.invocations, 1):
        yield ""
        yield f"turn {place} of {len(run.invocations)}"
        yield from _labelled("user", turn.user_content.text or "(nothing)", 2, full)
        for item in turn.user_content.items:
            if not isinstance(item, Text):
                yield from _item(item, 2, full)
        for step in turn.steps:
            if len(phases) > 1 and (phase := phases.get(step.number)) is not None:
                first, last = phase.steps[0], phase.steps[-1]
                where = f"step {first}" if first == last else f"steps {first}-{last}"
                yield f"  phase {letters[step.number]} ({where}): {digests.in_line(phase.name, 80)}"
            yield from _step(step, full)
        if turn.final_response is not None:
            yield from _labelled("answer", turn.final_response.text, 2, full)
    yield ""


def _about(run: Trajectory, full: bool) -> Iterator[str]:
    details = {
        name: agent
        for turn in run.invocations
        if turn.app_details is not None
        for name, agent in turn.app_details.agent_details.items()
    }
    speakers = sorted({step.author for step in run.steps if step.author})
    models = sorted({step.model for step in run.steps if step.model})
    if run.goal:
        yield from _labelled("task", run.goal, 2, full)
    if speakers:
        yield from _labelled("speakers", ", ".join(speakers), 2, full)
    if models:
        yield from _labelled("models", ", ".join(models), 2, full)
    for name, agent in details.items():
        if agent.instructions:
            yield from _labelled("told", f"{name}: {agent.instructions}", 2, full)
        if agent.tool_declarations:
            yield from _labelled(
                "tools", f"{name} has {_counted(len(agent.tool_declarations), 'tool')}", 2, full
            )
    if spent := _spent(run):
        yield from _labelled("spent", spent, 2, full)
    if run.lost:
        yield from _labelled("not read", "; ".join(run.lost), 2, full)


def _spent(run: Trajectory) -> str:
    usage = total_usage([step.usage for step in run.steps])
    cost = cost_of(run)
    seconds = run.duration
    return ", ".join(
        part
        for part in (
            "" if usage is None else _tokens(usage),
            "" if cost is None else f"cost {cost:.6g}",
            "" if seconds is None else f"{seconds:.1f} s",
        )
        if part
    )


def _tokens(usage: Usage) -> str:
    taken, given, cached = usage.input_tokens, usage.output_tokens, usage.cached_tokens
    told = [
        f"{count:,} tokens {where}"
        for count, where in ((taken, "in"), (given, "out"), (cached, "from a cache"))
        if count
    ]
    return ", ".join(told) or (f"{usage.total_tokens:,} tokens" if usage.total_tokens else "")


def _step(step: Step, full: bool) -> Iterator[str]:
    inside = "" if step.parent_call_id is None else f", inside call {step.parent_call_id}"
    costs = f"  ({_tokens(step.usage)})" if step.usage is not None and _tokens(step.usage) else ""
    yield f"  {step.number}  {step.author or step.role or 'agent'}{inside}{costs}"
    for item in step.items:
        yield from _item(item, 6, full)


def _item(item: Item, indent: int, full: bool) -> Iterator[str]:
    match item:
        case Claim():
            label = (
                "thinks"
                if item.field == "thinking"
                else item.field.replace("evaluation_previous_goal", "evaluates")
            )
            yield from _labelled(label, item.text, indent, full)
        case ToolCall():
            yield from _labelled("calls", digests.call_text(item), indent, full)
        case ToolResult():
            yield from _labelled(
                "error" if item.is_error else "result", digests.text_of(item.value), indent, full
            )
        case Observation():
            yield from _labelled("sees", item.text, indent, full)
        case Text():
            yield from _labelled("says", item.text, indent, full)
        case ErrorItem():
            yield from _labelled("error", item.message, indent, full)
        case Blob():
            yield from _labelled(
                "holds", f"{item.mime_type or 'binary data'} {item.uri or ''}".strip(), indent, full
            )
        case Opaque():
            yield from _labelled(item.name[: _LABEL - 1], digests.text_of(item.value), indent, full)


def _labelled(label: str, text: str, indent: int, full: bool) -> Iterator[str]:
    shown = text if full or len(text) <= _SHOWN else text[:_SHOWN]
    lines: Sequence[str] = shown.rstrip("\n").split("\n")
    for at, words in enumerate(lines):
        yield f"{' ' * indent}{label if not at else '':<{_LABEL}}{words}".rstrip()
    if len(shown) < len(text):
        yield f"{' ' * (indent + _LABEL)}… {len(text) - len(shown):,} characters more: --full"


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"
