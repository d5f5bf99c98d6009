"""``done_without_action``: whether the agent claims an action without having acted."""

from __future__ import annotations

from adjudge.plugin import Criterion, CriterionSpec, Host, NoConfig, hookimpl


def _make(config: NoConfig, host: Host) -> Criterion:  # noqa: ARG001
    from adjudge_plugins.criteria.trace.done_without_action.criterion import DoneWithoutAction

    return DoneWithoutAction()


@hookimpl.criteria
def criteria() -> list[CriterionSpec]:
    """The one criterion of this plugin."""
    return [
        CriterionSpec(
            name="done_without_action",
            summary="Whether the agent claims that it did something and the run has no action",
            factory=_make,
            simulated_conversations=True,
            lower_is_better=True,
        )
    ]
