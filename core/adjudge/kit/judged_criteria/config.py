"""The configuration of a criterion that asks a judge."""

from __future__ import annotations

from adjudge.plugin import ComponentConfig, JudgeModelOptions


class JudgedConfig(ComponentConfig):
    """Base of the configuration of a criterion that asks a judge."""

    judge_model_options: JudgeModelOptions = JudgeModelOptions()
    """Who judges, how often, and how."""
