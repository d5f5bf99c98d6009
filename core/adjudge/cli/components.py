"""``adjudge criteria`` and ``adjudge agents``: what is installed, and what each component needs."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

import click

from adjudge.cli.options import described_options
from adjudge.cli.session import load_for_listing
from adjudge.cli.tables import show_fields, show_table
from adjudge.extension.specs import AgentAdapterSpec, CriterionSpec, Need

if TYPE_CHECKING:
    from adjudge.extension.registry import Registered, Registry

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
        _show({**_criterion(found), **_options(found)}, found, as_json=as_json)
        return
    if as_json:
        rows = [{**_criterion(item), **_options(item)} for item in extensions.criteria]
        click.echo(json.dumps(rows, indent=2, ensure_ascii=False))
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
                    _shown_name(item, extensions.criteria),
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
        _show({**_agent(found), **_options(found)}, found, as_json=as_json)
        return
    if as_json:
        rows = [{**_agent(item), **_options(item)} for item in extensions.agent_adapters]
        click.echo(json.dumps(rows, indent=2, ensure_ascii=False))
    else:
        show_table(
            ("agent", "evaluates", "takes a state", "shows its state", "plugin"),
            [
                (
                    _shown_name(item, extensions.agent_adapters),
                    item.spec.summary,
                    _yes(item.spec.takes_state),
                    _yes(item.spec.shows_state),
                    item.plugin,
                )
                for item in extensions.agent_adapters
            ],
        )


def _component(item: Registered[Any]) -> dict[str, Any]:
    return {
        "id": item.id,
        "name": item.spec.name,
        "summary": item.spec.summary,
        "plugin": item.plugin,
        "distribution": item.distribution,
        "distribution_version": item.distribution_version,
        "version": item.spec.version,
        "missing_modules": _missing(item.spec.requires),
    }


def _options(item: Registered[Any]) -> dict[str, Any]:
    return {"options": described_options(item.spec.config)}


def _criterion(item: Registered[CriterionSpec]) -> dict[str, Any]:
    spec = item.spec
    return {
        **_component(item),
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
        **_component(item),
        "takes_state": item.spec.takes_state,
        "shows_state": item.spec.shows_state,
    }


def _show(facts: dict[str, Any], item: Registered[Any], *, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(facts, indent=2, ensure_ascii=False))
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
    fields.append(("version", str(item.spec.version)))
    fields.append(("plugin", f"{item.plugin} ({item.distribution} {item.distribution_version})"))
    if facts["missing_modules"]:
        fields.append(("not installed", ", ".join(facts["missing_modules"])))
    show_fields(fields)
    if not facts["options"]:
        click.echo("\nIt has no options.")
        return
    click.echo()
    show_table(
        ("option", "type", "default", "meaning"),
        [
            (
                option["name"] + (f" ({option['alias']})" if option["alias"] else ""),
                option["type"],
                "required" if option["required"] else json.dumps(option["default"], ensure_ascii=False),
                option["description"],
            )
            for option in facts["options"]
        ],
    )


def _shown_name(item: Registered[Any], registry: Registry[Any]) -> str:
    """The short name where it is enough to name the component."""
    shared = sum(other.spec.name == item.spec.name for other in registry) > 1
    return item.id if shared else item.spec.name


def _missing(modules: Iterable[str]) -> list[str]:
    if not modules:
        return []
    from importlib.util import find_spec

    return [module for module in modules if find_spec(module.partition(".")[0]) is None]


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
