"""Criteria that can delegate the measurement to another criterion."""

from __future__ import annotations

from typing import Self

from pydantic import model_validator

from adjudge.kit.judged_criteria.config import JudgedConfig


class DelegatingConfig(JudgedConfig):
    """The options of a criterion that uses a judge or delegates to another criterion."""

    delegate: str | None = None
    """The criterion that measures instead, for instance ``vertex/safety`` of adjudge-vertex. The judge is then not
    called."""

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if self.delegate is not None and "judge_model_options" in self.model_fields_set:
            raise ValueError("give either 'delegate' or 'judge_model_options': a delegate asks no judge")
        return self
