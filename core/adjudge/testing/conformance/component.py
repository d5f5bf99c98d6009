"""What holds for a component of any kind."""

from __future__ import annotations

import functools
import inspect
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar, Final, Generic, TypeVar
from unittest import SkipTest

from adjudge.errors import InputError
from adjudge.extension.configuration import ComponentConfig, validated_config
from adjudge.extension.discovery import Candidate, discover
from adjudge.extension.protocols import Host
from adjudge.extension.registry import Registered, Registry
from adjudge.extension.specs import Spec
from adjudge.testing.host import FakeHost
from adjudge.testing.plugin_manager import as_candidate, manager

HEAVY_MODULES: Final = (
    "google.adk",
    "google.genai",
    "httpx",
    "litellm",
    "nltk",
    "numpy",
    "openai",
    "pandas",
    "requests",
    "rich",
    "rouge_score",
    "sqlite3",
    "torch",
    "transformers",
)
"""What importing a plugin must not import: every command that lists components would pay for it."""


class NotRun(SkipTest):
    """A test needs something that was not given, so that nothing is known of the component."""


_ABSENT: Final = "no_component_has_this_option"

SpecT = TypeVar("SpecT", bound=Spec[Any])


class ComponentConformance(Generic[SpecT]):
    """Base of the conformance classes. Subclass the one of the component's kind."""

    component: ClassVar[str]
    """``plugin/component``: the plugin is the name of its entry point."""
    plugin: ClassVar[object | None] = None
    """The module with the hooks, or a ``Candidate``; ``None``: the installed plugin of that name."""
    config: ClassVar[Mapping[str, Any]] = {}
    """The component's options, as a configuration file has them. Override ``options`` to compute them."""
    kind: ClassVar[str]
    """The attribute of ``Extensions`` that holds components of this kind."""

    def options(self, folder: Path) -> Mapping[str, Any]:  # noqa: ARG002 - overridden
        """The component's options, those of its spec where none are set; ``folder`` is empty and may be written to."""
        return self.config or self.spec.example_options

    def host(self, folder: Path) -> Host:
        """The host that the factory is given."""
        return FakeHost(folder)

    @functools.cached_property
    def registered(self) -> Registered[SpecT]:
        """The component, loaded with no other plugin beside it."""
        registry: Registry[SpecT] = getattr(manager(self._candidate()), self.kind)
        return registry.resolve(self.component)

    @property
    def spec(self) -> SpecT:
        """The component's spec."""
        return self.registered.spec

    def build(self, folder: Path) -> Any:
        """The component, made by its factory from ``options``."""
        spec = self.spec
        config = validated_config(spec.config, self.options(folder))
        return spec.factory(config, self.host(folder))

    def test_the_spec_is_valid(self) -> None:
        """Names, summary and defaults are what a listing and the plan need."""
        spec = self.spec
        assert not spec.problems(), spec.problems()
        if spec.example_options:
            validated_config(spec.config, spec.example_options, path="example_options")
        assert spec.summary == spec.summary.strip(), "the summary has white space around it"
        parameters = inspect.signature(spec.factory).parameters.values()
        required = [
            item for item in parameters if item.default is item.empty and item.kind != item.VAR_POSITIONAL
        ]
        assert len(required) <= 2, (
            f"the factory takes (config, host), found {len(required)} required parameters"
        )

    def test_the_configuration_survives_json(self, tmp_path: Path) -> None:
        """Options are validated, written and read again without a difference."""
        model = self.spec.config
        config = validated_config(model, self.options(tmp_path))
        written = json.dumps(config.model_dump(mode="json", by_alias=True), allow_nan=False)
        assert model.model_validate_json(written) == config

    def test_an_unknown_option_is_refused(self, tmp_path: Path) -> None:
        """A misspelt option is a message, never silence, unless the component hands further keys on."""
        model: type[ComponentConfig] = self.spec.config
        if model.hands_on_extras:
            raise SkipTest("this component hands further keys on to somebody's own code")
        try:
            validated_config(model, {**self.options(tmp_path), _ABSENT: 1})
        except InputError as error:
            assert _ABSENT in str(error), f"the message does not name the option: {error}"
        else:
            raise AssertionError("an unknown option was accepted")

    def test_importing_the_plugin_is_light(self) -> None:
        """Listings import every plugin: heavy imports belong inside the factory."""
        module = self._candidate().module.partition(":")[0]
        if self.plugin is not None and not isinstance(self.plugin, ModuleType | Candidate):
            raise SkipTest("the plugin is not a module")
        heavy = _heavy_imports_of(module)
        assert not heavy, f"importing {module} imports {', '.join(heavy)}; import them inside the factory"

    def _candidate(self) -> Candidate:
        name = self.component.partition("/")[0]
        if isinstance(self.plugin, Candidate):
            return self.plugin
        if self.plugin is not None:
            return as_candidate(name, self.plugin)
        for candidate in discover():
            if candidate.name == name:
                return candidate
        raise AssertionError(
            f"no plugin {name!r} is installed; install the distribution, for instance `pip install -e .`"
        )


@functools.cache
def _heavy_imports_of(module: str) -> tuple[str, ...]:
    code = (
        "import importlib, sys\n"
        "import adjudge.plugin\n"
        "before = set(sys.modules)\n"
        "importlib.import_module(sys.argv[1])\n"
        "print('\\n'.join(set(sys.modules) - before))\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    imported = subprocess.run(  # noqa: S603 - our own interpreter and our own code
        [sys.executable, "-P", "-c", code, module],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert imported.returncode == 0, f"importing {module} on its own fails:\n{imported.stderr}"
    return tuple(sorted(set(imported.stdout.split()) & set(HEAVY_MODULES)))
