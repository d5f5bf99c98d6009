"""``session_state_match``: whether the session ended in the expected state."""

from __future__ import annotations

from adjudge.plugin import Criterion, CriterionSpec, Host, Need, hookimpl
from adjudge_plugins.criteria.trajectory.session_state_match.config import SessionStateMatchConfig


def _make(config: SessionStateMatchConfig, host: Host) -> Criterion:  # noqa: ARG001
    from adjudge_plugins.criteria.trajectory.session_state_match.criterion import SessionStateMatch

    return SessionStateMatch(config)


@hookimpl.criteria
def criteria() -> list[CriterionSpec]:
    """The one criterion of this plugin."""
    return [
        CriterionSpec(
            name="session_state_match",
            summary="The final session state is the expected one: 1.0 or 0.0, with a diff",
            factory=_make,
            config=SessionStateMatchConfig,
            needs=frozenset({Need.FINAL_SESSION_STATE}),
            simulated_conversations=True,
            default_threshold=1.0,
        )
    ]
