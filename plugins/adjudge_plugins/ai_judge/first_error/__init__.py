"""``first_error``: the first step that made a run fail, and the agent that took it."""

from __future__ import annotations

from pydantic import Field, field_validator

from adjudge.plugin import ComponentConfig, Criterion, CriterionSpec, Host, JudgeModelOptions, Need, hookimpl


class FirstErrorConfig(ComponentConfig):
    """Options of ``first_error``."""

    description: str = ""
    """What the run had to meet, in words; unset: its task."""
    token_budget: int = Field(default=24_000, ge=4_000)
    """Tokens that one request to a judge may have."""
    judge_model_options: JudgeModelOptions = JudgeModelOptions()
    """Who judges, how often, and how."""

    @field_validator("description")
    @classmethod
    def _stripped(cls, description: str) -> str:
        return description.strip()


def _make(config: FirstErrorConfig, host: Host) -> Criterion:
    from adjudge_plugins.ai_judge.first_error.criterion import FirstError

    return FirstError(
        host.judge(config.judge_model_options), config.description, token_budget=config.token_budget
    )


@hookimpl.criteria
def criteria() -> list[CriterionSpec]:
    """The one criterion of this plugin."""
    return [
        CriterionSpec(
            name="first_error",
            summary="The first step that made the run fail, and who took it: 1 where there is one, else 0",
            factory=_make,
            config=FirstErrorConfig,
            needs=frozenset({Need.JUDGE}),
            simulated_conversations=True,
            lower_is_better=True,
        )
    ]
