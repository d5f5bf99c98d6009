"""The agent of a plan: resolved from its target, made, and able to serve the selected cases."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from adjudge.adk.validation import listed
from adjudge.errors import AdjudgeError, InputError, Problem
from adjudge.extension.configuration import validated_config
from adjudge.extension.guard import PluginRaisedError, each, guarded, make
from adjudge.extension.loader import Extensions
from adjudge.extension.protocols import (
    CaseFacts,
    Host,
    SupportsFingerprint,
    SupportsPlanCheck,
    SupportsPlanNotes,
)
from adjudge.extension.registry import Registered, told_apart
from adjudge.extension.specs import AgentAdapterSpec
from adjudge.model.address import shown_address
from adjudge.runner.case_selection import SelectedFile
from adjudge.runner.plan import PlannedAgent
from adjudge.runner.problems import Problems
from adjudge.runner.request import RunRequest


def plan_agent(
    agent: object,
    request: RunRequest,
    files: Sequence[SelectedFile],
    extensions: Extensions,
    host: Host,
    problems: Problems,
) -> PlannedAgent | None:
    """Make the agent; ``None`` where that is not possible."""
    with problems.caught():
        component, target = _resolved(agent, request, extensions)
        options: dict[str, Any] = {**request.agent_options, "target": target}
        config = validated_config(component.spec.config, options, path="--agent-option")
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
                )
                for file in files
                for entry in file.entries
                if not entry.is_scenario
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
            target=shown_address(target) if isinstance(target, str) else _object_name(target),
            options=config.model_dump(mode="json", exclude={"target"}),
            fingerprint=fingerprint,
            adapter=adapter,
            folder=folder,
        )
    return None


def _resolved(
    agent: object, request: RunRequest, extensions: Extensions
) -> tuple[Registered[AgentAdapterSpec], object]:
    adapters = extensions.agent_adapters
    if not isinstance(agent, str):
        return adapters.said_to_be("takes_objects", "takes objects"), agent
    scheme, colon, target = agent.partition(":")
    if colon and scheme in adapters.names():
        registered = adapters.resolve(scheme)
        # "http://…" is an address, not the scheme "http" before "//…".
        return registered, agent if _accepts(registered, agent, extensions) else target
    accepting = [item for item in adapters if _accepts(item, agent, extensions)]
    if len(accepting) == 1:
        return accepting[0], agent
    hint = f"Write one of: {', '.join(f'{item.spec.name}:…' for item in adapters)}"
    if accepting:
        what = f"agent {agent!r} could be one of several kinds: {told_apart(accepting)}"
        raise InputError(Problem(what=what, hint=hint))
    if Path(request.working_folder, agent).is_dir():
        hint = f"A folder with an ADK agent cannot be run yet. Serve it, and name the address:\n{_served(agent, request)}"
    raise InputError(Problem(what=f"agent {agent!r} is of no known kind", hint=hint))


def _served(agent: str, request: RunRequest) -> str:
    """The two commands that serve the ADK agent in a folder and evaluate it."""
    folder = Path(request.working_folder, agent).resolve()
    config = ["--config_file_path", request.config_file] if request.config_file is not None else []
    serve = ["adk", "api_server", "--port", "8000", _shown(folder.parent, request)]
    evaluate = ["adjudge", "eval", "http://127.0.0.1:8000", *request.eval_sets, *config]
    options = ["--agent-option", f"app={folder.name}"]
    return f"    {shlex.join(serve)}\n    {shlex.join([*evaluate, *options])}"


def _shown(path: Path, request: RunRequest) -> str:
    return os.path.relpath(path, request.working_folder)


def _accepts(registered: Registered[AgentAdapterSpec], agent: str, extensions: Extensions) -> bool:
    """Whether a target is of this kind. A plugin that cannot say so is left out, with a warning."""
    accepts = registered.spec.accepts
    if accepts is None:
        return False
    try:
        with guarded(registered, "accepts"):
            return bool(accepts(agent))
    except PluginRaisedError as error:
        extensions.warn(str(error))
        return False


def _check_cases(spec: AgentAdapterSpec, files: Sequence[SelectedFile], problems: Problems) -> None:
    entries = [entry for file in files for entry in file.entries]
    if entries and all(entry.is_scenario for entry in entries):
        problems.add(
            "every selected case has a conversation_scenario; simulated users are not supported by this "
            "version of adjudge",
            file=", ".join(file.shown_path for file in files),
            hint="Select cases with a 'conversation'.",
        )
    for file in files:
        scenarios = [entry.eval_id for entry in file.entries if entry.is_scenario]
        if scenarios:
            problems.warn([_left_out(file.shown_path, scenarios)])
        for entry in file.entries:
            if entry.has_state and not spec.takes_state:
                problems.add(
                    f"starts with a session state, which a {spec.name!r} agent cannot take",
                    file=file.shown_path,
                    case=entry.eval_id,
                )


def _left_out(file: str, scenarios: list[str]) -> str:
    cases, have = ("a case", "has") if len(scenarios) == 1 else (f"{len(scenarios)} cases", "have")
    return (
        f"{file}: {cases} ({listed(scenarios)}) {have} a conversation_scenario and no agent is asked: not "
        "applicable, because simulated users are not supported by this version of adjudge"
    )


def _object_name(agent: object) -> str:
    """What an agent object is called in a plan and in messages."""
    name: str = getattr(agent, "__qualname__", type(agent).__qualname__)
    return f"{getattr(agent, '__module__', type(agent).__module__)}:{name}"
