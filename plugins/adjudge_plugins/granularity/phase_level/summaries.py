"""Summaries of phases: extracted from the log by code, or written by a judge from the lines of the steps."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

from adjudge.kit import digests, judged_criteria
from adjudge.model import Exhibit
from adjudge.plugin import AggregationContext, Writer
from adjudge_plugins.granularity.phase_level.phases import Phase

_AT_A_TIME: Final = 6
"""The number of phases per call: longer answers are cut off, or mix up the phases."""

_TOKENS: Final = 8000
"""The token limit for the material of one call, if no budget is given."""

_PROMPT: Final = "phase_level"


def extracted(phase: Phase) -> str:
    """Make two or three sentences without a judge: the agent's goal, its calls, and how the phase ended."""
    if phase.cluster.summary is not None:
        return digests.in_line(phase.cluster.summary, 600)
    steps = phase.steps
    sentences = [_aim(phase), _doing(phase)]
    failed = [step for step in steps if digests.error_of(step) is not None]
    if failed:
        error = digests.first_sentence(digests.error_of(failed[-1]) or "", 160)
        times = "once" if len(failed) == 1 else f"in {len(failed)} of {len(steps)} steps"
        sentences.append(f"It failed {times}, last at step {failed[-1].number}: {error}.")
    elif came := _last_outcome(phase):
        sentences.append(f"At its end the log shows: {came}.")
    return " ".join(sentence for sentence in sentences if sentence)


async def written(phases: Sequence[Phase], task: str | None, context: AggregationContext) -> dict[str, str]:
    """Ask a judge for summaries, by the keys of the phases; phases that it did not summarise are absent."""
    writer = context.writer
    if writer is None:
        return {}
    batches = [phases[first : first + _AT_A_TIME] for first in range(0, len(phases), _AT_A_TIME)]
    found = await asyncio.gather(
        *(_batch(batch, task, writer, context.token_budget or _TOKENS) for batch in batches)
    )
    return {key: text for texts in found for key, text in texts.items()}


async def _batch(phases: Sequence[Phase], task: str | None, writer: Writer, budget: int) -> dict[str, str]:
    share = budget // (len(phases) + 1)
    exhibits = [] if not task else [Exhibit(name="task", text=digests.clipped_to_tokens(task, share))]
    exhibits += [
        Exhibit(name=phase.key, text=f"{phase.cluster.name}\n{digests.digest(phase.steps, share)}")
        for phase in phases
    ]
    prompt = judged_criteria.read_prompt(__package__, _PROMPT)
    fields = {phase.key: f"two or three sentences about {phase.key}" for phase in phases}
    texts = await writer.write(prompt, exhibits, fields)
    return {key: digests.in_line(text, 1200) for key, text in (texts or {}).items()}


def _aim(phase: Phase) -> str:
    """The goal of the phase in the agent's words, if the log has them."""
    first = phase.steps[0]
    for field in ("next_goal", "thinking"):
        if said := first.claim(field):
            return f"The agent wanted: {digests.first_sentence(said, 160)}."
    return ""


def _doing(phase: Phase) -> str:
    counted = digests.actions_counted(phase.steps, most=4)
    hosts = dict.fromkeys(digests.host_of(page) for page in digests.pages_of(phase.steps) if page)
    where = f" on {digests.in_line(', '.join(list(hosts)[:3]), 120)}" if hosts else ""
    said = next((step.text for step in reversed(phase.steps) if step.text.strip()), "")
    told = [f"It called {counted}{where}."] if counted else []
    if said:
        told.append(f"It said: {digests.first_sentence(said, 160)}.")
    return " ".join(told) or f"It called nothing{where}."


def _last_outcome(phase: Phase) -> str:
    for step in reversed(phase.steps):
        for item in reversed(digests.shown(step)):
            text = item.text if item.kind == "observation" else digests.text_of(item.value)
            if text.strip():
                return digests.head_and_tail(digests.in_line(text, 160).rstrip(".!?。！？ "), 160)
    return ""
