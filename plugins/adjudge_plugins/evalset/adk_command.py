"""``adjudge eval_set``: ADK's command of this name, with its arguments."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from adjudge.kit.eval_sets import EVAL_SET_SUFFIX, EvalSetDocument, checked_id
from adjudge.plugin import InputError, Problem, say
from adjudge_plugins.evalset.additions import add_scenarios

_FILE = click.Path(path_type=Path)
_FOLDER = click.argument("agent_folder", metavar="AGENT_MODULE_FILE_PATH", type=_FILE)
_ID = click.argument("eval_set_id")


@click.group()
def eval_set_command() -> None:
    """Make eval sets of an ADK agent, as `adk eval_set` does.

    The files are in the folder of the agent. `adjudge evalset` has more commands, for files in any folder.
    """


@eval_set_command.command("create")
@_FOLDER
@_ID
def create(agent_folder: Path, eval_set_id: str) -> None:
    """Write an eval set without cases."""
    file = _file(agent_folder, eval_set_id)
    EvalSetDocument.new(file, eval_set_id).save()
    say(f"{file}: an eval set without cases")


@eval_set_command.command("add_eval_case")
@_FOLDER
@_ID
@click.option("--scenarios_file", type=_FILE, required=True, help="ADK's ConversationScenarios, as JSON.")
@click.option("--session_input_file", type=_FILE, required=True, help="ADK's SessionInput, as JSON.")
def add_eval_case(
    agent_folder: Path, eval_set_id: str, scenarios_file: Path, session_input_file: Path
) -> None:
    """Add a case for every new scenario."""
    add_scenarios(_file(agent_folder, eval_set_id), scenarios_file, session_input_file)


@eval_set_command.command("generate_eval_cases")
@_FOLDER
@_ID
@click.option(
    "--user_simulation_config_file",
    type=_FILE,
    required=True,
    help="ADK's ConversationGenerationConfig, as JSON: count, model_name, generation_instruction, environment_context.",
)
@click.option(
    "--judge", metavar="MODEL", help="The model that writes, as provider/model, in place of model_name."
)
@click.pass_obj
def generate_eval_cases(
    no_plugins: tuple[str, ...],
    agent_folder: Path,
    eval_set_id: str,
    user_simulation_config_file: Path,
    judge: str | None,
) -> None:
    """Let a model write scenarios, and add a case for each.

    The model reads the agent's instructions and tools. The eval set is created if it does not exist. If a call of the
    model fails, nothing is written.
    """
    from adjudge_plugins.evalset.adk_generation import agent_details, read_generation_config
    from adjudge_plugins.evalset.generation import Wanted, add_generated, described

    file = _file(agent_folder, eval_set_id)
    config = read_generation_config(user_simulation_config_file)
    told, tools = described(asyncio.run(agent_details(agent_folder, no_plugins)))
    wanted = Wanted(
        count=config.count,
        instructions=told,
        tools=tools,
        environment=config.environment_context or "",
        goal=config.generation_instruction or "",
    )
    document = EvalSetDocument.opened(file) if file.exists() else EvalSetDocument.new(file, eval_set_id)
    add_generated(document, wanted, judge or config.model_name, None, no_plugins)


def _file(folder: Path, eval_set_id: str) -> Path:
    """The path at which ADK's web page looks for the eval set.

    Raises:
        InputError: there is no such folder, or the id is invalid.
    """
    if not folder.is_dir():
        raise InputError(Problem(what="expected the folder of an agent.", file=str(folder)))
    return folder / f"{checked_id(eval_set_id)}{EVAL_SET_SUFFIX}"
