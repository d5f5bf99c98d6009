"""``adjudge criteria``, ``agents`` and ``granularity``: what is installed, and what each component needs."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import click

from adjudge.cli.component_info import (
    component_facts,
    option_facts,
    origin_fields,
    show_component,
    shown_name,
)
from adjudge.cli.session import load_for_listing
from adjudge.extension.specs import AgentAdapterSpec, CriterionSpec, GranularityStrategySpec, Need
from adjudge.extension.tables import show_table
from adjudge.extension.terminal import say_json

if TYPE_CHECKING:
    from adjudge.extension.registry import Registered, Registry

_Facts: TypeAlias = Callable[["Registered[Any]"], dict[str, Any]]
_Cells: TypeAlias = Mapping[str, Callable[[Any, dict[str, Any]], str]]
"""Headers, to what stands below them of a spec and its facts."""

_REFERENCES: Final = frozenset(
    {
        Need.EXPECTED_INVOCATIONS,
        Need.REFERENCE_RESPONSE,
        Need.REFERENCE_INTERMEDIATE_RESPONSES,
        Need.FINAL_SESSION_STATE,
    }
)


@click.command("criteria")
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def criteria_command(no_plugins: tuple[str, ...], name: str | None, as_json: bool) -> None:
    """List the criteria that are installed, or show one with its options.

    NAME is a short name, an alias, or plugin/component.
    """
    cells = _CRITERIA if name is None else _ONE_CRITERION
    _tell("criterion", load_for_listing(no_plugins).criteria, name, _criterion, cells, as_json=as_json)


@click.command("agents")
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def agents_command(no_plugins: tuple[str, ...], name: str | None, as_json: bool) -> None:
    """List the kinds of agents that can be evaluated, or show one with its options.

    NAME is the scheme before the colon of AGENT, an alias, or plugin/component.
    """
    _tell("agent", load_for_listing(no_plugins).agent_adapters, name, _agent, _AGENTS, as_json=as_json)


@click.command("granularity")
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def granularity_command(no_plugins: tuple[str, ...], name: str | None, as_json: bool) -> None:
    """List the granularity strategies that are installed, or show one.

    NAME is a short name, an alias, or plugin/component.
    """
    registry = load_for_listing(no_plugins).granularity_strategies
    cells = _STRATEGIES if name is None else _ONE_STRATEGY
    _tell("strategy", registry, name, _strategy, cells, as_json=as_json)


def _tell(
    kind: str, registry: Registry[Any], name: str | None, facts: _Facts, cells: _Cells, *, as_json: bool
) -> None:
    """List the components of a kind, or show the one of that name."""
    if name is None:
        _list(kind, registry, facts, cells, as_json=as_json)
    else:
        _show(registry.resolve(name), facts, cells, as_json=as_json)


def _list(kind: str, registry: Registry[Any], facts: _Facts, cells: _Cells, *, as_json: bool) -> None:
    if as_json:
        rows = [{**facts(item), **option_facts(item)} for item in registry]
        say_json(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    show_table(
        (kind, *cells, "plugin"),
        [
            (
                shown_name(item, registry),
                *(cell(item.spec, known) for cell in cells.values()),
                item.plugin,
            )
            for item in registry
            for known in [facts(item)]
        ],
    )


def _show(item: Registered[Any], facts: _Facts, cells: _Cells, *, as_json: bool) -> None:
    known = {**facts(item), **option_facts(item)}
    if as_json:
        say_json(json.dumps(known, indent=2, ensure_ascii=False))
        return
    told = [(header, cell(item.spec, known)) for header, cell in cells.items()]
    show_component([("name", item.spec.name), ("id", item.id), *told, *origin_fields(item)], known["options"])


def _criterion(item: Registered[CriterionSpec]) -> dict[str, Any]:
    spec = item.spec
    return {
        **component_facts(item),
        "reference_based": bool(spec.needs & _REFERENCES),
        "needs_rubrics": Need.RUBRICS in spec.needs,
        "llm_judge": Need.JUDGE in spec.needs,
        "simulated_conversations": spec.simulated_conversations,
        "needs": sorted(spec.needs),
        # JSON has no infinity: null is "no limit".
        "value_range": [bound if math.isfinite(bound) else None for bound in spec.value_range],
        "lower_is_better": spec.lower_is_better,
        "default_threshold": spec.default_threshold,
    }


def _agent(item: Registered[AgentAdapterSpec]) -> dict[str, Any]:
    return {
        **component_facts(item),
        "takes_state": item.spec.takes_state,
        "shows_state": item.spec.shows_state,
    }


def _strategy(item: Registered[GranularityStrategySpec]) -> dict[str, Any]:
    spec = item.spec
    return {
        **component_facts(item),
        "fineness": spec.fineness,
        "reads": spec.reads,
        "when_to_use": spec.when_to_use,
        "keywords": list(spec.keywords),
    }


def _summary(spec: Any, _: dict[str, Any]) -> str:
    return str(spec.summary)


def _yes(fact: str) -> Callable[[Any, dict[str, Any]], str]:
    return lambda _, known: "yes" if known[fact] else "no"


def _range(spec: CriterionSpec, _: dict[str, Any]) -> str:
    low, high = spec.value_range
    if math.isfinite(low) and math.isfinite(high):
        return f"{low:g} to {high:g}"
    if math.isfinite(low):
        return f"{low:g} and more"
    return f"{high:g} and less" if math.isfinite(high) else "any number"


_MEASURED: Final[_Cells] = {
    "simulated conversations": _yes("simulated_conversations"),
    "range": _range,
    "better": lambda spec, _: "lower" if spec.lower_is_better else "higher",
    "default threshold": lambda spec, _: (
        "none" if spec.default_threshold is None else f"{spec.default_threshold:g}"
    ),
}
_CRITERIA: Final[_Cells] = {
    "measures": _summary,
    "reference-based": _yes("reference_based"),
    "needs rubrics": _yes("needs_rubrics"),
    "LLM judge": _yes("llm_judge"),
    **_MEASURED,
}
_ONE_CRITERION: Final[_Cells] = {
    "measures": _summary,
    "needs": lambda _, known: ", ".join(known["needs"]) or "nothing",
    **_MEASURED,
}
_AGENTS: Final[_Cells] = {
    "evaluates": _summary,
    "takes a state": _yes("takes_state"),
    "shows its state": _yes("shows_state"),
}
_STRATEGIES: Final[_Cells] = {
    "shows": _summary,
    "fineness": lambda spec, _: "none" if spec.fineness is None else f"{spec.fineness:g}",
    "reads": lambda spec, _: str(spec.reads),
}
_ONE_STRATEGY: Final[_Cells] = {
    **_STRATEGIES,
    "when to use": lambda spec, _: str(spec.when_to_use),
    "keywords": lambda spec, _: ", ".join(spec.keywords) or "none",
}
