"""Admission: checks an imported plugin against its contract, and collects its components."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, cast

import pluggy

from adjudge.errors import PluginError
from adjudge.extension.candidates import OWN_DISTRIBUTION, Candidate, canonical_name
from adjudge.extension.hooks import PROVIDER_HOOKS
from adjudge.extension.registry import Registered
from adjudge.extension.specs import API_VERSION, Spec


def register(manager: pluggy.PluginManager, plugin: object, name: str) -> tuple[str, ...]:
    """Register ``plugin`` and return the hooks that it implements.

    Raises:
        PluginError: it requires another API version, implements no hook, or is a hook wrapper.
        pluggy.PluginValidationError: a hook is unknown, or has parameters that its specification does not have.
    """
    _check_api_version(plugin)
    manager.register(plugin, name)
    manager.check_pending()
    callers = manager.get_hookcallers(plugin) or []
    if not callers:
        raise PluginError("it implements no hook; mark functions with @adjudge.plugin.hookimpl.<hook>")
    for caller in callers:
        for implementation in caller.get_hookimpls():
            if implementation.plugin is plugin and (implementation.wrapper or implementation.hookwrapper):
                raise PluginError(
                    f"hook {caller.name} is implemented as a wrapper; adjudge calls plugins one by one"
                )
    return tuple(sorted(caller.name for caller in callers))


def collect(
    manager: pluggy.PluginManager, plugin: object, candidate: Candidate
) -> list[tuple[str, Registered[Any]]]:
    """Call every provider hook of ``plugin``; returns pairs of a hook's name and a component.

    Raises:
        PluginError: a hook returns something other than valid specs with different names.
    """
    return [
        (hook, Registered(spec=spec, owner=candidate))
        for hook in PROVIDER_HOOKS
        for spec in _specs(manager, plugin, hook)
    ]


def unmet_requirement(candidate: Candidate) -> str:
    """The unmet requirement on adjudge of a failed plugin's distribution, if any."""
    import importlib_metadata
    from packaging.requirements import Requirement

    try:
        installed = importlib_metadata.version(OWN_DISTRIBUTION)
        for text in candidate.requires():
            requirement = Requirement(text)
            if canonical_name(requirement.name) == OWN_DISTRIBUTION and not requirement.specifier.contains(
                installed, prereleases=True
            ):
                return f" ({candidate.release} asks for {text}, {installed} is installed)"
    except Exception:
        # The plugin has already failed; unreadable metadata must not hide the reason.
        return ""
    return ""


def _check_api_version(plugin: object) -> None:
    asked = getattr(plugin, "adjudge_api", API_VERSION)
    match asked:
        case (int(major), int(minor)):
            pass
        case _:
            raise PluginError(f"adjudge_api must be a pair of whole numbers, found {asked!r}")
    if major != API_VERSION[0] or minor > API_VERSION[1]:
        raise PluginError(
            f"it is made for plugin API {major}.{minor}, this adjudge offers "
            f"{API_VERSION[0]}.{API_VERSION[1]}; upgrade adjudge or install another version of the plugin"
        )


def _specs(manager: pluggy.PluginManager, plugin: object, hook: str) -> Iterator[Spec[Any]]:
    """The specs that a plugin returns from one hook."""
    wanted: type[Spec[Any]] = PROVIDER_HOOKS[hook].data_class
    seen: set[str] = set()
    for implementation in getattr(manager.hook, hook).get_hookimpls():
        if implementation.plugin is not plugin:
            continue
        returned: object = implementation.function()
        if not isinstance(returned, Iterable):
            found = type(returned).__name__
            raise PluginError(f"hook {hook} must return or yield {wanted.__name__} objects, found {found}")
        for spec in cast("Iterable[object]", returned):
            if not isinstance(spec, wanted):
                found = type(spec).__name__
                raise PluginError(f"hook {hook} must yield {wanted.__name__} objects, found {found}")
            problems = spec.problems()
            if spec.name in seen:
                problems.append(f"name {spec.name!r} is used twice")
            if problems:
                raise PluginError(f"hook {hook} yields a spec that is not valid: {'; '.join(problems)}")
            seen.add(spec.name)
            yield spec
