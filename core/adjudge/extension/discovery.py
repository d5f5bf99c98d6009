"""Finds what the distributions of this environment register, without importing it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import partial
from typing import Any, Final, Protocol

from adjudge.extension.candidates import PROJECT, Candidate, unloadable
from adjudge.extension.importing import installed_path

DISABLE_VARIABLE: Final = "ADJUDGE_DISABLE_PLUGINS"
_UNKNOWN: Final = "unknown"


class _Distribution(Protocol):
    """The protocol of an installed distribution; importlib-metadata's own classes differ by version."""

    @property
    def name(self) -> str: ...
    @property
    def version(self) -> str: ...
    @property
    def requires(self) -> list[str] | None: ...


def installed(group: str = PROJECT) -> list[Candidate]:
    """The entry points of a group in this environment: adjudge's own first, then sorted by distribution and name.

    A distribution with unreadable metadata becomes a candidate that fails to load, so that it is reported and does not
    affect other plugins.
    """
    import importlib_metadata

    found: list[Candidate] = []
    seen: set[str] = set()
    distributions: Iterable[Any] = importlib_metadata.distributions(path=installed_path())  # pyright: ignore[reportUnknownMemberType]
    for distribution in distributions:
        try:
            # Of equal names the first on the path counts: imports find it. This is the name of its folder, because
            # parsing the metadata of all distributions for their names would take long.
            name = distribution._normalized_name
            if name in seen:
                continue
            seen.add(name)
            entries = tuple(distribution.entry_points.select(group=group))
        except Exception as error:
            name, version = _name_and_version(distribution)
            reason = f"the entry points of this distribution cannot be read: {error}"
            found.append(unloadable(name, name, version, reason))
            continue
        if entries:
            name, version = _name_and_version(distribution)
            found += [
                Candidate(
                    name=entry.name,
                    module=entry.value,
                    distribution=name,
                    version=version,
                    load=entry.load,
                    requires=partial(_requirements, distribution),
                )
                for entry in entries
            ]
    return sorted(found, key=lambda item: (not item.is_built_in, item.distribution, item.name))


def disabled_by_variable() -> tuple[str, ...]:
    """The names of plugins and distributions that the environment variable disables."""
    named = (name.strip() for name in os.environ.get(DISABLE_VARIABLE, "").split(","))
    return tuple(filter(None, named))


def _name_and_version(distribution: _Distribution) -> tuple[str, str]:
    try:
        name = distribution.name
    except Exception:
        return _UNKNOWN, _UNKNOWN
    try:
        return name, distribution.version
    except Exception:
        return name, _UNKNOWN


def _requirements(distribution: _Distribution) -> tuple[str, ...]:
    return tuple(distribution.requires or ())
