"""``AgentEvaluator`` with the signatures of google-adk 2.13.0 (``evaluation/agent_evaluator.py``), for pytest.

Only the import of a test changes. The agent runs on the event loop of the test.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import adjudge
from adjudge.kit.adk import dump_eval_set, find_eval_sets, migrate_eval_set, open_eval_set
from adjudge.model import EvalSet
from adjudge.plugin import InputError, Problem
from adjudge_adk.configuration import EvalConfig, config_beside, configuration_of
from adjudge_adk.outcome import details_of, failures_of
from adjudge_adk.results_table import append_results
from adjudge_adk.targets import AgentInProgram

NUM_RUNS: Final = 2


class AgentEvaluator:
    """Evaluates an agent inside a test."""

    @staticmethod
    def find_config_for_test_file(test_file: str) -> EvalConfig:
        """What the ``test_config.json`` in the folder of a test file says, else ADK's default criteria.

        Raises:
            InputError: it is broken.
        """
        return config_beside(Path(test_file))

    @staticmethod
    async def evaluate(
        agent_module: Any,
        eval_dataset_file_path_or_dir: str,
        num_runs: int = NUM_RUNS,
        agent_name: str | None = None,
        initial_session_file: str | None = None,
        print_detailed_results: bool = True,
        artifact_service: Any = None,
        output_file: str | None = None,
        app_name: str | None = None,  # noqa: ARG004 - tests written for ADK pass it
        eval_set_results_manager: Any = None,
    ) -> None:
        """Evaluate an agent on a file, or on every ``*.test.json`` below a folder.

        Args:
            agent_module: The module that has ``agent.root_agent``, ``agent.app`` or ``get_agent_async``, or whose name ends in
                ``.agent``; or an agent, or an ``App``.
            eval_dataset_file_path_or_dir: The file or the folder.
            num_runs: How often every case runs; the threshold applies to the mean.
            agent_name: The sub-agent that answers in place of the root agent.
            initial_session_file: The session that cases of files in the old shape start with.
            print_detailed_results: Whether to print every turn.
            artifact_service: Has the artifacts that cases find; pin their sessions by ``session_id``.
            output_file: A CSV file that the results are appended to.
            app_name: Used with ``eval_set_results_manager`` alone.
            eval_set_results_manager: Not supported: adjudge keeps every run.

        Raises:
            AssertionError: a case failed, could not be measured or not be decided; with the reasons of all.
            ValueError: there is nothing to evaluate.
            InputError: the agent, a file or the configuration cannot be used.
        """
        _check(num_runs, eval_set_results_manager)
        path = Path(eval_dataset_file_path_or_dir)
        if path.is_dir() and not any(path.rglob("*.test.json")):
            raise ValueError(f"there is no *.test.json below {path}, so there is nothing to evaluate")
        files = find_eval_sets(path, ("*.test.json",))
        await _evaluated(
            AgentInProgram(agent=agent_module, artifact_service=artifact_service),
            files if initial_session_file is None else _with_session(files, Path(initial_session_file)),
            None if initial_session_file is None else configuration_of(config_beside(files[0])),
            num_runs=num_runs,
            agent_name=agent_name,
            detailed=print_detailed_results,
            output_file=output_file,
        )

    @staticmethod
    async def evaluate_eval_set(
        agent_module: Any,
        eval_set: Any,
        criteria: Mapping[str, Any] | None = None,
        eval_config: Any = None,
        num_runs: int = NUM_RUNS,
        agent_name: str | None = None,
        print_detailed_results: bool = True,
        artifact_service: Any = None,
        output_file: str | None = None,
        app_name: str | None = None,  # noqa: ARG004 - tests written for ADK pass it
        eval_set_results_manager: Any = None,
    ) -> None:
        """Evaluate an agent on an eval set that the program made.

        Args:
            agent_module: As for ``evaluate``.
            eval_set: ADK's ``EvalSet`` or adjudge's, or an object in the shape of a file.
            criteria: Names to thresholds (deprecated in ADK).
            eval_config: ADK's ``EvalConfig``, what ``find_config_for_test_file`` gives, or an object in the shape of a file.
            num_runs: As for ``evaluate``, like all that follow.
            agent_name: As for ``evaluate``.
            print_detailed_results: As for ``evaluate``.
            artifact_service: As for ``evaluate``.
            output_file: As for ``evaluate``.
            app_name: As for ``evaluate``.
            eval_set_results_manager: As for ``evaluate``.

        Raises:
            AssertionError: a case failed, could not be measured or not be decided; with the reasons of all.
            ValueError: there is nothing to evaluate, or no configuration.
            InputError: the agent, the eval set or the configuration cannot be used.
        """
        _check(num_runs, eval_set_results_manager)
        made = _eval_set(eval_set)
        if not made.eval_cases:
            raise ValueError("the eval set has no case, so there is nothing to evaluate")
        given = {"criteria": dict(criteria)} if criteria else eval_config
        if given is None:
            raise ValueError("eval_config is required")
        await _evaluated(
            AgentInProgram(agent=agent_module, artifact_service=artifact_service),
            [made],
            configuration_of(given),
            num_runs=num_runs,
            agent_name=agent_name,
            detailed=print_detailed_results,
            output_file=output_file,
        )

    @staticmethod
    def migrate_eval_data_to_new_schema(
        old_eval_data_file: str, new_eval_data_file: str, initial_session_file: str | None = None
    ) -> None:
        """Write a file of an old shape as an eval set.

        Raises:
            ValueError: a name is empty.
            InputError: a file is broken, or the old one is in the new schema already.
        """
        if not old_eval_data_file or not new_eval_data_file:
            raise ValueError("one of old_eval_data_file and new_eval_data_file is empty")
        session = None if initial_session_file is None else Path(initial_session_file)
        eval_set = migrate_eval_set(Path(old_eval_data_file), initial_session=session)
        Path(new_eval_data_file).write_text(dump_eval_set(eval_set), encoding="utf-8")


async def _evaluated(
    agent: AgentInProgram,
    eval_sets: Sequence[Path | EvalSet],
    config: Mapping[str, Any] | None,
    *,
    num_runs: int,
    agent_name: str | None,
    detailed: bool,
    output_file: str | None,
) -> None:
    result = await adjudge.evaluate(
        agent,
        list(eval_sets),
        config=config,
        num_runs=num_runs,
        agent_options={} if agent_name is None else {"agent": agent_name},
        # The user of a test names its configuration by putting it beside the file.
        trust_code=True,
    )
    made = {each.eval_set_id for each in eval_sets if isinstance(each, EvalSet)}
    if detailed:
        print(details_of(result, made))  # noqa: T201 - what the test asks for
    if output_file is not None:
        append_results(result, Path(output_file))
    if not result.passed:
        raise AssertionError(failures_of(result, made))


def _check(num_runs: int, manager: Any) -> None:
    if num_runs < 1:
        raise ValueError(f"num_runs must be at least 1, found {num_runs}")
    if manager is not None:
        raise InputError(
            Problem(
                what="eval_set_results_manager is not supported: adjudge keeps every run in a journal of its own",
                hint="Leave it out. adjudge runs list shows what is kept; adjudge runs show RUN --output FILE writes it.",
            )
        )


def _with_session(files: Sequence[Path], session: Path) -> list[EvalSet]:
    for file in files:
        if open_eval_set(file).shape == "eval_set":
            raise InputError(
                Problem(
                    what="initial_session_file is for files in the old shape; this one has the sessions of its cases",
                    file=str(file),
                    hint="Write the session into session_input of the cases.",
                )
            )
    made = [migrate_eval_set(file, initial_session=session) for file in files]
    # Called by the file and not by its stem, which files of two folders may share.
    return [
        each.model_copy(update={"eval_set_id": str(file)}) for each, file in zip(made, files, strict=True)
    ]


def _eval_set(given: Any) -> EvalSet:
    """An eval set made in a program, read as a file is."""
    if isinstance(given, EvalSet):
        return given
    from tempfile import TemporaryDirectory

    from adjudge.kit.adk import load_eval_set

    text = (
        given.model_dump_json(exclude_none=True, exclude_unset=True)
        if hasattr(given, "model_dump_json")
        else json.dumps(given)
    )
    with TemporaryDirectory() as folder:
        path = Path(folder, f"eval_set{os.extsep}evalset.json")
        path.write_text(text, encoding="utf-8")
        return load_eval_set(path)
