"""``first_error``: the first step that made a run fail, and the agent that took it."""

from __future__ import annotations

from pydantic import Field, field_validator

from adjudge.plugin import ComponentConfig, Criterion, CriterionSpec, Host, JudgeModelOptions, Need, hookimpl


class FirstErrorConfig(ComponentConfig):
    """Options of ``first_error``."""

    description: str = ""
    """What the run should have achieved, in words; unset: the task of the run."""
    token_budget: int | None = Field(default=None, ge=4_000)
    """The maximum size of a request to a judge, in tokens; unset: as for ``ai_judge``."""
    judge_model_options: JudgeModelOptions = JudgeModelOptions()
    """The options of the judge: models, votes, parameters."""

    @field_validator("description")
    @classmethod
    def _stripped(cls, description: str) -> str:
        return description.strip()


def _make(config: FirstErrorConfig, host: Host) -> Criterion:
    from adjudge_plugins.ai_judge.budget import budget_of
    from adjudge_plugins.ai_judge.first_error.criterion import FirstError

    judge = host.judge(config.judge_model_options)
    budget = budget_of(config.token_budget, judge)
    host.declare({"token_budget": budget})
    return FirstError(judge, config.description, token_budget=budget)


@hookimpl.criteria
def criteria() -> list[CriterionSpec]:
    """The one criterion of this plugin."""
    return [
        CriterionSpec(
            name="first_error",
            summary="The first step that made the run fail, and its agent: 1 if there is one, else 0",
            factory=_make,
            config=FirstErrorConfig,
            needs=frozenset({Need.JUDGE}),
            simulated_conversations=True,
            lower_is_better=True,
        )
    ]
