"""The positions of steps on the time axis of a run."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from adjudge.model.step import Step
from adjudge.model.trajectory import Trajectory

Kind: TypeAlias = Literal["recorded", "durations", "order"]
_TICKS: Final = 4


class Timing:
    """The times of a run: recorded times; or in sequence, computed from durations; or only the order of steps."""

    def __init__(self, run: Trajectory) -> None:
        """Compute the times."""
        steps = run.steps
        starts = [step.started_at for step in steps if step.started_at is not None]
        timed = [step.duration for step in steps if step.duration is not None]
        self.kind: Kind = (
            "recorded"
            if steps and len(starts) == len(steps) and max(starts) > min(starts)
            else "durations"
            if timed and sum(timed) > 0
            else "order"
        )
        self._spans: list[tuple[float, float]] = []
        if self.kind == "recorded":
            self._spans = self._recorded(run, min(starts))
        else:
            at = 0.0
            for step in steps:
                width = 1.0 if self.kind == "order" else step.duration or 0.0
                self._spans.append((at, at + width))
                at += width
        self.seconds = max((end for _, end in self._spans), default=0.0)
        """The length of the axis in seconds; if only the order is known, the number of steps."""

    def at(self, index: int, step: Step) -> tuple[float, float, str]:
        """The beginning and end of a step as shares of the axis, and its duration as a text."""
        begin, end = self._spans[index]
        known = step.duration if step.duration is not None or self.kind == "order" else end - begin
        whole = self.seconds or 1.0
        return round(begin / whole, 5), round(end / whole, 5), "" if known is None else seconds_text(known)

    def scale(self) -> list[str]:
        """The labels of the axis, from its beginning to its end; empty if only the order is known."""
        if self.kind == "order":
            return []
        return [seconds_text(self.seconds * tick / _TICKS) for tick in range(_TICKS + 1)]

    def _recorded(self, run: Trajectory, first: float) -> list[tuple[float, float]]:
        spans: list[tuple[float, float]] = []
        for turn in run.invocations:
            for position, step in enumerate(turn.steps):
                start = (step.started_at or first) - first
                end = start if step.duration is None else start + step.duration
                if step.duration is None and position + 1 < len(turn.steps):
                    # Without a duration, assume that the step lasted until the next one began.
                    end = max(start, (turn.steps[position + 1].started_at or first) - first)
                spans.append((start, end))
        return spans


def seconds_text(seconds: float) -> str:
    """A duration as a text: "340 ms", "1.2 s", "3 min 20 s"."""
    if seconds < 0.9995:
        return f"{seconds * 1000:.0f} ms" if seconds else "0 s"
    if seconds < 99.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"
