"""Lists the installed components of each kind, and their requirements."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

import click

from adjudge.cli.listing import (
    json_option,
    load_for_listing,
    origin_fields,
    say_document,
    show_component,
    shown_name,
)
from adjudge.extension.tables import show_table
from adjudge.runner.inventory import component_facts, criterion_facts, option_facts

if TYPE_CHECKING:
    from adjudge.extension.registry import Registered, Registry

_Facts: TypeAlias = Mapping[str, Any]
_Cells: TypeAlias = Mapping[str, str | Callable[[_Facts], str]]
"""Cells by header: the name of a fact, or a function that makes the text from all facts."""


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
    """Create the command that lists the components of one kind, or shows one.

    Args:
        hook: The provider hook of the components.
        header: The header of the column of names.
        lists: What the command lists, for its help.
        name: What kind of name the argument is, for its help.
        facts: Returns the facts of a spec that are specific to the kind.
        table: The columns of the list between the first and the last.
        one: The fields of a single component; by default those of ``table``.
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
            _, *others = table
            show_table((header, *table, "plugin"), rows, may_be_left_out=("plugin", *reversed(others)))
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
    facts=criterion_facts,
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
_STRATEGIES: Final[_Cells] = {
    "shows": "summary",
    "fineness": "fineness",
    "reads": "reads",
    "when to use": "when_to_use",
}
granularity_command = _listing(
    "granularity_strategies",
    "strategy",
    lists="the granularity strategies that are installed",
    facts=_fields("fineness", "reads", "when_to_use", "keywords"),
    table=_STRATEGIES,
    one={**_STRATEGIES, "keywords": "keywords"},
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
observers_command = _listing(
    "run_observers",
    "observer",
    lists="the observers that are installed",
    facts=_fields("works_without_options"),
    table={"observes": "summary", "works without options": "works_without_options"},
)
simulators_command = _listing(
    "user_simulators",
    "simulator",
    lists="the user simulators that are installed",
    facts=_fields(),
    table={"simulates": "summary"},
)
