"""Options of ``ai_judge``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Self, TypeAlias

from pydantic import Field, field_validator, model_validator

from adjudge.kit.evaluation import CheckKind
from adjudge.model import WordedCriterion
from adjudge.plugin import ComponentConfig, JudgeModelOptions

AUTO: Final = "auto"
"""The granularity that is chosen for each criterion."""


StatedCheck: TypeAlias = str | dict[CheckKind, str]
"""A statement, or one with what it is about before it."""


class AiJudgeConfig(ComponentConfig):
    """Options of ``ai_judge``: one entry of a criteria file, in a configuration."""

    description: str = ""
    """The criterion in words: what a run must meet."""
    name: str = ""
    """The name of the criterion. The choice of the granularity considers its words."""
    granularity: str | None = None
    """The granularity strategy, for instance ``step_level``; unset: a strategy is chosen that fits the criterion."""
    about: CheckKind | None = None
    """The subject of the checks: ``process``, the way the agent works; ``outcome``, the state at the end; ``answer``, the agent's
    messages to its user. Unset: the judge decides it once for all runs."""
    checks: tuple[StatedCheck, ...] = ()
    """Statements that a run meets or does not meet. Empty: the judge writes them from the description, once for all runs. A check
    can name its own subject: ``{"outcome": "The milk is paid for."}``."""
    checks_threshold: float = Field(default=1.0, gt=0, le=1)
    """The share of the applicable checks that must be met, more than 0 and at most 1; in a criteria file: ``threshold``."""
    granularity_override: str | None = None
    """The granularity strategy of all criteria of a run, instead of ``granularity``: ``--granularity`` sets it."""
    strict_evidence: bool = False
    """Whether checks about the outcome are UNSURE if the log records no results, instead of trusting the agent's own statements."""
    correct_phases: bool = False
    """Whether the judge may correct where sub-tasks begin, and join sub-tasks; this costs one call per run."""
    token_budget: int | None = Field(default=None, ge=4_000)
    """The maximum size of a request to a judge, in tokens. Unset: three quarters of the judge's context window, at most 150,000;
    24,000 if the window is unknown."""
    calibration: str | None = None
    """A calibration file that ``adjudge agreement --fit`` wrote; unset: the stored calibration of these checks and judges."""
    aggregate_only: bool = False
    """Whether to stop after aggregation, without a verdict. Then no judge is needed, and the description may be empty."""
    write_summaries: bool = False
    """Whether a judge writes summaries although ``aggregate_only`` is set."""
    judge_model_options: JudgeModelOptions = JudgeModelOptions()
    """The options of the judge: models, votes, parameters."""

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.description and not self.aggregate_only:
            raise ValueError("the description is blank")
        if self.aggregate_only and self.calibration is not None:
            raise ValueError("a calibration needs verdicts, and --aggregate-only gives none")
        if self.aggregate_only and self.correct_phases and not self.write_summaries:
            raise ValueError("it is a judge who corrects phases, and none is named; add --judge MODEL")
        return self

    @field_validator("description")
    @classmethod
    def _stripped(cls, description: str) -> str:
        return description.strip()

    @field_validator("checks")
    @classmethod
    def _say_something(cls, checks: tuple[StatedCheck, ...]) -> tuple[StatedCheck, ...]:
        if any(not isinstance(check, str) and len(check) != 1 for check in checks):
            raise ValueError("a check is one statement, and its subject is given once")
        stripped = tuple(map(_without_space, checks))
        texts = [text for text, _ in map(_parts, stripped)]
        if not all(texts):
            raise ValueError("a check is blank")
        if len(set(texts)) < len(texts):
            raise ValueError("this check is listed twice")
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
        checks = [_parts(check) for check in self.checks]
        return WordedCriterion(
            name=self.name,
            description=self.description,
            granularity=self.granularity,
            about=self.about,
            checks=tuple(text for text, _ in checks),
            checks_about=tuple(about for _, about in checks),
            threshold=self.checks_threshold,
        )


def _parts(check: StatedCheck) -> tuple[str, CheckKind | None]:
    """The statement of a check, and what its author says that it is about."""
    if isinstance(check, str):
        return check, None
    [(about, text)] = check.items()
    return text, about


def _without_space(check: StatedCheck) -> StatedCheck:
    if isinstance(check, str):
        return check.strip()
    return {about: text.strip() for about, text in check.items()}
