"""The configuration of criteria that use a judge."""

from __future__ import annotations

from adjudge.plugin import ComponentConfig, JudgeModelOptions


class JudgedConfig(ComponentConfig):
    """Base class for the configuration of criteria that use a judge."""

    judge_model_options: JudgeModelOptions = JudgeModelOptions()
    """The options of the judge: models, votes, parameters."""
