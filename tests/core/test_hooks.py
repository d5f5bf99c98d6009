"""The hooks are the same everywhere: specs, lists, decorators, registries and documentation."""

from __future__ import annotations

import asyncio
import re
import typing
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from adjudge import plugin
from adjudge.cli import cli
from adjudge.extension.hooks import OBSERVER_HOOKS, PROVIDER_HOOKS, ObserverHook, ProviderHook
from adjudge.extension.loader import Extensions
from adjudge.model import Content, EvalCase, SimulatedConversation, UserTurn
from adjudge.plugin import UserSimulator, UserSimulatorSpec, hookimpl
from adjudge.testing import FakeHost, manager

HOOKS = [*PROVIDER_HOOKS, *OBSERVER_HOOKS]
PAGE = Path(__file__).parents[2] / "docs" / "authors" / "hooks.md"
LISTINGS = ("criteria", "judges", "granularity", "agents", "readers", "reporters", "simulators", "observers")
"""The command that lists what each provider hook gives, in the order of the hooks."""


def test_every_provider_hook_has_a_registry() -> None:
    extensions = Extensions([])
    for hook in PROVIDER_HOOKS:
        assert len(getattr(extensions, hook)) == 0


@pytest.mark.parametrize(("hook", "listing"), list(zip(PROVIDER_HOOKS, LISTINGS, strict=True)))
def test_every_provider_hook_has_a_listing(hook: str, listing: str) -> None:
    help_page = CliRunner().invoke(cli, ["--help"]).stdout
    listed = CliRunner().invoke(cli, [listing, "--json"])

    assert f"\n  {listing} " in help_page
    assert listed.exit_code == 0, listed.output
    ids = [item.id for item in getattr(Extensions.load(), hook)]
    assert sorted(re.findall(r'^    "id": "(.*)",$', listed.stdout, re.MULTILINE)) == ids


def test_a_component_of_a_stranger_is_found_by_the_hook_of_its_kind() -> None:
    class Patient:
        async def next_message(self, conversation: SimulatedConversation) -> UserTurn:
            return UserTurn(content=Content.of_text(f"{conversation.case.eval_id}?"))

    class Simulators:
        @hookimpl.user_simulators
        def simulators(self) -> Iterable[UserSimulatorSpec]:
            yield UserSimulatorSpec(
                name="patient", summary="Asks again and again", factory=lambda config, host: Patient()
            )

    [found] = manager(Simulators()).user_simulators
    simulator: UserSimulator = found.spec.factory(found.spec.config(), FakeHost(Path.cwd()))
    turn = asyncio.run(simulator.next_message(SimulatedConversation(case=EvalCase(eval_id="Where is it"))))

    assert found.spec.kind == "user simulator"
    assert turn.content is not None
    assert turn.content.text == "Where is it?"


@pytest.mark.parametrize("given", [{}, {"content": Content.of_text("more"), "stop": "enough"}])
def test_a_simulated_user_says_one_thing_at_a_time(given: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="expected one of 'content', 'stop' and 'fault'"):
        UserTurn(**given)


@pytest.mark.parametrize("kind", [ProviderHook, ObserverHook])
def test_a_decorator_keeps_the_type_of_the_function(kind: type[object]) -> None:
    decorator = typing.get_type_hints(kind.__call__)

    assert decorator["function"] == decorator["return"]


@pytest.mark.parametrize("hook", HOOKS)
def test_a_decorator_marks_a_function_of_any_name(hook: str) -> None:
    def anything(*_: object) -> None: ...

    assert getattr(hookimpl, hook)(anything).adjudge_impl["specname"] == hook


def test_a_misspelt_hook_is_told_with_the_hooks_that_there_are() -> None:
    with pytest.raises(AttributeError, match="no hook 'criterions'; the hooks are criteria, judge_backends"):
        hookimpl.criterions  # type: ignore[attr-defined]  # noqa: B018


def test_every_event_reaches_authors() -> None:
    for hook in OBSERVER_HOOKS.values():
        assert getattr(plugin, hook.data_class.__name__) is hook.data_class


def test_every_spec_reaches_authors() -> None:
    for hook in PROVIDER_HOOKS.values():
        assert getattr(plugin, hook.data_class.__name__) is hook.data_class


@pytest.mark.parametrize("hook", HOOKS)
def test_every_hook_is_documented(hook: str) -> None:
    page = PAGE.read_text(encoding="utf-8")
    headings = re.split(r"^## ", page, flags=re.MULTILINE)[1:]

    [section] = [text for text in headings if text.startswith(f"`{hook}`\n")]
    for told in ("Called", "Argument", "Returns", "Errors"):
        assert re.search(rf"^\| {told} \|", section, flags=re.MULTILINE), f"{hook}: no line {told!r}"


def test_no_hook_is_documented_that_is_not_there() -> None:
    page = PAGE.read_text(encoding="utf-8")

    assert re.findall(r"^## `(\w+)`$", page, flags=re.MULTILINE) == HOOKS


def test_what_the_plugin_module_exports_is_there_and_sorted() -> None:
    assert plugin.__all__ == sorted(plugin.__all__)
    assert all(hasattr(plugin, name) for name in plugin.__all__)
