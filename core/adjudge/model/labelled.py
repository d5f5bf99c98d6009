"""Turns that people labelled, and how well a judge met the labels."""

from __future__ import annotations

from typing import Literal

from adjudge.model.base import Frozen, JsonObject
from adjudge.model.invocation import Invocation


class LabelledTurn(Frozen):
    """One turn, and what a person says that a criterion should find."""

    row_id: str
    criterion: str
    """The component that measures it."""
    options: JsonObject = {}
    """The criterion's options, and ``threshold``, as a configuration has them."""
    expected: Invocation
    actual: Invocation
    label: Literal["PASS", "FAIL"]
    language: str = "-"
    difficulty: str = "-"
    file: str
    line: int
    """From 1."""


class Confusion(Frozen):
    """Labels against verdicts. PASS is the positive class."""

    true_pass: int = 0
    """Labelled PASS, judged PASS."""
    false_fail: int = 0
    """Labelled PASS, judged FAIL."""
    false_pass: int = 0
    """Labelled FAIL, judged PASS."""
    true_fail: int = 0
    """Labelled FAIL, judged FAIL."""

    @property
    def total(self) -> int:
        """How many there are."""
        return self.true_pass + self.false_fail + self.false_pass + self.true_fail

    def __add__(self, other: Confusion) -> Confusion:
        """Both together."""
        return Confusion(
            true_pass=self.true_pass + other.true_pass,
            false_fail=self.false_fail + other.false_fail,
            false_pass=self.false_pass + other.false_pass,
            true_fail=self.true_fail + other.true_fail,
        )


class LabelledGroup(Frozen):
    """How a judge met the labels of one language and difficulty."""

    language: str
    difficulty: str
    counts: Confusion
    not_measured: int = 0
    """Turns without a verdict: errors, undecided, not applicable."""


class JudgeMeasurement(Frozen):
    """How a judge met the labels of one criterion."""

    judge: str
    """As ``provider/model``."""
    criterion: str
    """The component, as ``plugin/component``."""
    criterion_version: int
    model_versions: tuple[str, ...] = ()
    """What the provider reports."""
    num_samples: int = 1
    """The most votes for each decision."""
    measured_at: str
    """ISO 8601, UTC."""
    labels: dict[str, str]
    """The SHA-256 of every file of labels, by its name."""
    groups: tuple[LabelledGroup, ...]

    @property
    def counts(self) -> Confusion:
        """All groups together."""
        return sum((group.counts for group in self.groups), Confusion())

    @property
    def not_measured(self) -> int:
        """Turns without a verdict, of all groups."""
        return sum(group.not_measured for group in self.groups)
