"""Options of ``ai_judge``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Self

from pydantic import Field, field_validator, model_validator

from adjudge.kit.evaluation import CheckKind
from adjudge.model import WordedCriterion
from adjudge.plugin import ComponentConfig, JudgeModelOptions

AUTO: Final = "auto"
"""The granularity that is chosen for each criterion."""


class AiJudgeConfig(ComponentConfig):
    """Options of ``ai_judge``: one entry of a criteria file, in a configuration."""

    description: str = ""
    """What a run has to meet, in words."""
    name: str = ""
    """What the criterion is about in a word or two: it counts where the granularity is chosen."""
    granularity: str | None = None
    """How closely to look, for instance ``step_level``; unset: what fits the criterion."""
    about: CheckKind | None = None
    """What the checks are about: ``process``, how the agent goes about it; ``outcome``, what is true at the end; ``answer``, what
    it says to its user. Unset: the judge says it, once for all runs."""
    checks: tuple[str, ...] = ()
    """Statements that a run meets or not; empty: they are made from the description, once for all runs."""
    checks_threshold: float = Field(default=1.0, gt=0, le=1)
    """The share of the checks that apply that must be met (``threshold`` in a criteria file)."""
    granularity_override: str | None = None
    """How closely to look, whatever ``granularity`` says: what a user names for all criteria of a run."""
    strict_evidence: bool = False
    """Whether a run that shows nothing of what came back supports no outcome."""
    correct_phases: bool = False
    """Whether the judge may move where sub-tasks begin, and join them: one call a run."""
    token_budget: int = Field(default=24_000, ge=4_000)
    """Tokens that one request to a judge may have."""
    calibration: str | None = None
    """A file of ``adjudge agreement --fit``; unset: what this installation keeps of these checks and judges."""
    aggregate_only: bool = False
    """Whether to end after aggregation, without a verdict; then no judge is needed, and the description may be blank."""
    write_summaries: bool = False
    """Whether a judge writes summaries where it ends after aggregation."""
    judge_model_options: JudgeModelOptions = JudgeModelOptions()
    """Who judges, how often, and how."""

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.description and not self.aggregate_only:
            raise ValueError("the description is blank")
        if self.aggregate_only and self.calibration is not None:
            raise ValueError(
                "a calibration is of verdicts, and there are none where it ends after aggregation"
            )
        if self.aggregate_only and self.correct_phases and not self.write_summaries:
            raise ValueError("it is a judge who corrects phases, and none is named; add --judge MODEL")
        return self

    @field_validator("description")
    @classmethod
    def _stripped(cls, description: str) -> str:
        return description.strip()

    @field_validator("checks")
    @classmethod
    def _say_something(cls, checks: tuple[str, ...]) -> tuple[str, ...]:
        stripped = tuple(check.strip() for check in checks)
        if not all(stripped):
            raise ValueError("a check is blank")
        if len(set(stripped)) < len(stripped):
            raise ValueError("a check stands here twice")
        return stripped

    @classmethod
    def of_run(cls, given: Mapping[str, Any], *, decides: bool, has_judge: bool) -> dict[str, Any]:
        """Options of every criterion, from those of ``adjudge judge``."""
        options = dict(given)
        if (granularity := options.pop("granularity", AUTO)) != AUTO:
            options["granularity_override"] = granularity
        if (num_samples := options.pop("num_samples", None)) is not None:
            options["judge_model_options"] = {"num_samples": num_samples}
        if "calibration" in options:
            options["calibration"] = str(options["calibration"])
        return options if decides else {**options, "aggregate_only": True, "write_summaries": has_judge}

    def criterion(self) -> WordedCriterion:
        """The criterion that these options describe."""
        return WordedCriterion(
            name=self.name,
            description=self.description,
            granularity=self.granularity,
            about=self.about,
            checks=self.checks,
            threshold=self.checks_threshold,
        )
