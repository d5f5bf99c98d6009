"""Options of ``rubric_based_final_response_quality_v1``."""

from __future__ import annotations

from adjudge.kit import judged_criteria


class FinalResponseQualityConfig(judged_criteria.RubricsConfig):
    """Options of ``rubric_based_final_response_quality_v1`` (ADK ``RubricsBasedCriterion``)."""

    include_intermediate_responses_in_final: bool = False
    """Whether the texts before the final response are part of the response that is judged."""
