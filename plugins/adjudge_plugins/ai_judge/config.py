"""Options of ``ai_judge``."""

from __future__ import annotations

from pydantic import Field, field_validator

from adjudge.model import WordedCriterion
from adjudge.plugin import ComponentConfig, JudgeModelOptions


class AiJudgeConfig(ComponentConfig):
    """Options of ``ai_judge``: one entry of a criteria file, in a configuration."""

    description: str
    """What a run has to meet, in words."""
    name: str = ""
    """What the criterion is about in a word or two: it counts where the granularity is chosen."""
    granularity: str | None = None
    """How closely to look, for instance ``step_level``; unset: what fits the criterion."""
    checks: tuple[str, ...] = ()
    """Statements that a run meets or not; empty: they are made from the description, once for all runs."""
    checks_threshold: float = Field(default=1.0, gt=0, le=1)
    """The share of the checks that apply that must be met (``threshold`` in a criteria file)."""
    judge_model_options: JudgeModelOptions = JudgeModelOptions()
    """Who judges, how often, and how."""

    @field_validator("description")
    @classmethod
    def _says_something(cls, description: str) -> str:
        if not description.strip():
            raise ValueError("the description is blank")
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

    def criterion(self) -> WordedCriterion:
        """The criterion that these options describe."""
        return WordedCriterion(
            name=self.name,
            description=self.description,
            granularity=self.granularity,
            checks=self.checks,
            threshold=self.checks_threshold,
        )
