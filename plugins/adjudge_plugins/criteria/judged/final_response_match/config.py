"""Options of ``final_response_match_v2``."""

from __future__ import annotations

from adjudge.kit.judged_criteria import JudgedConfig


class FinalResponseMatchConfig(JudgedConfig):
    """Options of ``final_response_match_v2`` (ADK ``LlmAsAJudgeCriterion``)."""

    include_intermediate_responses_in_final: bool = False
    """Whether the texts before the final response are compared too, in the response and in the reference."""
