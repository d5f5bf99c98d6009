"""A listing for every kind of component: what is installed, and what each needs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

import click

from adjudge.cli.listing import (
    component_facts,
    json_option,
    load_for_listing,
    option_facts,
    origin_fields,
    say_document,
    show_component,
    shown_name,
)
from adjudge.extension.specs import CriterionSpec, Need
from adjudge.extension.tables import show_table

if TYPE_CHECKING:
    from adjudge.extension.registry import Registered, Registry

_Facts: TypeAlias = Mapping[str, Any]
_Cells: TypeAlias = Mapping[str, str | Callable[[_Facts], str]]
"""Headers, to the fact that stands below, or to what is made of the facts."""

_REFERENCES: Final = frozenset(
    {
        Need.EXPECTED_INVOCATIONS,
        Need.REFERENCE_RESPONSE,
        Need.REFERENCE_INTERMEDIATE_RESPONSES,
        Need.FINAL_SESSION_STATE,
    }
)


def _listing(
    hook: str,
    header: str,
    *,
    lists: str,
    name: str = "a short name",
    facts: Callable[[Any], _Facts],
    table: _Cells,
    one: _Cells | None = None,
) -> click.Command:
    """The command that lists the components of one kind, or shows one.

    Args:
        hook: The provider hook that describes them.
        header: What stands above their names.
        lists: What the command lists, for its help.
        name: What a name of theirs is, for its help.
        facts: What a spec says besides what all specs say.
        table: The columns of the listing between the first and the last.
        one: What is shown of a single one; otherwise the same.
    """

    @click.argument("name", required=False)
    @json_option
    @click.pass_obj
    def command(no_plugins: tuple[str, ...], name: str | None, as_json: bool) -> None:
        registry: Registry[Any] = getattr(load_for_listing(no_plugins), hook)

        def known(item: Registered[Any]) -> dict[str, Any]:
            return {
                **component_facts(item),
                **facts(item.spec),
                **(option_facts(item) if as_json or name else {}),
            }

        if name is None:
            listed = [(item, known(item)) for item in registry]
            if as_json:
                say_document([told for _, told in listed])
                return
            rows = [
                (shown_name(item, registry), *_cells(table, told).values(), item.owner.name)
                for item, told in listed
            ]
            show_table((header, *table, "plugin"), rows)
            return
        item = registry.resolve(name)
        told = known(item)
        if as_json:
            say_document(told)
            return
        shown = _cells(one or table, told).items()
        show_component(
            [("name", item.spec.name), ("id", item.id), *shown, *origin_fields(item)], told["options"]
        )

    told = f"List {lists}, or show one with its options.\n\nNAME is {name}, an alias, or plugin/component."
    return click.command(help=told)(command)


def _cells(cells: _Cells, facts: _Facts) -> dict[str, str]:
    return {
        header: _in_words(facts[cell]) if isinstance(cell, str) else cell(facts)
        for header, cell in cells.items()
    }


def _in_words(fact: object) -> str:
    match fact:
        case None:
            return "none"
        case bool():
            return "yes" if fact else "no"
        case float():
            return f"{fact:g}"
        case list() | tuple():
            return ", ".join(cast("Sequence[str]", fact)) or "nothing"
        case _:
            return str(fact)


def _fields(*names: str) -> Callable[[Any], _Facts]:
    return lambda spec: {name: getattr(spec, name) for name in names}


def _criterion(spec: CriterionSpec) -> _Facts:
    return {
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


def _range(facts: _Facts) -> str:
    low, high = facts["value_range"]
    if low is None:
        return "any number" if high is None else f"{high:g} and less"
    return f"{low:g} and more" if high is None else f"{low:g} to {high:g}"


_MEASURED: Final[_Cells] = {
    "simulated conversations": "simulated_conversations",
    "range": _range,
    "better": lambda facts: "lower" if facts["lower_is_better"] else "higher",
    "default threshold": "default_threshold",
}
criteria_command = _listing(
    "criteria",
    "criterion",
    lists="the criteria that are installed",
    facts=_criterion,
    table={
        "measures": "summary",
        "reference-based": "reference_based",
        "needs rubrics": "needs_rubrics",
        "LLM judge": "llm_judge",
        **_MEASURED,
    },
    one={"measures": "summary", "needs": "needs", **_MEASURED},
)
agents_command = _listing(
    "agent_adapters",
    "agent",
    lists="the kinds of agents that can be evaluated",
    name="the scheme before the colon of AGENT",
    facts=_fields("takes_state", "shows_state"),
    table={"evaluates": "summary", "takes a state": "takes_state", "shows its state": "shows_state"},
)
_STRATEGIES: Final[_Cells] = {"shows": "summary", "fineness": "fineness", "reads": "reads"}
granularity_command = _listing(
    "granularity_strategies",
    "strategy",
    lists="the granularity strategies that are installed",
    facts=_fields("fineness", "reads", "when_to_use", "keywords"),
    table=_STRATEGIES,
    one={**_STRATEGIES, "when to use": "when_to_use", "keywords": "keywords"},
)
readers_command = _listing(
    "trace_readers",
    "reader",
    lists="the readers of logs that are installed",
    facts=_fields("patterns", "recognised_by"),
    table={"reads": "summary", "files": "patterns"},
    one={"reads": "summary", "files": "patterns", "recognised by": "recognised_by"},
)
reporters_command = _listing(
    "reporters",
    "reporter",
    lists="the reporters that are installed",
    facts=_fields("suffixes", "is_default"),
    table={"writes": "summary", "endings": "suffixes", "default": "is_default"},
)
simulators_command = _listing(
    "user_simulators",
    "simulator",
    lists="the user simulators that are installed",
    facts=_fields(),
    table={"simulates": "summary"},
)
