"""Loading plugins: what a stranger's module may do, and what becomes of it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.errors import PluginError, UnknownNameError
from adjudge.extension.candidates import canonical_name
from adjudge.extension.loader import Extensions, PluginState, discover
from adjudge.plugin import (
    AgentAdapterSpec,
    CriterionSpec,
    GranularityStrategySpec,
    ReporterSpec,
    RunStarted,
    hookimpl,
)
from adjudge.testing import as_candidate, fake_distribution, manager


def no_factory(config: Any, host: Any) -> Any:
    raise NotImplementedError


def offering(*names: str, **fields: Any) -> SimpleNamespace:
    """A plugin with criteria of these names."""

    @hookimpl.criteria
    def criteria() -> Iterable[CriterionSpec]:
        for name in names:
            yield CriterionSpec(name=name, summary="Something", factory=no_factory, **fields)

    return SimpleNamespace(criteria=criteria)


def state_of(plugin: object) -> tuple[PluginState, str | None]:
    [record] = Extensions([as_candidate("acme", plugin)]).records
    return record.state, record.reason


# --- names ----------------------------------------------------------------------------


def test_a_component_is_found_by_its_short_name_and_by_its_id() -> None:
    criteria = manager(as_candidate("acme", offering("helpful"))).criteria

    assert criteria.resolve("helpful") is criteria.resolve("acme/helpful")
    assert criteria.resolve("helpful").provenance == "plugin acme (in-memory 0)"


def test_a_short_name_that_two_have_names_both_and_the_ids_stay_usable() -> None:
    extensions = manager(
        as_candidate("acme", offering("helpful")), as_candidate("other", offering("helpful"))
    )

    with pytest.raises(UnknownNameError, match=r"acme/helpful \(in-memory 0\) and other/helpful"):
        extensions.criteria.resolve("helpful")
    assert extensions.criteria.resolve("other/helpful").owner.name == "other"


def test_an_alias_wins_over_a_short_name_and_may_be_a_new_one() -> None:
    plugins = (as_candidate("acme", offering("helpful")), as_candidate("other", offering("helpful")))
    criteria = manager(*plugins, aliases={"helpful": "other/helpful", "mine": "acme/helpful"}).criteria

    assert criteria.resolve("helpful").owner.name == "other"
    assert criteria.resolve("mine").owner.name == "acme"
    assert "mine" in criteria.names()


def test_an_alias_of_nothing_names_the_alias_and_its_target() -> None:
    criteria = manager(as_candidate("acme", offering("helpful")), aliases={"mine": "acme/helpfull"}).criteria

    with pytest.raises(
        UnknownNameError, match=r"'mine', an alias of 'acme/helpfull'.*Did you mean 'acme/helpful'"
    ):
        criteria.resolve("mine")


def test_a_name_is_suggested_for_a_misspelt_one() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'helpful'"):
        manager(offering("helpful")).criteria.resolve("helpfull")


def test_a_long_list_of_inactive_plugins_is_cut() -> None:
    candidates = [as_candidate(f"plugin-{n}", object()) for n in range(9)]

    with pytest.raises(UnknownNameError, match=r"and 4 more \(adjudge plugins\)"):
        Extensions(candidates).criteria.resolve("anything")


# --- contracts ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"name": None}, "name None is not made of"),
        ({"name": "Upper"}, "name 'Upper' is not made of"),
        ({"name": "a/b"}, "name 'a/b' is not made of"),
        ({"summary": ""}, "summary of 'ok' is not one line"),
        ({"summary": "two\nlines"}, "summary of 'ok' is not one line"),
        ({"summary": 7}, "summary of 'ok' is not one line"),
        ({"factory": "module:Class"}, "factory of 'ok' is not callable"),
        ({"config": dict}, "config of 'ok' is not a subclass of adjudge.plugin.ComponentConfig"),
        ({"version": "1"}, "version of 'ok' is not a whole number from 1"),
        ({"version": 0}, "version of 'ok' is not a whole number from 1"),
        ({"requires": "numpy"}, "requires of 'ok' is not a tuple of strings"),
        ({"needs": {"judge"}}, "needs of 'ok' is not a frozenset of Need"),
        ({"value_range": (0,)}, "value_range of 'ok' is not a pair of numbers"),
        ({"value_range": None}, "value_range of 'ok' is not a pair of numbers"),
        ({"value_range": (0, float("nan"))}, "value_range of 'ok' is empty"),
        ({"default_threshold": 2.0}, "default_threshold of 'ok' is not a number inside its value range"),
        ({"default_threshold": "high"}, "default_threshold of 'ok' is not a number inside its value range"),
    ],
)
def test_a_spec_that_is_not_valid_is_told_in_words(fields: dict[str, Any], told: str) -> None:
    spec = CriterionSpec(**{"name": "ok", "summary": "Something", "factory": no_factory, **fields})

    @hookimpl.criteria
    def criteria() -> Iterable[CriterionSpec]:
        return [spec]

    state, reason = state_of(SimpleNamespace(criteria=criteria))

    assert state is PluginState.FAILED
    assert told in str(reason)


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        (
            ReporterSpec(name="r", summary="x", factory=no_factory, suffixes=("json",)),
            "suffix 'json' of 'r' does not start with a dot",
        ),
        (
            ReporterSpec(name="r", summary="x", factory=no_factory, suffixes=".json"),  # type: ignore[arg-type]
            "suffixes of 'r' is not a tuple of strings",
        ),
        (
            AgentAdapterSpec(name="a", summary="x", factory=no_factory, accepts="http"),  # type: ignore[arg-type]
            "accepts of 'a' is not callable",
        ),
        (
            GranularityStrategySpec(name="g", summary="x", factory=no_factory, when_to_use=" "),
            "when_to_use of 'g' is empty",
        ),
        *(
            (
                GranularityStrategySpec(
                    name="g",
                    summary="x",
                    factory=no_factory,
                    when_to_use="x",
                    fineness=wrong,  # type: ignore[arg-type]
                ),
                f"fineness of 'g' is {wrong!r}, expected a number from 0 to 1, or None",
            )
            for wrong in (1.5, -1, float("nan"), True, "fine")
        ),
    ],
)
def test_the_specs_of_every_kind_are_checked(spec: Any, told: str) -> None:
    assert spec.problems() == [told]


def test_a_plugin_that_fails_late_registers_nothing() -> None:
    extensions = Extensions([as_candidate("acme", offering("good", "Bad"))])

    assert len(extensions.criteria) == 0
    assert extensions.records[0].error is not None


def test_an_object_with_marked_methods_is_a_plugin() -> None:
    class Plugin:
        def criteria(self) -> Iterable[CriterionSpec]:
            return [CriterionSpec(name="helpful", summary="x", factory=no_factory)]

    Plugin.criteria = hookimpl.criteria(Plugin.criteria)  # type: ignore[assignment, arg-type, method-assign]

    assert manager(Plugin()).criteria.resolve("plugin/helpful").spec.name == "helpful"


def test_what_a_plugin_prints_while_it_loads_is_kept_out_of_standard_output(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def load() -> object:
        sys.stdout.write("loaded\n")
        return offering("helpful")

    Extensions([replace(as_candidate("acme", None), load=load)])

    assert capsys.readouterr() == ("", "loaded\n")


def test_an_interrupt_while_a_plugin_loads_is_an_interrupt() -> None:
    def load() -> object:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Extensions([replace(as_candidate("acme", None), load=load)])


def test_the_manager_refuses_a_plugin_that_does_not_load() -> None:
    with pytest.raises(PluginError, match=r"plugin acme .* is failed: .*implements no hook"):
        manager(as_candidate("acme", object()))


# --- observers ------------------------------------------------------------------------


def test_observers_are_told_in_turn_and_each_failure_is_told_once() -> None:
    seen: list[object] = []

    @hookimpl.run_started
    def breaks(event: Any) -> None:
        raise SystemExit("enough")

    @hookimpl.run_started
    def sees(event: Any) -> None:
        seen.append(event)

    extensions = manager(
        as_candidate("breaks", SimpleNamespace(f=breaks)), as_candidate("sees", SimpleNamespace(f=sees))
    )

    event = RunStarted(run="monday", cases=1, criteria=())
    extensions.notify(event)
    extensions.notify(event)

    assert seen == [event, event]
    assert extensions.warnings == ("plugin breaks (in-memory 0) raised in run_started: SystemExit: enough",)


# --- discovery ------------------------------------------------------------------------


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Write a distribution where it is found."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def install(name: str, **contents: Any) -> Path:
        return fake_distribution(tmp_path, name, **contents)

    yield install
    for module in [
        name for name, found in sys.modules.items() if str(tmp_path) in str(getattr(found, "__file__", ""))
    ]:
        del sys.modules[module]


SOURCE = """
from adjudge.plugin import CriterionSpec, hookimpl

@hookimpl.criteria
def criteria():
    yield CriterionSpec(name="helpful", summary="x", factory=lambda config, host: None)
"""


def test_a_distribution_in_a_folder_is_discovered_with_its_origin(installed: Callable[..., Path]) -> None:
    installed("Acme_Criteria", version="2.1", entry_points={"acme": "acme_one"}, modules={"acme_one": SOURCE})

    found = Extensions.load().criteria.resolve("acme/helpful")

    assert (found.owner.distribution, found.owner.version) == ("Acme_Criteria", "2.1")


def test_a_package_with_submodules_can_be_faked(installed: Callable[..., Path]) -> None:
    installed(
        "acme",
        entry_points={"acme": "acme_two"},
        modules={"acme_two": SOURCE + "import acme_two.x\n", "acme_two.x": ""},
    )

    assert Extensions.load().criteria.resolve("acme/helpful")


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("entry_points.txt", b"[adjudge]\nthis line has no equals sign\n"),
        ("entry_points.txt", b"[adjudge]\nbroken = \xff\n"),
        ("entry_points.txt", b"[adjudge]\nbroken = 1 2 !!\n"),
        ("METADATA", None),
        ("METADATA", b"Metadata-Version: 2.1\nName: broken\n"),
        ("METADATA", b"\xff\xfe"),
    ],
)
def test_broken_metadata_of_one_distribution_harms_no_other(
    file: str, content: bytes | None, installed: Callable[..., Path]
) -> None:
    installed("good", entry_points={"good": "good_one"}, modules={"good_one": SOURCE})
    info = installed("broken", entry_points={"broken": "nowhere"})
    (info / file).unlink() if content is None else (info / file).write_bytes(content)

    extensions = Extensions.load()

    assert extensions.criteria.resolve("good/helpful")
    assert extensions.criteria.resolve("response_match_score")
    broken = [record for record in extensions.records if record.distribution not in ("adjudge", "good")]
    assert [record.state for record in broken if "text" not in record.name] == [PluginState.FAILED]


def test_discovery_imports_nothing(installed: Callable[..., Path]) -> None:
    installed("acme", entry_points={"acme": "acme_three"}, modules={"acme_three": "raise SystemExit"})

    assert "acme" in {candidate.name for candidate in discover()}
    assert "acme_three" not in sys.modules


def test_own_plugins_come_first_then_by_distribution_and_name(installed: Callable[..., Path]) -> None:
    installed("aaa", entry_points={"z": "m", "a": "m"})

    names = [
        (candidate.distribution == "adjudge", candidate.distribution, candidate.name)
        for candidate in discover()
    ]

    assert names == sorted(names, key=lambda item: (not item[0], item[1], item[2]))


@given(st.from_regex(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?", fullmatch=True))
def test_names_of_distributions_are_compared_as_packaging_does(name: str) -> None:
    from packaging.utils import canonicalize_name

    assert canonical_name(name) == canonicalize_name(name)


@pytest.mark.parametrize("name", ["junit-reporter", "junit_reporter", "Adjudge_JUnit"])
def test_a_plugin_is_disabled_by_its_name_or_its_distributions_however_they_are_spelt(name: str) -> None:
    plugin = offering("good")
    extensions = Extensions(
        [as_candidate("junit-reporter", plugin, distribution="adjudge-junit")], disable=[name]
    )

    assert [record.state for record in extensions.records] == ["disabled"]
    assert extensions.warnings == ()
