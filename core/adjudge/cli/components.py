"""``adjudge criteria`` and ``adjudge agents``: what is installed, and what each component needs."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, Final

import click

from adjudge.cli.component_info import (
    component_facts,
    option_facts,
    origin_fields,
    show_component,
    shown_name,
)
from adjudge.cli.session import load_for_listing
from adjudge.extension.specs import AgentAdapterSpec, CriterionSpec, Need
from adjudge.extension.tables import show_table
from adjudge.extension.terminal import say_json

if TYPE_CHECKING:
    from adjudge.extension.registry import Registered

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
    extensions = load_for_listing(no_plugins)
    if name is not None:
        found = extensions.criteria.resolve(name)
        _show({**_criterion(found), **option_facts(found)}, found, as_json=as_json)
        return
    if as_json:
        rows = [{**_criterion(item), **option_facts(item)} for item in extensions.criteria]
        say_json(json.dumps(rows, indent=2, ensure_ascii=False))
    else:
        show_table(
            (
                "criterion",
                "measures",
                "reference-based",
                "needs rubrics",
                "LLM judge",
                "simulated conversations",
                "range",
                "better",
                "default threshold",
                "plugin",
            ),
            [
                (
                    shown_name(item, extensions.criteria),
                    row["summary"],
                    _yes(row["reference_based"]),
                    _yes(row["needs_rubrics"]),
                    _yes(row["llm_judge"]),
                    _yes(row["simulated_conversations"]),
                    _range(item.spec),
                    "lower" if item.spec.lower_is_better else "higher",
                    _threshold(item.spec),
                    item.plugin,
                )
                for item in extensions.criteria
                for row in [_criterion(item)]
            ],
        )


@click.command("agents")
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def agents_command(no_plugins: tuple[str, ...], name: str | None, as_json: bool) -> None:
    """List the kinds of agents that can be evaluated, or show one with its options.

    NAME is the scheme before the colon of AGENT, an alias, or plugin/component.
    """
    extensions = load_for_listing(no_plugins)
    if name is not None:
        found = extensions.agent_adapters.resolve(name)
        _show({**_agent(found), **option_facts(found)}, found, as_json=as_json)
        return
    if as_json:
        rows = [{**_agent(item), **option_facts(item)} for item in extensions.agent_adapters]
        say_json(json.dumps(rows, indent=2, ensure_ascii=False))
    else:
        show_table(
            ("agent", "evaluates", "takes a state", "shows its state", "plugin"),
            [
                (
                    shown_name(item, extensions.agent_adapters),
                    item.spec.summary,
                    _yes(item.spec.takes_state),
                    _yes(item.spec.shows_state),
                    item.plugin,
                )
                for item in extensions.agent_adapters
            ],
        )


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


def _show(facts: dict[str, Any], item: Registered[Any], *, as_json: bool) -> None:
    if as_json:
        say_json(json.dumps(facts, indent=2, ensure_ascii=False))
        return
    fields = [("name", item.spec.name), ("id", item.id), ("measures", item.spec.summary)]
    if isinstance(item.spec, CriterionSpec):
        fields += [
            ("needs", ", ".join(sorted(item.spec.needs)) or "nothing"),
            ("simulated conversations", _yes(item.spec.simulated_conversations)),
            ("range", _range(item.spec)),
            ("better", "lower" if item.spec.lower_is_better else "higher"),
            ("default threshold", _threshold(item.spec)),
        ]
    else:
        fields[2] = ("evaluates", item.spec.summary)
        fields += [
            ("takes a state", _yes(facts["takes_state"])),
            ("shows its state", _yes(facts["shows_state"])),
        ]
    show_component([*fields, *origin_fields(item)], facts["options"])


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _range(spec: CriterionSpec) -> str:
    low, high = spec.value_range
    if math.isfinite(low) and math.isfinite(high):
        return f"{low:g} to {high:g}"
    if math.isfinite(low):
        return f"{low:g} and more"
    return f"{high:g} and less" if math.isfinite(high) else "any number"


def _threshold(spec: CriterionSpec) -> str:
    return "none" if spec.default_threshold is None else f"{spec.default_threshold:g}"
