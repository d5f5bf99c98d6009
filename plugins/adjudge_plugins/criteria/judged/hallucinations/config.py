"""Options of ``hallucinations_v1``."""

from __future__ import annotations

from adjudge.kit.judged_criteria import JudgedConfig


class HallucinationsConfig(JudgedConfig):
    """Options of ``hallucinations_v1`` (ADK ``HallucinationsCriterion``)."""

    evaluate_intermediate_nl_responses: bool = False
    """Whether the texts before the final response are judged too, each with the context known at that point."""
