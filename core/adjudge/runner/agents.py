"""The agent of a plan: resolved from its target, created, and checked against the selected cases."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from adjudge.adk.validation import listed
from adjudge.errors import AdjudgeError, InputError, Problem, did_you_mean
from adjudge.extension.guard import PluginRaisedError, configured, each, guarded, make
from adjudge.extension.loader import Extensions, PluginState
from adjudge.extension.protocols import (
    CaseFacts,
    SupportsFingerprint,
    SupportsPlanCheck,
    SupportsPlanNotes,
)
from adjudge.extension.registry import Registered, told_apart
from adjudge.extension.specs import AgentAdapterSpec
from adjudge.model.address import shown_address
from adjudge.runner.case_selection import SelectedFile
from adjudge.runner.groundwork import Groundwork
from adjudge.runner.host import RunHost
from adjudge.runner.plan import PlannedAgent
from adjudge.runner.problems import Problems
from adjudge.runner.request import RunRequest


def plan_agent(
    agent: object,
    request: RunRequest,
    files: Sequence[SelectedFile],
    ground: Groundwork,
) -> PlannedAgent | None:
    """Create the agent. If that fails, the problems are added to ``ground`` and the result is ``None``."""
    host, problems = ground.host, ground.problems
    with problems.caught():
        if request.isolate:
            component, target, shown, options = _isolated(agent, request, host.extensions)
        else:
            component, target, shown = _resolved(agent, host)
            options = {**request.agent_options, "target": target}
        config = configured(component, options, path="--agent-option")
        adapter = make(component, config, host)
        _check_cases(component.spec, files, problems)
        if isinstance(adapter, SupportsPlanCheck):
            checking = adapter
            facts = (
                CaseFacts(
                    eval_id=entry.eval_id,
                    turns=entry.turns,
                    repeats=request.num_runs,
                    has_state=entry.has_state,
                    app_name=entry.app_name,
                    has_persona=entry.has_persona,
                )
                for file in files
                for entry in file.entries
            )
            for message in each(component, "check_plan", lambda: checking.check_plan(facts)):
                problems.add(message)
        if isinstance(adapter, SupportsPlanNotes):
            problems.warn(each(component, "plan_notes", adapter.plan_notes))
        with guarded(component, "fingerprint", passing=(AdjudgeError,)):
            fingerprint = adapter.fingerprint() if isinstance(adapter, SupportsFingerprint) else None
        with guarded(component, "folder", passing=(AdjudgeError,)):
            folder = None if component.spec.folder is None else component.spec.folder(target)
        return PlannedAgent(
            component=component,
            target=shown_address(shown),
            options=config.model_dump(mode="json", exclude={"target", "disable"}),
            fingerprint=fingerprint,
            adapter=adapter,
            folder=folder,
        )
    return None


def _isolated(
    agent: object, request: RunRequest, extensions: Extensions
) -> tuple[Registered[AgentAdapterSpec], object, str, dict[str, Any]]:
    """The adapter that runs agents in processes, the target, its display name, and its options."""
    if not isinstance(agent, str):
        raise InputError(
            Problem(
                what=f"the agent {_object_name(agent)} is an object of this program, which no other process can have",
                hint="Name it as on the command line (package.module:name), or leave isolate out.",
            )
        )
    component = extensions.agent_adapters.said_to_be("isolates", "runs agents in processes of their own")
    disabled = [record.name for record in extensions.records if record.state is PluginState.DISABLED]
    options = {"target": agent, "agent_options": request.agent_options, "disable": disabled}
    return component, agent, agent, options


def _resolved(agent: object, host: RunHost) -> tuple[Registered[AgentAdapterSpec], object, str]:
    """The adapter of an agent, its target, and the display name of the target."""
    extensions, folder = host.extensions, host.working_folder
    adapters = extensions.agent_adapters
    if not isinstance(agent, str):
        knowing = _accepting_object(agent, extensions)
        return knowing or adapters.said_to_be("takes_objects", "takes objects"), agent, _object_name(agent)
    path = folder / agent
    scheme, colon, target = agent.partition(":")
    if colon and scheme in adapters.names():
        registered = adapters.resolve(scheme)
        # "http://…" is an address, not the scheme "http" before "//…".
        if _answer(registered, "accepts", extensions, agent):
            return registered, agent, agent
        path = folder / target
        is_path = path.exists() and _answer(registered, "accepts_path", extensions, path)
        return registered, str(path) if is_path else target, target
    accepting: list[tuple[Registered[AgentAdapterSpec], str]] = []
    for item in adapters:
        if _answer(item, "accepts", extensions, agent):
            accepting.append((item, agent))
        elif path.exists() and _answer(item, "accepts_path", extensions, path):
            accepting.append((item, str(path)))
    if len(accepting) == 1:
        [(registered, target)] = accepting
        return _knowing(registered, target, host), target, agent
    names = ", ".join(f"{item.spec.name}:…" for item in adapters)
    hint = f"Write one of: {names} ('adjudge agents' says what they are)"
    if accepting:
        kinds = told_apart(item for item, _ in accepting)
        raise InputError(Problem(what=f"agent {agent!r} could be one of several kinds: {kinds}", hint=hint))
    told = next(
        (told for item in adapters if (told := _answer(item, "hint", extensions, agent, folder))), None
    )
    if told is None and (near := _near(agent, folder, extensions)) is not None:
        raise InputError(near)
    meant = did_you_mean(scheme, adapters.names()) if colon else ""
    what = (
        _missing_path(agent, folder)
        or f"no installed agent adapter accepts {agent!r}{'.' if meant else ''}{meant}"
    )
    raise InputError(Problem(what=what, hint=told or hint))


def _near(target: str, folder: Path, extensions: Extensions) -> Problem | None:
    """The problem of a target that is close to an agent: a name in its folder, the folder above it, a file."""

    def is_agent(path: Path) -> bool:
        return any(_answer(item, "accepts_path", extensions, path) for item in extensions.agent_adapters)

    named, colon, _ = target.partition(":")
    path = folder / named
    if not path.exists():
        return None
    if colon:
        hint = f"Write only {named}." if is_agent(path) else "Write a module as package.module:name."
        return Problem(what=f"agent {target!r}: {named} is a path, which has no names", hint=hint)
    if path.is_file():
        return Problem(
            what=f"agent {target!r} is a file that no agent adapter recognises",
            hint="The agent comes first, then the eval sets: adjudge eval AGENT EVAL_SET",
        )
    below: list[str] = []
    with suppress(OSError):
        below = [str(Path(named) / found.name) for found in sorted(path.iterdir()) if is_agent(found)]
    if not below:
        return None
    return Problem(
        what=f"agent {target!r}: there is no agent in this folder, but there are agents in its subfolders",
        hint=f"There is {listed(below)}.",
    )


def _missing_path(target: str, folder: Path) -> str | None:
    """Message for a target that looks like a path that does not exist; ``None`` otherwise."""
    is_word = not any(mark in target for mark in ":./\\")
    path = folder / target
    if ":" in target or not ("/" in target or is_word) or path.exists():
        return None
    neighbours: list[str] = []
    with suppress(OSError):
        neighbours = sorted(
            str(Path(target).parent / found.name)
            for found in path.parent.iterdir()
            if not found.name.startswith(".")
            and (found.suffix == path.suffix if path.suffix else found.is_dir())
        )
    kind = "file" if path.suffix else "folder"
    return f"agent {target!r}: there is no {kind} {target}.{did_you_mean(str(Path(target)), neighbours)}"


def _knowing(
    registered: Registered[AgentAdapterSpec], target: str, host: RunHost
) -> Registered[AgentAdapterSpec]:
    """The adapter that accepts the object named by the target; if none does, ``registered``."""
    load = registered.spec.loads
    if load is None or all(item.spec.accepts_object is None for item in host.extensions.agent_adapters):
        return registered
    with guarded(registered, "loads", passing=(AdjudgeError,)):
        agent = load(target, host)
    return _accepting_object(agent, host.extensions) or registered


def _accepting_object(agent: object, extensions: Extensions) -> Registered[AgentAdapterSpec] | None:
    """The adapter that accepts an object.

    Raises:
        InputError: several adapters accept it.
    """
    found = [item for item in extensions.agent_adapters if _answer(item, "accepts_object", extensions, agent)]
    if len(found) > 1:
        raise InputError(
            Problem(
                what=f"the agent {_object_name(agent)} could be one of several kinds: {told_apart(found)}",
                hint="Disable all but one of them with --no-plugin.",
            )
        )
    return found[0] if found else None


def _answer(
    registered: Registered[AgentAdapterSpec], question: str, extensions: Extensions, *about: object
) -> Any:
    """The return value of a spec's function if it is true or a text; else ``None``.

    If the function raises, the plugin is skipped, with a warning.
    """
    asked: Callable[..., Any] | None = getattr(registered.spec, question)
    if asked is None:
        return None
    try:
        with guarded(registered, question):
            return asked(*about) or None
    except PluginRaisedError as error:
        extensions.warn(str(error))
        return None


def _check_cases(spec: AgentAdapterSpec, files: Sequence[SelectedFile], problems: Problems) -> None:
    for file in files:
        for entry in file.entries:
            if entry.has_state and not spec.takes_state:
                problems.add(
                    f"starts with a session state, which a {spec.name!r} agent cannot take",
                    file=file.shown_path,
                    case=entry.eval_id,
                )


def _object_name(agent: object) -> str:
    """The name of an agent object in a plan and in messages."""
    name: str = getattr(agent, "__qualname__", type(agent).__qualname__)
    return f"{getattr(agent, '__module__', type(agent).__module__)}:{name}"
