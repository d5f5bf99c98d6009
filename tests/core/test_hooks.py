"""The hooks are the same everywhere: specs, lists, decorators, registries and documentation."""

from __future__ import annotations

import inspect
import re
import typing
from pathlib import Path

import pytest

from adjudge import plugin
from adjudge.extension import events, hookspecs
from adjudge.extension.loader import Extensions
from adjudge.plugin import hookimpl

HOOKS = [*hookspecs.PROVIDER_HOOKS, *hookspecs.OBSERVER_HOOKS]
PAGE = Path(__file__).parents[2] / "docs" / "authors" / "hooks.md"


def test_the_table_of_hooks_has_a_decorator_for_each_and_no_other() -> None:
    decorators = [name for name in vars(type(hookimpl)) if not name.startswith("_")]

    assert decorators == HOOKS


def test_every_provider_hook_has_a_registry() -> None:
    extensions = Extensions([])
    for hook in hookspecs.PROVIDER_HOOKS:
        assert len(getattr(extensions, hook)) == 0


@pytest.mark.parametrize("hook", HOOKS)
def test_a_decorator_keeps_the_type_of_the_function(hook: str) -> None:
    decorator = typing.get_type_hints(getattr(type(hookimpl), hook))

    assert decorator["function"] == decorator["return"]
    [given] = typing.get_args(decorator["function"])[-1:]
    if hook in hookspecs.PROVIDER_HOOKS:
        assert typing.get_args(given) == (hookspecs.PROVIDER_HOOKS[hook],)
    else:
        assert given.__module__ == events.__name__


@pytest.mark.parametrize("hook", HOOKS)
def test_a_decorator_marks_a_function_of_any_name(hook: str) -> None:
    def anything(*_: object) -> None: ...

    assert getattr(hookimpl, hook)(anything).adjudge_impl["specname"] == hook


def test_a_misspelt_hook_is_told_with_the_hooks_that_there_are() -> None:
    with pytest.raises(AttributeError, match="no hook 'criterions'; the hooks are criteria, judge_backends"):
        hookimpl.criterions  # type: ignore[attr-defined]  # noqa: B018


def test_every_event_reaches_authors_and_an_observer() -> None:
    classes = {
        name
        for name, item in vars(events).items()
        if inspect.isclass(item) and item.__module__ == events.__name__
    }

    observed = {
        typing.get_args(typing.get_type_hints(getattr(type(hookimpl), hook))["function"])[0].__name__
        for hook in hookspecs.OBSERVER_HOOKS
    }
    assert classes == observed
    assert classes <= set(plugin.__all__)


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
