"""Conformance tests of components of any kind."""

from __future__ import annotations

import asyncio
import functools
import inspect
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar, Final, Generic, TypeVar
from unittest import SkipTest

from adjudge.errors import InputError
from adjudge.extension.candidates import Candidate
from adjudge.extension.configuration import ComponentConfig, validated_config
from adjudge.extension.loader import discover
from adjudge.extension.protocols import Host, SupportsClose
from adjudge.extension.registry import Registered, Registry
from adjudge.extension.specs import Spec
from adjudge.testing.conformance.watching import Network, watched
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
"""Modules that importing a plugin must not import, because they slow down every command that lists components."""


class NotRun(SkipTest):
    """A test was not run because it needs data that was not given, for instance a sample."""


_ABSENT: Final = "no_component_has_this_option"

SpecT = TypeVar("SpecT", bound=Spec[Any])
ResultT = TypeVar("ResultT")


class ComponentConformance(Generic[SpecT]):
    """Base of the conformance classes. Subclass the class for the component's kind."""

    component: ClassVar[str]
    """The id, ``plugin/component``. The plugin's name is that of its entry point."""
    plugin: ClassVar[object | None] = None
    """The module with the hooks, or a ``Candidate``; ``None``: the installed plugin of that name."""
    config: ClassVar[Mapping[str, Any]] = {}
    """The component's options, as in a configuration file. Override ``options`` to compute them."""
    kind: ClassVar[str]
    """The name of the hook for this kind, which is also the attribute of ``Extensions``."""
    longest: ClassVar[float] = 60.0
    """The time in seconds after which a call counts as one that never ends."""

    def options(self, folder: Path) -> Mapping[str, Any]:  # noqa: ARG002 - overridden
        """The component's options, by default ``config`` or the example options of its spec. ``folder`` is empty."""
        return self.config or self.spec.example_options

    def host(self, folder: Path) -> Host:
        """The host that is passed to the factory."""
        return FakeHost(folder)

    @functools.cached_property
    def registered(self) -> Registered[SpecT]:
        """The component, loaded without other plugins."""
        candidate = self._candidate()
        with watched("loading the plugin", network="forbidden", never_waits=True):
            registry: Registry[SpecT] = getattr(manager(candidate), self.kind)
        return registry.resolve(self.component)

    @property
    def spec(self) -> SpecT:
        """The component's spec."""
        return self.registered.spec

    def build(self, folder: Path) -> Any:
        """Create the component with its factory from ``options``."""
        return self.made_with(self.host(folder), folder)

    def made_with(self, host: Host, folder: Path) -> Any:
        """Create the component with another host."""
        spec = self.spec
        config = validated_config(spec.config, self.options(folder))
        with watched("the factory", network="forbidden", never_waits=True):
            component: object = spec.factory(config, host)
        assert component is not None, "the factory returned None"
        assert not inspect.isawaitable(component), "the factory is `async def`; it must be a plain function"
        return component

    def awaited(
        self,
        what: str,
        call: Callable[[], Any],
        kind: type[ResultT],
        *,
        network: Network = "allowed",
        most_calls: int | None = None,
    ) -> ResultT:
        """Await a coroutine function of the component, check its contract, and return its result.

        Args:
            what: The name of the function, for messages.
            call: The call.
            kind: The class that the result must have.
            network: How to treat calls to the network.
            most_calls: The maximum number of calls to the network; ``None``: any number.
        """

        async def waited() -> object:
            coroutine = call()
            assert inspect.isawaitable(coroutine), (
                f"{what} must be `async def`; it returned {type(coroutine).__name__}"
            )
            limit = asyncio.timeout(self.longest)
            try:
                async with limit:
                    return await coroutine
            except TimeoutError:
                assert not limit.expired(), f"{what} did not end within {self.longest:g} seconds"
                raise

        with watched(what, network=network, most_calls=most_calls):
            found: object = asyncio.run(waited())
        assert isinstance(found, kind), f"{what} returned {type(found).__name__}; expected {kind.__name__}"
        return found

    def test_the_spec_is_valid(self) -> None:
        """The fields of the spec are valid."""
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
        """Options are unchanged after validation and a round trip through JSON."""
        model = self.spec.config
        config = validated_config(model, self.options(tmp_path))
        written = json.dumps(config.model_dump(mode="json", by_alias=True), allow_nan=False)
        assert model.model_validate_json(written) == config

    def test_an_unknown_option_is_refused(self, tmp_path: Path) -> None:
        """An unknown option is an error, unless the component passes unknown keys on."""
        model: type[ComponentConfig] = self.spec.config
        if model.hands_on_extras:
            raise SkipTest("this component passes further keys to custom code")
        try:
            validated_config(model, {**self.options(tmp_path), _ABSENT: 1})
        except InputError as error:
            assert _ABSENT in str(error), f"the message does not name the option: {error}"
        else:
            raise AssertionError("an unknown option was accepted")

    def test_importing_the_plugin_is_light(self) -> None:
        """Importing the plugin imports no slow modules, because listings import every plugin."""
        module = self._candidate().module.partition(":")[0]
        if self.plugin is not None and not isinstance(self.plugin, ModuleType | Candidate):
            raise SkipTest("the plugin is not a module")
        heavy = _heavy_imports_of(module)
        assert not heavy, f"importing {module} imports {', '.join(heavy)}; import them inside the factory"

    def test_making_it_twice_changes_nothing(self, tmp_path: Path) -> None:
        """The factory changes neither its options nor the process: it is called for every run, in any thread."""
        config = validated_config(self.spec.config, self.options(tmp_path))
        before = config.model_dump_json(), dict(os.environ), Path.cwd()
        for _ in range(2):
            self.spec.factory(config, self.host(tmp_path))
        assert config.model_dump_json() == before[0], "the factory changes its options"
        assert dict(os.environ) == before[1], "the factory changes the environment variables of the process"
        assert Path.cwd() == before[2], "the factory changes the working folder of the process"

    def test_it_can_be_closed_unused(self, tmp_path: Path) -> None:
        """``aclose`` works although nothing was done: a run may be interrupted at once."""
        component = self.build(tmp_path)
        if not isinstance(component, SupportsClose):
            return
        try:
            self.awaited("aclose", component.aclose, object)
        except (AssertionError, KeyboardInterrupt):
            raise
        except BaseException as error:
            raise AssertionError(f"aclose raised {type(error).__name__}: {error}") from error

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
        "import contextlib, importlib, io, sys\n"
        "import adjudge.plugin\n"
        "before, said, called = set(sys.modules), io.StringIO(), []\n"
        "def see(event, arguments):\n"
        "    if event in ('socket.connect', 'socket.getaddrinfo'):\n"
        "        called.append(event)\n"
        "        raise ConnectionRefusedError\n"
        "sys.addaudithook(see)\n"
        "with contextlib.redirect_stdout(said):\n"
        "    importlib.import_module(sys.argv[1])\n"
        "does = ['prints something'] * bool(said.getvalue()) + ['calls the network'] * bool(called)\n"
        "print(' and '.join(does), *(set(sys.modules) - before), sep='\\n')\n"
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
    does, _, modules = imported.stdout.partition("\n")
    assert not does, f"importing {module} {does}"
    return tuple(sorted(set(modules.split()) & set(HEAVY_MODULES)))
