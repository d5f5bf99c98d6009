"""ADK's environment simulation: tools whose answers come from a configuration or from a model.

google-adk's own engine decides every call (2.13.0, ``tools/environment_simulation``). The file is its
``EnvironmentSimulationConfig`` as JSON. Each session has an engine of its own, so that no case sees what another one
has created, and draws the same numbers from the same seed whatever runs beside it.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Final, Union, cast, get_args, get_origin

from google.adk.agents.base_agent import BaseAgent
from google.adk.agents.llm_agent import LlmAgent
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.tools.agent_tool import AgentTool
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.environment_simulation.environment_simulation_config import (
    EnvironmentSimulationConfig,
    MockStrategy,
)
from google.adk.tools.environment_simulation.environment_simulation_engine import EnvironmentSimulationEngine
from google.adk.tools.tool_context import ToolContext
from google.adk.workflow import BaseNode
from pydantic import BaseModel, ValidationError

from adjudge.kit.strict_json import is_list, is_object, read_json
from adjudge.model import JsonObject, JsonValue
from adjudge.plugin import AgentError, InputError, Problem, did_you_mean

_PLAYED: Final = MockStrategy.MOCK_STRATEGY_TOOL_SPEC
_TRANSFER: Final = "transfer_to_agent"


class SimulatedTools:
    """The configuration of a run, checked."""

    def __init__(self, config: EnvironmentSimulationConfig, place: str) -> None:
        self._config = config
        self._place = place
        self.document: JsonObject = config.model_dump(mode="json", exclude_none=True, exclude_unset=True)
        """What decides its answers."""

    @property
    def model(self) -> str | None:
        """The model that plays tools; ``None`` where none is asked."""
        played = any(tool.mock_strategy_type == _PLAYED for tool in self._config.tool_simulation_configs)
        return self._config.simulation_model if played else None

    def for_session(self, repeat: int) -> Simulation:
        """What answers in one session. The first repeat has the seeds of the file, each later one has the next ones."""
        config = self._config.model_copy(deep=True)
        for tool in config.tool_simulation_configs:
            for injection in tool.injection_configs:
                if injection.random_seed is not None:
                    injection.random_seed += repeat - 1
        return Simulation(EnvironmentSimulationEngine(config))

    def notes(self) -> Iterator[str]:
        """What makes two runs differ."""
        for tool in self._config.tool_simulation_configs:
            for injection in tool.injection_configs:
                if injection.random_seed is None and 0 < injection.injection_probability < 1:
                    yield (
                        f"{self._place}: {tool.tool_name!r} has an injection_probability of "
                        f"{injection.injection_probability:g} and no random_seed: no two runs are the same"
                    )

    def check_names(self, root: BaseNode) -> None:
        """Check that the agent has the tools.

        Raises:
            InputError: it lacks one. Of agents with toolsets, and of workflows, nobody knows before the run.
        """
        names = _tool_names(root)
        if names is None:
            return
        problems = [
            Problem(
                what=f"the agent has no tool {tool.tool_name!r}.{did_you_mean(tool.tool_name, names)} "
                f"It has: {', '.join(sorted(names)) or 'none'}",
                file=self._place,
                path=f"$.tool_simulation_configs[{place}].tool_name",
            )
            for place, tool in enumerate(self._config.tool_simulation_configs)
            if tool.tool_name not in names
        ]
        if problems:
            raise InputError(problems)


class Simulation(BasePlugin):
    """A plugin of google-adk, one for each session."""

    def __init__(self, engine: EnvironmentSimulationEngine) -> None:
        super().__init__(name="adjudge_simulation")
        self._engine = engine
        self.answered: set[str] = set()
        """The ids of the calls that no tool answered."""

    async def before_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext
    ) -> dict[str, Any] | None:
        """Answer in place of the tool.

        Raises:
            AgentError: it could not (``simulation_failed``): that says nothing of the agent.
        """
        try:
            answer = await self._engine.simulate(tool, tool_args, tool_context)
        except Exception as error:
            why = f"{type(error).__name__}: {error}"
            raise AgentError(
                f"the environment simulation could not answer the call of {tool.name}: {why}",
                code="simulation_failed",
                retryable=True,
            ) from error
        if answer is not None:
            self.answered.add(tool_context.function_call_id or "")
        return answer


def simulated_tools(given: str | Mapping[str, Any], folder: Path) -> SimulatedTools:
    """The simulation that an option names.

    Args:
        given: A file of JSON, or its content.
        folder: Where a relative path begins.

    Raises:
        InputError: the file cannot be read, or something in it is wrong; every problem is named.
    """
    place = given if isinstance(given, str) else "environment_simulation"
    found: JsonValue = read_json(folder / given) if isinstance(given, str) else dict(given)
    if not is_object(found):
        raise InputError(Problem(what="expected an object: ADK's EnvironmentSimulationConfig", file=place))
    problems = [*_unknown_keys(found, EnvironmentSimulationConfig, "$"), *_own_rules(found)]
    config: EnvironmentSimulationConfig | None = None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # that it is experimental
            config = EnvironmentSimulationConfig.model_validate(_with_values(found))
            EnvironmentSimulationEngine(config)
    except ValidationError as error:
        problems += [
            Problem(what=mistake["msg"].removeprefix("Value error, "), path=_path(mistake["loc"]))
            for mistake in error.errors(include_url=False)
        ]
    except ValueError as error:  # a model that google-adk has no class for
        problems.append(Problem(what=str(error).partition("\n")[0], path="$.simulation_model"))
    if problems or config is None:
        raise InputError(
            [Problem(what=each.what, path=each.path, hint=each.hint, file=place) for each in problems]
        )
    return SimulatedTools(config, place)


def _unknown_keys(found: JsonValue, kind: Any, path: str) -> Iterator[Problem]:
    """Keys that google-adk would ignore."""
    if get_origin(kind) in (Union, UnionType):
        [kind] = [each for each in get_args(kind) if each is not NoneType]
    if is_list(found) and get_origin(kind) is list:
        for place, each in enumerate(found):
            yield from _unknown_keys(each, get_args(kind)[0], f"{path}[{place}]")
    elif is_object(found) and isinstance(kind, type) and issubclass(kind, BaseModel):
        if kind.__module__ != EnvironmentSimulationConfig.__module__:
            return  # google-genai's own models forbid them themselves
        for key, value in found.items():
            if key in kind.model_fields:
                yield from _unknown_keys(value, kind.model_fields[key].annotation, f"{path}.{key}")
            else:
                yield Problem(
                    what=f"unknown key {key!r}.{did_you_mean(key, kind.model_fields)}", path=f"{path}.{key}"
                )


def _own_rules(found: JsonObject) -> Iterator[Problem]:
    """What google-adk takes, and what then does nothing, or something else than it says."""
    tools = found.get("tool_simulation_configs")
    for number, tool in enumerate(tools if is_list(tools) else ()):
        if not is_object(tool):
            continue
        path = f"$.tool_simulation_configs[{number}]"
        if tool.get("mock_strategy_type") in (
            MockStrategy.MOCK_STRATEGY_TRACING.name,
            MockStrategy.MOCK_STRATEGY_TRACING.value,
        ):
            yield Problem(
                what="google-adk has not implemented MOCK_STRATEGY_TRACING: every call would be an error",
                path=f"{path}.mock_strategy_type",
                hint="Write MOCK_STRATEGY_TOOL_SPEC, and the trace under 'tracing'.",
            )
        injections = tool.get("injection_configs")
        for place, injection in enumerate(injections if is_list(injections) else ()):
            if not is_object(injection):
                continue
            here = f"{path}.injection_configs[{place}]"
            probability = injection.get("injection_probability", 1)
            if isinstance(probability, int | float) and not 0 <= probability <= 1:
                yield Problem(
                    what=f"a probability is from 0 to 1, found {probability}",
                    path=f"{here}.injection_probability",
                )
            latency = injection.get("injected_latency_seconds", 0)
            if isinstance(latency, int | float) and latency < 0:
                yield Problem(
                    what=f"a latency is at least 0 seconds, found {latency}",
                    path=f"{here}.injected_latency_seconds",
                )


def _with_values(found: JsonObject) -> JsonObject:
    """The same with the numbers of mock strategies, which people write by name."""
    tools = found.get("tool_simulation_configs")
    if not is_list(tools):
        return found
    numbers: dict[JsonValue, int] = {each.name: each.value for each in MockStrategy}
    key = "mock_strategy_type"
    return {
        **found,
        "tool_simulation_configs": [
            {**tool, key: numbers.get(tool[key], tool[key])}
            if is_object(tool) and isinstance(tool.get(key), str)
            else tool
            for tool in tools
        ],
    }


def _path(location: tuple[int | str, ...]) -> str:
    return "$" + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location)


def _tools_of(agent: Any) -> Sequence[object]:
    """The tools of an agent. google-adk's own type of them is not whole."""
    return cast("Sequence[object]", agent.tools)


def _tool_names(root: BaseNode) -> set[str] | None:
    """The names of all tools below an agent; ``None`` where only a run shows them."""
    if not isinstance(root, BaseAgent):
        return None
    names: set[str] = {_TRANSFER}
    below: list[BaseNode] = list(root.sub_agents)
    for tool in _tools_of(root) if isinstance(root, LlmAgent) else ():
        if isinstance(tool, BaseTool):
            names.add(tool.name)
            if isinstance(tool, AgentTool):
                below.append(tool.agent)
        elif callable(tool):
            names.add(getattr(tool, "__name__", type(tool).__name__))
        else:
            return None
    for each in below:
        found = _tool_names(each)
        if found is None:
            return None
        names |= found
    return names
