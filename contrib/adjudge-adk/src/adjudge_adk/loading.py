"""Loads an agent from a folder, a module or an object, with a message for every failure.

What counts as an agent: google-adk 2.13.0, ``cli/cli_eval.py`` and ``cli/utils/agent_loader.py``.
"""

from __future__ import annotations

import ast
import asyncio
import hashlib
import importlib
import importlib.util
import sys
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Final, cast

from google.adk.apps.app import App
from google.adk.workflow import BaseNode

from adjudge.kit.thread_loops import ThreadLoop
from adjudge.kit.tracebacks import raised_at
from adjudge.plugin import Host, InputError, Problem, did_you_mean
from adjudge_adk.environment import load_environment
from adjudge_adk.targets import AgentInProgram, folder_of

_MAKING: Final = 120.0
"""Seconds that ``get_agent_async`` may take."""
_NAMES: Final = ("app", "root_agent", "get_agent_async")


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedAgent:
    """An agent, or what makes it."""

    root: BaseNode | None
    """The root agent; ``None`` where ``make`` has to be awaited for it."""
    app: App | None = None
    make: Callable[..., Any] | None = None
    """``get_agent_async``: gives the root agent and what is to be closed at the end."""
    name: str = ""
    """What the app is called where no case says so."""
    folder: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeAgent:
    """An agent that is there."""

    root: BaseNode
    app: App | None
    name: str
    closing: AsyncExitStack[bool | None] | None = None
    """What ``get_agent_async`` wants closed at the end of the run."""


def made_now(found: LoadedAgent, target: str, loop: ThreadLoop | None) -> MadeAgent:
    """The agent, made where ``get_agent_async`` has to make it: on the event loop that runs it.

    Raises:
        InputError: ``get_agent_async`` raised, gave something else, or took too long.
    """
    if found.root is not None or found.make is None or loop is None:
        if found.root is None:
            raise _unusable(target, "there is no root agent")
        return MadeAgent(root=found.root, app=found.app, name=found.name)

    async def make(function: Callable[..., Any]) -> Any:
        return await function()

    making = asyncio.run_coroutine_threadsafe(make(found.make), loop.running().loop)
    try:
        made: Any = _imported(target, lambda: making.result(_MAKING), "get_agent_async")
    finally:
        making.cancel()
    match made:
        case (BaseNode() as root, stack):
            closing = (
                cast("AsyncExitStack[bool | None]", stack) if isinstance(stack, AsyncExitStack) else None
            )
            return MadeAgent(root=root, app=found.app, name=found.name, closing=closing)
        case (other, _):
            given = f"a pair whose first is an object of type {type(other).__name__}"
        case other:
            given = f"an object of type {type(other).__name__} alone"
    # google-adk takes the pair alone: an agent that passes here runs there too.
    raise _unusable(
        target,
        f"get_agent_async gave {given}, expected the agent and what is closed at the end",
        hint="Write: return agent, AsyncExitStack()",
    )


def load_agent(target: Any, host: Host) -> LoadedAgent:
    """The agent behind a target.

    Raises:
        InputError: there is none; or the code that makes it raised: with the file and the line.
    """
    if isinstance(target, AgentInProgram):
        target = target.agent
    if not isinstance(target, str):
        return _of_object(target, None, type(target).__name__)
    path = host.working_folder / target
    if (folder := folder_of(path)) is not None:
        return _of_folder(folder, target, host)
    if path.exists():
        raise _unusable(
            target,
            "it has neither agent.py nor __init__.py nor root_agent.yaml",
            hint="Name the folder that has the agent.",
        )
    return _of_module(target, host)


def _of_module(target: str, host: Host) -> LoadedAgent:
    """``package.module:name``, or ``package`` as ADK's ``AgentEvaluator`` takes it."""
    module_name, _, name = target.partition(":")
    place = host.working_folder.joinpath(*module_name.split(".")[:-1])
    load_environment(place if place.is_dir() else host.working_folder)
    module = _imported(target, lambda: host.import_module(module_name))
    folder = _folder(module)
    if not name:
        found = _agent_in(module, target, folder)
        if found is None:
            raise _without_agent(target, module, module.__file__ or module_name)
        return found
    held: object = module
    for part in name.split("."):
        if not hasattr(held, part):
            raise _unusable(target, f"{module_name!r} has no {name!r}.{did_you_mean(part, dir(held))}")
        held = getattr(held, part)
    return _of_object(held, folder, target)


def _of_folder(folder: Path, target: str, host: Host) -> LoadedAgent:
    load_environment(folder)
    package = _imported(target, lambda: _package(folder, target, host), below=folder)
    if (found := _agent_in(package, target, folder)) is not None:
        return found
    if (folder / "agent.py").is_file():
        module = _imported(target, lambda: importlib.import_module(f"{package.__name__}.agent"), below=folder)
        if (found := _agent_in(module, target, folder)) is not None:
            return found
        raise _without_agent(target, module, "agent.py")
    if (folder / "root_agent.yaml").is_file():
        return _of_yaml(folder, target)
    raise _without_agent(target, package, "__init__.py")


def _of_yaml(folder: Path, target: str) -> LoadedAgent:
    from google.adk.agents import config_agent_utils

    path = folder / "root_agent.yaml"
    root = _imported(target, lambda: config_agent_utils.from_config(str(path)), "reading root_agent.yaml")
    return _of_object(root, folder, target)


def _package(folder: Path, target: str, host: Host) -> ModuleType:
    """The folder as a package, under its own name where nothing else has that."""
    if _is_free(folder):
        if (folder / "__init__.py").is_file() or not (folder / "agent.py").is_file():
            return host.import_module(folder.name, folder.parent)
        return importlib.import_module(
            host.import_module(f"{folder.name}.agent", folder.parent).__name__.rpartition(".")[0]
        )
    # "calendar" is a good name for an agent and the name of a library.
    alias = f"{folder.name}_{hashlib.sha256(str(folder).encode()).hexdigest()[:8]}"
    if alias in sys.modules:
        return sys.modules[alias]
    _refuse_own_name(folder, target)
    if str(folder.parent) not in sys.path:  # its neighbours are found, as from any other folder
        sys.path.append(str(folder.parent))
    file = folder / "__init__.py"
    places = [str(folder)]
    spec = (
        importlib.util.spec_from_file_location(alias, file, submodule_search_locations=places)
        if file.is_file()
        else importlib.util.spec_from_loader(alias, None, is_package=True)
    )
    if spec is None:
        raise ImportError(f"{folder} cannot be imported")
    spec.submodule_search_locations = places
    module = sys.modules[alias] = importlib.util.module_from_spec(spec)
    try:
        if spec.loader is not None:
            spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[alias]
        raise
    return module


def _refuse_own_name(folder: Path, target: str) -> None:
    """Refuse code that imports its own package by a name that means other code here.

    Nothing is run to tell: an import inside a function would go wrong later, and nobody would see it.

    Raises:
        InputError: it does, with the file and the line.
    """
    for file in sorted(folder.rglob("*.py")):
        try:
            tree = ast.parse(file.read_bytes())
        except (OSError, ValueError, SyntaxError):  # importing it says so
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
                names = [node.module]
            else:
                continue
            if any(name.partition(".")[0] == folder.name for name in names) and _is_inside(folder, names):
                raise _unusable(
                    target,
                    f"it imports {folder.name!r} ({file}:{node.lineno}), and that name belongs to {_whose(folder.name)} here",
                    hint="Write relative imports (from . import ...), rename the folder, or evaluate it in a process of its own.",
                )


def _is_inside(folder: Path, names: Sequence[str]) -> bool:
    """Whether one of these modules is a file or a folder of the agent, so that the agent means its own."""
    places = [folder.joinpath(*name.split(".")[1:]) for name in names]
    return any(place.is_dir() or place.with_suffix(".py").is_file() for place in places)


def _whose(name: str) -> str:
    loaded = sys.modules.get(name)
    place = getattr(loaded, "__file__", None) or next(iter(getattr(loaded, "__path__", ())), None)
    return place or "a module that is installed"


def _is_free(folder: Path) -> bool:
    """Whether the name of the folder belongs to no other module."""
    if not folder.name.isidentifier() or folder.name in sys.stdlib_module_names:
        return False
    try:
        spec = importlib.util.find_spec(folder.name)
    except ValueError:  # a module in sys.modules without a spec
        return False
    places = (spec and spec.submodule_search_locations) or ()
    return spec is None or any(Path(place).resolve() == folder.resolve() for place in places)


def _agent_in(module: ModuleType, target: str, folder: Path | None) -> LoadedAgent | None:
    """What ``module.agent``, else the module itself, has of the names that ADK looks for."""
    for holder in (getattr(module, "agent", None), module):
        if isinstance(app := getattr(holder, "app", None), App):
            return _of_object(app, folder, target)
        if (root := getattr(holder, "root_agent", None)) is not None:
            return _of_object(root, folder, target)
        make: Any = getattr(holder, "get_agent_async", None)
        if callable(make):
            return LoadedAgent(root=None, make=make, name=_name(folder, target), folder=folder)
    return None


def _of_object(agent: Any, folder: Path | None, target: str) -> LoadedAgent:
    if isinstance(agent, App):
        return LoadedAgent(root=agent.root_agent, app=agent, name=agent.name, folder=folder)
    if isinstance(agent, BaseNode):
        return LoadedAgent(root=agent, name=_name(folder, agent.name), folder=folder)
    raise _unusable(
        target,
        f"it is an object of type {type(agent).__name__}, not an agent of google-adk",
        hint="The root agent is an LlmAgent or another BaseAgent, a Workflow, or an App.",
    )


def _name(folder: Path | None, otherwise: str) -> str:
    return otherwise if folder is None else folder.name


def _folder(module: ModuleType) -> Path | None:
    return None if module.__file__ is None else Path(module.__file__).parent


def _imported(
    target: str, make: Callable[[], Any], doing: str = "importing it", below: Path | None = None
) -> Any:
    """What ``make`` gives. Where it raises, the message has the last line of the code ``below`` a folder, where known."""
    try:
        return make()
    except (KeyboardInterrupt, InputError):
        raise
    except BaseException as error:  # a module may call sys.exit() when it is imported
        missing = error.name if isinstance(error, ModuleNotFoundError) else None
        hint = None if missing is None else f"Install {missing!r} in the environment of adjudge."
        if missing is not None and missing == target.partition(":")[0].partition(".")[0]:
            hint = "It was looked for in the working folder and in the installed packages."
        why = f"{doing} raised {type(error).__name__}: {error}{raised_at(error, below)}"
        raise _unusable(target, why, hint=hint) from error


def _without_agent(target: str, module: ModuleType, place: str) -> InputError:
    close = did_you_mean("root_agent", [name for name in vars(module) if not name.startswith("_")])
    return _unusable(
        target, f"{place} has none of {', '.join(_NAMES)}.{close}", hint="ADK runs what 'root_agent' names."
    )


def _unusable(target: str, why: str, *, hint: str | None = None) -> InputError:
    return InputError(Problem(what=f"the agent {target!r} cannot be used: {why}", hint=hint))
