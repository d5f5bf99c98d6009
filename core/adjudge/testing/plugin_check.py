"""``adjudge plugins check``: loads a plugin, and runs the conformance tests that need only the plugin."""

from __future__ import annotations

import inspect
import tempfile
import traceback
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, cast
from unittest import SkipTest

import click

from adjudge.errors import AdjudgeError, InputError
from adjudge.extension.candidates import Candidate
from adjudge.extension.commands import command_summary, load_command
from adjudge.extension.configuration import validated_config
from adjudge.extension.loader import Extensions, PluginRecord, PluginState, discover
from adjudge.extension.terminal import say
from adjudge.testing.conformance import (
    AgentAdapterConformance,
    ComponentConformance,
    CriterionConformance,
    GranularityStrategyConformance,
    JudgeBackendConformance,
    ObserverConformance,
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
        ObserverConformance,
    )
}
_NEEDS_NO_OPTIONS: Final = ("test_the_spec_is_valid", "test_importing_the_plugin_is_light")

Soundness: TypeAlias = Literal["sound", "bad", "not run"]
"""The result of checking a plugin. ``not run``: no problems were found, but some tests could not be run."""


def check_plugin(record: PluginRecord, extensions: Extensions) -> Soundness:
    """Test one plugin, print the findings, and return the result."""
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
        if found.not_run:
            say(f"    passed: {'; '.join(found.passed) or 'nothing'}")
            for reason, tests in found.not_run.items():
                say(f"    not run: {'; '.join(tests)}")
                say(f"      reason: {reason}")
            say(
                f"      To test the rest, use {_CLASSES.get(kind, ComponentConformance).__name__} of adjudge.testing with pytest."
            )
        bad = bad or bool(found.problems)
        untested += [name] if found.not_run else []
        _tell_of_shared_name(extensions, kind, name)
    if bad:
        return "bad"
    if untested:
        say(f"  no problem found, but some tests of {', '.join(untested)} were not run")
        return "not run"
    say("  sound" if record.components else "  it loads; it has no component to test")
    return "sound"


def check_command(candidate: Candidate, disabled: Iterable[str]) -> Soundness:
    """Import one command and make its help, print what was found, and say what is known of it."""
    say(f"command {candidate.name.replace('.', ' ')} ({candidate.release})")
    try:
        loaded = load_command(candidate.name, disabled)
        if loaded is not None:
            command, _ = loaded
            command.get_help(click.Context(command, info_name=candidate.name))
    except AdjudgeError as error:
        say(f"  bad: {error}")
        return "bad"
    except KeyboardInterrupt:
        raise
    except BaseException:  # the command is a stranger's
        say(f"  bad: its help cannot be shown: it raised\n{traceback.format_exc().rstrip()}")
        return "bad"
    if not command_summary(candidate):
        say("  bad: its function has no docstring, whose first line `adjudge --help` shows")
        return "bad"
    say("  sound")
    return "sound"


@dataclass(slots=True)
class _Tested:
    """The findings of the tests of one component."""

    passed: list[str] = field(default_factory=list[str])
    problems: list[str] = field(default_factory=list[str])
    not_run: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """The tests that were not run, by the reason."""


def _tested(kind: str, component: str, candidate: Candidate) -> _Tested:
    # A kind without its own class gets the tests for all components.
    base = _CLASSES.get(kind, ComponentConformance)
    members = {"component": component, "plugin": candidate, "kind": kind}
    conformance: ComponentConformance[Any] = cast("Any", type("Check", (base,), members))()
    names = [name for name in dir(conformance) if name.startswith("test_")]
    found = _Tested()
    lacks: str | None = None
    try:
        validated_config(conformance.spec.config, conformance.spec.example_options)
    except InputError as error:
        missing = ", ".join(sorted({(problem.path or "$").rpartition(".")[2] for problem in error.problems}))
        lacks = f"it needs options ({missing}), and its spec has no example_options"
    else:
        lacks = _lacks(conformance) if kind == "criteria" else None
    for name in names:
        words = name.removeprefix("test_").replace("_", " ")
        if lacks is None or name in _NEEDS_NO_OPTIONS:
            _test(getattr(conformance, name), words, found)
        else:
            found.not_run.setdefault(lacks, []).append(words)
    return found


def _lacks(conformance: ComponentConformance[Any]) -> str | None:
    """The requirement that is missing on this machine, for instance an account; ``None`` if there is none."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            conformance.build(Path(folder))
        except InputError as error:
            return "; ".join(problem.what for problem in error.problems)
        except KeyboardInterrupt:
            raise
        except BaseException:
            return None  # the tests will report it
    return None


def _test(test: Callable[..., None], words: str, found: _Tested) -> None:
    wants_folder = "tmp_path" in inspect.signature(test).parameters
    with tempfile.TemporaryDirectory() as folder:
        try:
            test(**({"tmp_path": Path(folder)} if wants_folder else {}))
            found.passed.append(words)
        except NotRun as error:
            found.not_run.setdefault(str(error), []).append(words)
        except SkipTest:
            return  # the test does not apply to this component
        except AssertionError as error:
            found.problems.append(f"{words}: {error}" if str(error) else f"{words}: not so")
        except KeyboardInterrupt:
            raise
        except BaseException:  # a plugin that calls sys.exit has failed too
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
