"""The configuration of an evaluation: criteria and their thresholds."""

from __future__ import annotations

from adjudge.model.base import Frozen, JsonObject


class CriterionEntry(Frozen):
    """One entry of ``criteria`` in a configuration. All formats of files are read into this class."""

    name: str
    """The instance's name: the key in the file, shown in every result."""
    criterion: str
    """The component: a short name, an alias, or ``plugin/component``."""
    threshold: float | None = None
    """``None`` if the file gives none: the component's default threshold is used."""
    options: JsonObject = {}
    """The component's own options, as in the file."""
    is_in_words: bool = False
    """Whether it is an entry of a criteria file. If it names no component, the one for criteria in words is used."""
    is_custom_metric: bool = False
    """Whether it is an entry of ADK's ``custom_metrics``; ``criterion`` is then not used."""


class UserSimulatorEntry(Frozen):
    """The user simulator for conversation scenarios (ADK ``user_simulator_config``)."""

    simulator: str = "llm_backed"
    """The component: ``type`` in the file; the default is ADK's."""
    options: JsonObject = {}
    """The component's own options, with snake_case names."""


class EvalConfig(Frozen):
    """The criteria of an evaluation (ADK ``EvalConfig``)."""

    criteria: tuple[CriterionEntry, ...] = ()
    user_simulator: UserSimulatorEntry | None = None
    """``None`` if the configuration names none: ADK's default is used."""
    live_model_config: JsonObject | None = None
    source: str | None = None
    """The file that it was read from; ``None`` for the default and for configuration made in Python."""
    is_default: bool = False
    """Whether there is no configuration, so that the default criteria are used."""
    warnings: tuple[str, ...] = ()
    """Warnings about keys that are stored but not used."""
    extra: JsonObject | None = None
