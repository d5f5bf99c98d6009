"""What a configuration may say of the judge of one criterion."""

from __future__ import annotations

from typing import Any, Final, Literal, Self

from pydantic import Field, model_validator

from adjudge.extension.configuration import ComponentConfig

DEFAULT_NUM_SAMPLES: Final = 5
"""Votes where nobody says how many (ADK)."""

MOST_NUM_SAMPLES: Final = 100
"""Votes that one decision may have. More say nothing new, and a number that was mistyped costs money."""


class JudgeModelOptions(ComponentConfig):
    """The judge of a criterion (ADK ``JudgeModelOptions``), with what adjudge adds: panels and UNSURE."""

    judge_model: str | None = None
    """``provider/model``, or a name that one provider's models have; unset: the run's judge."""
    judge_model_config: dict[str, Any] | None = None
    """How the model generates (ADK ``GenerateContentConfig``): ``temperature``, ``max_output_tokens`` and so on."""
    num_samples: int = Field(default=DEFAULT_NUM_SAMPLES, ge=1, le=MOST_NUM_SAMPLES)
    """The most votes that are asked for; fewer are where the rest cannot change the decision."""
    parallelism_limit: int | None = Field(default=None, ge=1, le=1000)
    """The most calls of this criterion at a time; unset: only the backend's own limit holds."""
    judges: tuple[str, ...] = ()
    """Several models, each with its own votes, instead of ``judge_model``."""
    panel_rule: Literal["majority", "all", "any"] = "majority"
    """What makes a panel's decision: most of its models, or the best value only where all, or any, give it."""
    unsure_below: float | None = Field(default=None, gt=0.5, le=1)
    """UNSURE (split_votes) where the decided value has less than this share of the votes; unset: never."""

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if self.judges and self.judge_model is not None:
            raise ValueError("give either 'judge_model' or 'judges', not both")
        if len(set(self.judges)) < len(self.judges):
            raise ValueError("'judges' names a model twice")
        return self
