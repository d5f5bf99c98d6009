"""The options of the judge of one criterion."""

from __future__ import annotations

from typing import Any, Final, Literal, Self

from pydantic import Field, model_validator

from adjudge.extension.configuration import ComponentConfig

DEFAULT_NUM_SAMPLES: Final = 5
"""The default number of votes; the same as in ADK."""

MOST_NUM_SAMPLES: Final = 100
"""The maximum number of votes. More add no information, and a mistyped number could cost much."""


class JudgeModelOptions(ComponentConfig):
    """The judge of a criterion (ADK ``JudgeModelOptions``), with what adjudge adds: panels and UNSURE."""

    judge_model: str | None = None
    """``provider/model``, or a name that matches one provider's models; unset: the run's judge."""
    judge_model_config: dict[str, Any] | None = None
    """Generation parameters (ADK ``GenerateContentConfig``): ``temperature``, ``max_output_tokens`` and so on."""
    num_samples: int = Field(default=DEFAULT_NUM_SAMPLES, ge=1, le=MOST_NUM_SAMPLES)
    """The maximum number of votes; voting stops early if the remaining votes cannot change the decision."""
    parallelism_limit: int | None = Field(default=None, ge=1, le=1000)
    """The maximum number of parallel calls of this criterion; unset: only the backend's own limit applies."""
    judges: tuple[str, ...] = ()
    """Several models, each with its own votes, instead of ``judge_model``."""
    panel_rule: Literal["majority", "all", "any"] = "majority"
    """The rule of a panel: the majority of its models, or the best value only if all, or any, of its models give it."""
    unsure_below: float | None = Field(default=None, gt=0.5, le=1)
    """The result is UNSURE (split_votes) if the winning value has less than this share of the votes; unset: never."""

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if self.judges and self.judge_model is not None:
            raise ValueError("give either 'judge_model' or 'judges', not both")
        if len(set(self.judges)) < len(self.judges):
            raise ValueError("'judges' names a model twice")
        return self
