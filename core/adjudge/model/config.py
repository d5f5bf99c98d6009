"""What to measure: the criteria of an evaluation and their thresholds."""

from __future__ import annotations

from adjudge.model.base import Frozen, JsonObject


class CriterionEntry(Frozen):
    """One entry of ``criteria`` in a configuration, in one shape whatever shape the file gave it."""

    name: str
    """The instance's name: the key in the file, shown in every result."""
    criterion: str
    """The component that measures: a short name, an alias, or ``plugin/component``."""
    threshold: float | None = None
    """``None`` where the file gives none: the component's default holds."""
    options: JsonObject = {}
    """The component's own options, as the file wrote them."""
    is_in_words: bool = False
    """Whether it is of a criteria file, in its author's words; where it names no component, one that judges words measures it."""
    is_custom_metric: bool = False
    """Whether it is of ADK's ``custom_metrics``; ``criterion`` is not read then."""


class UserSimulatorEntry(Frozen):
    """Who plays the user of conversation scenarios (ADK ``user_simulator_config``)."""

    simulator: str = "llm_backed"
    """The component: ``type`` in the file, and ADK's default where it has none."""
    options: JsonObject = {}
    """Its own options, under their snake_case names."""


class EvalConfig(Frozen):
    """The criteria of an evaluation (ADK ``EvalConfig``)."""

    criteria: tuple[CriterionEntry, ...] = ()
    user_simulator: UserSimulatorEntry | None = None
    """``None`` where the configuration says nothing: then the default of ADK plays."""
    live_model_config: JsonObject | None = None
    source: str | None = None
    """The file that it was read from; ``None`` for the default and for configuration made in Python."""
    is_default: bool = False
    """Whether nobody gave a configuration, so that the default criteria hold."""
    warnings: tuple[str, ...] = ()
    """Keys that were kept although nothing reads them."""
    extra: JsonObject | None = None
