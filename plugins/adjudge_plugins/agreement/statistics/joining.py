"""Joins labels and verdicts, and counts those without a counterpart."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from adjudge.plugin import InputError, Problem
from adjudge_plugins.agreement.report import GivenVerdict, LabelledVerdict, VerdictLabel
from adjudge_plugins.agreement.step_places import positions


@dataclass(frozen=True, slots=True)
class Pair:
    """A label and the verdict that it is about."""

    label: VerdictLabel
    given: GivenVerdict

    def row(self) -> LabelledVerdict:
        """Both as one row. The label's own length goes before that of the results."""
        label, given = self.label, self.given
        true_step, found_step = label.step, given.step
        if label.source_ref is not None:
            true_step, found_step = positions(label.source_ref, given.source_ref)
        return LabelledVerdict(
            source=label.source if label.run is None else f"{label.source}#{label.run}",
            label=label.label,
            verdict=given.verdict,
            unsure=given.unsure,
            confidence=None if given.verdict is None else given.confidence,
            length=given.length if label.length is None else label.length,
            split=label.split,
            true_step=true_step,
            found_step=found_step,
            true_agent=label.agent,
            found_agent=given.agent,
        )

    def voted_row(self) -> LabelledVerdict:
        """This row with the verdict and confidence before calibration. Fitting uses these; otherwise calibrations would accumulate."""
        given = self.given
        return replace(
            self.row(),
            verdict=given.voted,
            unsure=given.unsure and given.voted is None,
            confidence=None if given.voted is None else given.vote_confidence,
        )


@dataclass(frozen=True, slots=True)
class Joined:
    """Pairs of labels and verdicts, and those without a counterpart."""

    pairs: tuple[Pair, ...]
    not_judged: tuple[VerdictLabel, ...]
    not_labelled: tuple[GivenVerdict, ...]


def join(labels: Sequence[VerdictLabel], given: Sequence[GivenVerdict], file: str) -> Joined:
    """Find the verdict that every label is about.

    Args:
        labels: Each about another run or criterion.
        given: Of one file of results.
        file: The file of labels, for messages.

    Raises:
        InputError: a label may mean several verdicts, or two labels mean the same one.
    """
    by_name: defaultdict[tuple[str, str | None], list[GivenVerdict]] = defaultdict(list)
    for verdict in given:
        for name in verdict.names:
            by_name[name, verdict.criterion].append(verdict)
    problems: list[Problem] = []
    pairs: list[Pair] = []
    not_judged: list[VerdictLabel] = []
    taken: dict[int, VerdictLabel] = {}
    for label in labels:
        found = [
            verdict
            for criterion in (label.criterion, None)
            for verdict in by_name.get((label.source, criterion), ())
            if label.run is None or verdict.run is None or verdict.run == label.run
        ]
        if not found:
            not_judged.append(label)
        elif len(found) > 1:
            problems.append(_ambiguous(label, found, file))
        elif found[0].criterion is not None and id(found[0]) in taken:
            what = f"line {taken[id(found[0])].line} labels the same verdict"
            problems.append(Problem(what=what, file=file, line=label.line))
        else:
            taken[id(found[0])] = label
            pairs.append(Pair(label, found[0]))
    if problems:
        raise InputError(problems)
    return Joined(
        tuple(pairs), tuple(not_judged), tuple(verdict for verdict in given if id(verdict) not in taken)
    )


def _ambiguous(label: VerdictLabel, found: Sequence[GivenVerdict], file: str) -> Problem:
    names = sorted({verdict.names[-1] for verdict in found})
    if len(names) > 1:
        what, hint = f"{label.source!r} is in {len(names)} files", f"Name it in full: {', '.join(names[:3])}."
    else:
        runs = ", ".join(str(verdict.run) for verdict in found)
        what, hint = f"the results have several runs of {label.source!r}", f"Add 'run': one of {runs}."
    return Problem(what=what, file=file, line=label.line, hint=hint)
