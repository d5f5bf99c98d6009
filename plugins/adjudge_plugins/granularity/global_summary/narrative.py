"""The narrative of a run, extracted from the log by code: approach, turning points, result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from adjudge.kit import digests
from adjudge.model import Cluster, JsonObject, Step
from adjudge.plugin import Trajectory

_SHOWN: Final = 5
"""The number of phases and turning points that are described individually."""


@dataclass(frozen=True, slots=True)
class Narrative:
    """The texts of a narrative."""

    text: str
    outcome: str
    """``summary_metadata.execution_outcome``."""
    strategy: str
    """``summary_metadata.strategy_description``."""


def extracted(trajectory: Trajectory, clusters: Sequence[Cluster]) -> Narrative:
    """Extract the narrative from the log, without a judge."""
    outcome, result = _result(trajectory)
    strategy = _approach(trajectory.steps, clusters)
    told = [*_task(trajectory), strategy, *_turning_points(trajectory.steps, clusters), result]
    return Narrative(" ".join(sentence for sentence in told if sentence), outcome, strategy)


def final_answer(trajectory: Trajectory) -> str:
    """The agent's last answer, after which it did nothing more; empty if there is none."""
    for turn in reversed(trajectory.invocations):
        if turn.final_response is not None and turn.final_response.text.strip():
            return turn.final_response.text.strip()
        if turn.steps:
            break
    return ""


def _task(trajectory: Trajectory) -> Iterator[str]:
    task = digests.task_of(trajectory)
    if task.told:
        yield f"The task was: {digests.in_line(task.told, 300).rstrip('.')}."
    if task.hidden:
        wanted = digests.in_line(task.hidden, 300).rstrip(".")
        yield f"What the user wanted, hidden from the agent: {wanted}."


def _approach(steps: Sequence[Step], clusters: Sequence[Cluster]) -> str:
    if not steps:
        return "The agent took no steps."
    told = _some(clusters)
    names = list(dict.fromkeys(digests.in_line(cluster.name, 80).rstrip(".") for cluster in told))
    left_out = len(clusters) - len(told)
    phases = "; ".join(names) + (f"; and {left_out} more" if left_out else "")
    counted = digests.actions_counted(steps, most=4)
    took = "one step" if len(steps) == 1 else f"{len(steps)} steps"
    in_phases = f" in {len(clusters)} phases" if len(clusters) > 1 else ""
    return f"The agent took {took}{in_phases}{f': {phases}' if names else ''}." + (
        f" It called {counted}." if counted else ""
    )


def _turning_points(steps: Sequence[Step], clusters: Sequence[Cluster]) -> list[str]:
    """Sentences about errors, and about phases that began for another reason than a new goal."""
    failed = [step for step in steps if digests.error_of(step) is not None]
    told: list[str] = []
    if failed:
        numbers = ", ".join(str(step.number) for step in failed[:_SHOWN])
        more = f" and {len(failed) - _SHOWN} more" if len(failed) > _SHOWN else ""
        last = digests.first_sentence(digests.error_of(failed[-1]) or "", 160)
        told.append(f"Errors came at step {numbers}{more}, the last one: {last}.")
    turns = [
        f"at step {cluster.steps[0]} ({digests.in_line(cluster.boundary, 60)})"
        for cluster in clusters
        if cluster.boundary
    ]
    if turns:
        more = f" and {len(turns) - _SHOWN} more times" if len(turns) > _SHOWN else ""
        told.append(f"A new phase began {', '.join(turns[:_SHOWN])}{more}.")
    return told


def _result(trajectory: Trajectory) -> tuple[str, str]:
    """The outcome in a word or two, and as a sentence that separates what the log shows from the agent's claims."""
    steps = [step for step in digests.steps_with_words(trajectory) if step.items]
    said = _said_of_itself(trajectory.extra or {}, steps)
    answer = digests.in_line(final_answer(trajectory), 300)
    error = digests.error_of(steps[-1]) if steps else None
    if said is not None:
        outcome = "Reported success" if said else "Reported failure"
        sentence = f"The agent itself reported {'success' if said else 'failure'}."
    elif answer:
        outcome, sentence = "Answered", ""
    elif ended := _last_call(steps):
        outcome, sentence = "Answered", f"It ended by calling {ended}."
    elif error is not None:
        outcome, sentence = (
            "Ended in an error",
            f"The run ended in an error: {digests.first_sentence(error, 160)}.",
        )
    else:
        outcome, sentence = "Unknown", _end(steps)
    if answer:
        sentence = f"{sentence} Its final answer was: {answer.rstrip('.')}.".strip()
    return outcome, sentence


def _end(steps: Sequence[Step]) -> str:
    """The last step as the log has it: whether that is a result is for a judge to say."""
    return f"Its last step was step {steps[-1].number}: {digests.step_line(steps[-1])}." if steps else ""


def _last_call(steps: Sequence[Step]) -> str:
    """The tool call that ended the run, as browser agents do; empty if there is none."""
    calls = steps[-1].calls if steps else ()
    if not calls or digests.family_of(calls[-1].name) != "answer":
        return ""
    return digests.in_line(digests.call_text(calls[-1]), 300)


def _said_of_itself(extra: JsonObject, steps: Sequence[Step]) -> bool | None:
    said = extra.get("self_reported_success")
    if isinstance(said, bool):
        return said
    return digests.reported_success(steps[-1]) if steps else None


def _some(clusters: Sequence[Cluster]) -> Sequence[Cluster]:
    """The first phases and the last one, at most ``_SHOWN`` in all."""
    if len(clusters) <= _SHOWN:
        return clusters
    return (*clusters[: _SHOWN - 1], clusters[-1])
