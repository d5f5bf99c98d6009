"""``llm_backed``: a user played by a model (ADK ``LlmBackedUserSimulator``)."""

from __future__ import annotations

from collections.abc import Iterable

from adjudge.plugin import Host, UserSimulator, UserSimulatorSpec, hookimpl
from adjudge_plugins.simulators.llm_backed_simulator.config import LlmBackedConfig


def _make(config: LlmBackedConfig, host: Host) -> UserSimulator:
    from adjudge_plugins.simulators.llm_backed_simulator.simulator import LlmBackedSimulator

    return LlmBackedSimulator(config, host.judge(config.judge_model_options))


@hookimpl.user_simulators
def user_simulators() -> Iterable[UserSimulatorSpec]:
    """Describe ``llm_backed``."""
    return [
        UserSimulatorSpec(
            name="llm_backed",
            summary="A model plays the user: it follows the plan of the scenario, and its persona",
            factory=_make,
            config=LlmBackedConfig,
        )
    ]
