"""Options of ``response_match_score``."""

from __future__ import annotations

from pydantic import ConfigDict, Field

from adjudge.plugin import ComponentConfig


class ResponseMatchConfig(ComponentConfig):
    """Options of ``response_match_score``, as ADK's ``BaseCriterion`` has them."""

    model_config = ConfigDict(extra="allow", populate_by_name=True)

    include_intermediate_responses_in_final: bool = Field(
        default=False, alias="includeIntermediateResponsesInFinal"
    )
    """Whether the texts before the final response count too, on both sides."""
