"""Options of ``response_match_score``."""

from __future__ import annotations

from adjudge.plugin import ComponentConfig


class ResponseMatchConfig(ComponentConfig):
    """Options of ``response_match_score``, as ADK's ``BaseCriterion`` has them."""

    include_intermediate_responses_in_final: bool = False
    """Whether the texts before the final response count too, on both sides."""
