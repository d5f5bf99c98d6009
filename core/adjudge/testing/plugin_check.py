"""``adjudge plugins check``: the strict load, and the conformance tests that need nothing but the plugin."""

from __future__ import annotations

import inspect
import tempfile
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, cast
from unittest import SkipTest

from adjudge.errors import InputError
from adjudge.extension.configuration import validated_config
from adjudge.extension.discovery import Candidate, discover
from adjudge.extension.loader import Extensions, PluginRecord, PluginState
from adjudge.extension.terminal import say
from adjudge.testing.conformance import (
    AgentAdapterConformance,
    ComponentConformance,
    CriterionConformance,
    GranularityStrategyConformance,
    JudgeBackendConformance,
    ReporterConformance,
    TraceReaderConformance,
    UserSimulatorConformance,
)
from adjudge.testing.conformance.component import NotRun

_CLASSES: Final[Mapping[str, type[ComponentConformance[Any]]]] = {
    conformance.kind: conformance
    for conformance in (
        CriterionConformance,
        JudgeBackendConformance,
        GranularityStrategyConformance,
        AgentAdapterConformance,
        TraceReaderConformance,
        ReporterConformance,
        UserSimulatorConformance,
    )
}
_NEEDS_NO_OPTIONS: Final = ("test_the_spec_is_valid", "test_importing_the_plugin_is_light")

Soundness: TypeAlias = Literal["sound", "bad", "not run"]
"""What is known of a plugin. ``not run``: nothing is wrong as far as it was tested, and not all of it was."""


def check_plugin(record: PluginRecord, extensions: Extensions) -> Soundness:
    """Test one plugin, print what was found, and say what is known of it."""
    say(f"{record.state} {record.name} ({record.release})")
    if record.state is not PluginState.ACTIVE:
        if record.error is not None:
            say("".join(traceback.format_exception(record.error)).rstrip())
        say(f"  {record.reason}")
        return "bad"
    candidate = _candidate_of(record)
    bad = False
    untested: list[str] = []
    for component in record.components:
        kind, _, name = component.partition(": ")
        say(f"  {component}")
        found = _tested(kind, f"{record.name}/{name}", candidate)
        for problem in found.problems:
            say(f"    bad: {problem}")
        for reason in dict.fromkeys(found.not_run):
            say(f"    not run: {reason}; test it with adjudge.testing")
        bad = bad or bool(found.problems)
        untested += [name] if found.not_run else []
        _tell_of_shared_name(extensions, kind, name)
    if bad:
        return "bad"
    if untested:
        say(f"  not known to be sound: not all tests of {', '.join(untested)} were run")
        return "not run"
    say("  sound" if record.components else "  it loads; it has no component to test")
    return "sound"


@dataclass(slots=True)
class _Tested:
    """What the tests of one component found."""

    problems: list[str] = field(default_factory=list[str])
    not_run: list[str] = field(default_factory=list[str])
    """Why some of them were not run."""


def _tested(kind: str, component: str, candidate: Candidate) -> _Tested:
    # Of a kind without a class of its own is tested what holds for every component.
    base = _CLASSES.get(kind, ComponentConformance)
    members = {"component": component, "plugin": candidate, "kind": kind}
    conformance: ComponentConformance[Any] = cast("Any", type("Check", (base,), members))()
    names = [name for name in dir(conformance) if name.startswith("test_")]
    found = _Tested()
    try:
        validated_config(conformance.spec.config, conformance.spec.example_options)
    except InputError as error:
        missing = ", ".join(sorted({(problem.path or "$").rpartition(".")[2] for problem in error.problems}))
        found.not_run.append(f"it needs options ({missing}), and its spec has no example_options")
        names = list(_NEEDS_NO_OPTIONS)
    else:
        if kind == "criteria" and (lacks := _lacks(conformance)) is not None:
            found.not_run.append(lacks)
            names = list(_NEEDS_NO_OPTIONS)
    for name in names:
        _test(getattr(conformance, name), name.removeprefix("test_").replace("_", " "), found)
    return found


def _lacks(conformance: ComponentConformance[Any]) -> str | None:
    """What a criterion says that it needs and this machine lacks, for instance an account."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            conformance.build(Path(folder))
        except InputError as error:
            return "; ".join(problem.what for problem in error.problems)
        except KeyboardInterrupt:
            raise
        except BaseException:
            return None  # the tests tell it
    return None


def _test(test: Callable[..., None], words: str, found: _Tested) -> None:
    wants_folder = "tmp_path" in inspect.signature(test).parameters
    with tempfile.TemporaryDirectory() as folder:
        try:
            test(**({"tmp_path": Path(folder)} if wants_folder else {}))
        except NotRun as error:
            found.not_run.append(str(error))
        except SkipTest:
            return  # it does not concern this component
        except AssertionError as error:
            found.problems.append(f"{words}: {error}" if str(error) else f"{words}: not so")
        except KeyboardInterrupt:
            raise
        except BaseException:  # a plugin that calls sys.exit has not passed
            found.problems.append(f"{words}: it raised\n{traceback.format_exc().rstrip()}")


def _candidate_of(record: PluginRecord) -> Candidate:
    return next(
        candidate
        for candidate in discover()
        if (candidate.name, candidate.distribution) == (record.name, record.distribution)
    )


def _tell_of_shared_name(extensions: Extensions, kind: str, name: str) -> None:
    sharing = [item.id for item in getattr(extensions, kind) if item.spec.name == name]
    if len(sharing) > 1:
        say(f"    note: the short name {name!r} is shared by {', '.join(sharing)}")
