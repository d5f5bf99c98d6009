"""Criteria that can leave the measuring to another one."""

from __future__ import annotations

from typing import Self

from pydantic import model_validator

from adjudge.kit.judged_criteria.config import JudgedConfig


class DelegatingConfig(JudgedConfig):
    """Options of a criterion that asks a judge, unless another criterion measures in its place."""

    delegate: str | None = None
    """The criterion that measures instead, for instance ``vertex/safety`` of adjudge-vertex; no judge is asked then."""

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if self.delegate is not None and "judge_model_options" in self.model_fields_set:
            raise ValueError("give either 'delegate' or 'judge_model_options': a delegate asks no judge")
        return self
