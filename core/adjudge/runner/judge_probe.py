"""Asking judges outside of a run: what each backend lacks, and one call that shows whether a model answers."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from adjudge.errors import InputError, RunError
from adjudge.extension.judge_options import JudgeModelOptions
from adjudge.extension.judge_use import judge_use
from adjudge.extension.loader import Extensions
from adjudge.extension.plugin_loops import plugin_loops
from adjudge.extension.project import find_settings, project_extensions
from adjudge.extension.registry import Registered
from adjudge.extension.specs import JudgeBackendSpec
from adjudge.journal.judge_notes import JudgeNote, JudgeNotes
from adjudge.journal.secret import installation_secret
from adjudge.judge.client import JudgeClient, JudgeUnusableError
from adjudge.judge.model_resolution import Judges
from adjudge.model.evidence import Failure
from adjudge.model.judging import Decision, JudgeUse, Question
from adjudge.runner.host import RunHost


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeAnswer:
    """What came back when a model was asked."""

    judge: str
    """As ``provider/model``."""
    seconds: float
    decision: Decision | None
    use: JudgeUse | None
    failure: Failure | None
    """Why there is no verdict; its code is ``judge_`` and the class of the failure."""


@dataclass(frozen=True, slots=True)
class BackendState:
    """One judge backend, what it lacks here, and what was found out about its models."""

    registered: Registered[JudgeBackendSpec]
    lacking: tuple[str, ...]
    notes: tuple[JudgeNote, ...]


def backend_states(extensions: Extensions, folder: Path) -> tuple[list[BackendState], list[str]]:
    """Every judge backend, and what is wrong with the files that say what is known of it. Never fails."""
    host = RunHost(extensions, folder)
    troubles: list[str] = []
    try:
        host.read_environment(agent_folder=None)
    except InputError as error:
        troubles.append(str(error))
    notes: tuple[JudgeNote, ...] = ()
    try:
        notes = JudgeNotes().everything()
    except RunError as error:
        troubles.append(str(error))
    judges = _judges(extensions, folder, host, JudgeClient(secret=b""))
    states = [
        BackendState(
            item,
            tuple(judges.lacking(item)),
            tuple(known for known in notes if known.judge.startswith(f"{item.spec.name}/")),
        )
        for item in extensions.judge_backends
    ]
    return states, troubles


async def ask_judge(judge: str, question: Question, *, disable: Iterable[str] = ()) -> JudgeAnswer:
    """Ask a model one question with one item: once, without a cache and without a retry.

    Args:
        judge: As ``provider/model``.
        question: What to ask.
        disable: Plugins or distributions that are not imported.

    Raises:
        InputError: no backend has such a model, or something that it needs is missing.
        PluginError: a required plugin is not available.
    """
    folder = Path.cwd()
    extensions = project_extensions(folder, disable=disable)
    host = RunHost(extensions, folder)
    host.read_environment(agent_folder=None)
    timeout = find_settings(folder).judge.timeout
    client = JudgeClient(secret=installation_secret(), timeout=timeout, retrying=False)
    judges = _judges(extensions, folder, host, client)
    asked_judge = judges.judge(JudgeModelOptions(judge_model=judge, num_samples=1))
    (model,) = asked_judge.models
    started = time.perf_counter()
    decision: Decision | None = None
    async with plugin_loops():
        with judge_use() as asked:
            try:
                (decision,) = await asked_judge.decide(question)
                failure = decision.error
            except JudgeUnusableError as error:
                failure = Failure(code=f"judge_{error.code}", message=str(error), origin=model)
            finally:
                seconds = time.perf_counter() - started
                await judges.aclose()
    return JudgeAnswer(judge=model, seconds=seconds, decision=decision, use=asked.use(), failure=failure)


def _judges(extensions: Extensions, folder: Path, host: RunHost, client: JudgeClient) -> Judges:
    options = find_settings(folder).judge.backends
    return Judges(extensions.judge_backends, client, host, backend_options=options)
