"""``adjudge plugins check``: the strict load, and the conformance tests that need nothing but the plugin."""

from __future__ import annotations

import inspect
import tempfile
import traceback
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, cast
from unittest import SkipTest

import click

from adjudge.errors import InputError
from adjudge.extension.configuration import validated_config
from adjudge.extension.discovery import Candidate, discover
from adjudge.extension.loader import Extensions, PluginRecord, PluginState
from adjudge.testing.conformance import (
    AgentAdapterConformance,
    ComponentConformance,
    CriterionConformance,
    GranularityStrategyConformance,
    JudgeBackendConformance,
    ReporterConformance,
    TraceReaderConformance,
)

_CLASSES: Final[Mapping[str, type[ComponentConformance[Any]]]] = {
    "criteria": CriterionConformance,
    "judge_backends": JudgeBackendConformance,
    "granularity_strategies": GranularityStrategyConformance,
    "agent_adapters": AgentAdapterConformance,
    "trace_readers": TraceReaderConformance,
    "reporters": ReporterConformance,
}
_NEEDS_NO_OPTIONS: Final = ("test_the_spec_is_valid", "test_importing_the_plugin_is_light")


def check_plugin(record: PluginRecord, extensions: Extensions) -> bool:
    """Test one plugin, print what was found, and say whether it is sound."""
    click.echo(f"{record.state} {record.name} ({record.distribution} {record.version})")
    if record.state is not PluginState.ACTIVE:
        if record.error is not None:
            click.echo("".join(traceback.format_exception(record.error)).rstrip())
        click.echo(f"  {record.reason}")
        return False
    candidate = _candidate_of(record)
    sound = True
    for component in record.components:
        kind, _, name = component.partition(": ")
        click.echo(f"  {component}")
        for problem in _problems(kind, f"{record.name}/{name}", candidate):
            sound = False
            click.echo(f"    bad: {problem}")
        _tell_of_shared_name(extensions, kind, name)
    if sound:
        click.echo("  sound")
    return sound


def _problems(kind: str, component: str, candidate: Candidate) -> Iterator[str]:
    members = {"component": component, "plugin": candidate}
    conformance: ComponentConformance[Any] = cast("Any", type("Check", (_CLASSES[kind],), members))()
    names = [name for name in dir(conformance) if name.startswith("test_")]
    try:
        validated_config(conformance.spec.config, {})
    except InputError as error:
        missing = ", ".join(sorted({(problem.path or "$").rpartition(".")[2] for problem in error.problems}))
        click.echo(f"    not run: it needs options ({missing}); test it with adjudge.testing")
        names = list(_NEEDS_NO_OPTIONS)
    else:
        if kind == "criteria" and (lacks := _lacks(conformance)) is not None:
            click.echo(f"    not run: {lacks}; test it with adjudge.testing")
            names = list(_NEEDS_NO_OPTIONS)
    for name in names:
        problem = _problem(getattr(conformance, name))
        if problem:
            words = name.removeprefix("test_").replace("_", " ")
            yield f"{words}: {problem}"


def _lacks(conformance: ComponentConformance[Any]) -> str | None:
    """What a criterion says that it needs and this machine lacks, for instance an account."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            conformance.build(Path(folder))
        except InputError as error:
            return "; ".join(problem.what for problem in error.problems)
        except Exception:
            return None  # the tests tell it
    return None


def _problem(test: Callable[..., None]) -> str | None:
    wants_folder = "tmp_path" in inspect.signature(test).parameters
    with tempfile.TemporaryDirectory() as folder:
        try:
            test(**({"tmp_path": Path(folder)} if wants_folder else {}))
        except SkipTest:
            return None
        except AssertionError as error:
            return str(error) or "not so"
        except Exception:
            return f"it raised\n{traceback.format_exc().rstrip()}"
    return None


def _candidate_of(record: PluginRecord) -> Candidate:
    return next(
        candidate
        for candidate in discover()
        if (candidate.name, candidate.distribution) == (record.name, record.distribution)
    )


def _tell_of_shared_name(extensions: Extensions, kind: str, name: str) -> None:
    sharing = [item.id for item in getattr(extensions, kind) if item.spec.name == name]
    if len(sharing) > 1:
        click.echo(f"    note: the short name {name!r} is shared by {', '.join(sharing)}")
