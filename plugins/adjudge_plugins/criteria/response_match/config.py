"""Options of ``response_match_score``."""

from __future__ import annotations

from pydantic import ConfigDict

from adjudge.plugin import ComponentConfig


class ResponseMatchConfig(ComponentConfig):
    """Options of ``response_match_score``, as ADK's ``BaseCriterion`` has them. ADK allows further keys."""

    model_config = ConfigDict(extra="allow")

    include_intermediate_responses_in_final: bool = False
    """Whether the texts before the final response count too, on both sides."""
