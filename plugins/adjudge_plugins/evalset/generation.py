"""``adjudge evalset generate``: a model writes conversation scenarios from the agent's instructions and tools."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click

from adjudge.kit.eval_sets import EvalSetDocument
from adjudge.model.eval_set import EvalCase
from adjudge.model.invocation import AppDetails
from adjudge.model.judging import Exhibit
from adjudge.plugin import InputError, Problem, say

_FILE = click.Path(path_type=Path)
_FIELDS: Final = {
    "starting_prompt": "the first message of the user, word for word",
    "conversation_plan": "what the user wants and knows, in two to six sentences",
}
_MOST: Final = 100


@dataclass(frozen=True, kw_only=True, slots=True)
class Wanted:
    """The input for writing scenarios."""

    count: int
    instructions: str
    """The instructions of the agent."""
    tools: str = ""
    """The tools that the agent declares."""
    environment: str = ""
    """The data behind the tools."""
    goal: str = ""
    """The aspect that the scenarios should test."""
    persona: str | None = None
    """The id of the simulated user's persona."""

    def exhibits(self, written: Sequence[EvalCase]) -> Iterator[Exhibit]:
        """The exhibits for the model, including the scenarios written so far."""
        scenarios = [
            case.conversation_scenario.model_dump(mode="json", exclude_none=True)
            for case in written
            if case.conversation_scenario
        ]
        texts = {
            "instructions": self.instructions,
            "tools": self.tools,
            "environment": self.environment,
            "goal": self.goal,
            "scenarios": "\n".join(json.dumps(scenario, ensure_ascii=False) for scenario in scenarios),
        }
        return (Exhibit(name=name, text=text) for name, text in texts.items() if text)


@click.command("generate")
@click.argument("file", type=_FILE)
@click.option(
    "--judge",
    metavar="MODEL",
    required=True,
    envvar="ADJUDGE_JUDGE",
    help="The model that writes, as provider/model.",
)
@click.option(
    "--count",
    metavar="N",
    type=click.IntRange(1, _MOST),
    default=5,
    show_default=True,
    help="The number of scenarios.",
)
@click.option("--instructions", "instructions", type=_FILE, help="A text file: the agent's instructions.")
@click.option("--tools", type=_FILE, help="A text file: the agent's tools, in any readable form.")
@click.option(
    "--log", type=_FILE, help="A log that contains the instructions and tools, instead of these two options."
)
@click.option("--environment", type=_FILE, help="A text file: the data behind the tools.")
@click.option("--goal", metavar="TEXT", default="", help="What the scenarios should test.")
@click.option("--persona", metavar="ID", help="Who the simulated user is: EXPERT, NOVICE or EVALUATOR.")
@click.option(
    "--session_input_file",
    "--session-input-file",
    type=_FILE,
    help="The initial session of these cases.",
)
@click.pass_obj
def generate(
    no_plugins: tuple[str, ...],
    file: Path,
    judge: str,
    count: int,
    instructions: Path | None,
    tools: Path | None,
    log: Path | None,
    environment: Path | None,
    goal: str,
    persona: str | None,
    session_input_file: Path | None,
) -> None:
    """Let a model write scenarios, and add them as cases.

    Each scenario takes one call of the model. If a call fails, nothing is written. Check the scenarios before you use
    them: `adjudge evalset show FILE`.
    """
    if (log is None) == (instructions is None):
        raise InputError(Problem(what="give either --instructions, with --tools, or --log."))
    if log is not None:
        told, declared = _of_log(log, no_plugins)
    else:
        told, declared = _text_of(instructions), _text_of(tools)
    wanted = Wanted(
        count=count,
        instructions=told,
        tools=declared,
        environment=_text_of(environment),
        goal=goal,
        persona=persona,
    )
    add_generated(EvalSetDocument.opened(file), wanted, judge, session_input_file, no_plugins)


def add_generated(
    document: EvalSetDocument, wanted: Wanted, model: str, session_input: Path | None, disable: Sequence[str]
) -> None:
    """Write scenarios, add them to the eval set as cases, and print their ids.

    Raises:
        InputError: the model cannot be used, or a call failed; nothing is written.
    """
    from adjudge_plugins.evalset.scenarios import add_missing, session_of

    session = session_of(session_input)
    there = document.sound_cases()
    cases = asyncio.run(_written(wanted, model, session, there, disable))
    added, known = add_missing(document, cases)
    document.save()
    for eval_id in added:
        say(f"{document.path}: added {eval_id}")
    for eval_id in known:
        say(f"{document.path}: has {eval_id} already: the model wrote the same scenario again")


async def _written(
    wanted: Wanted, model: str, session: object, there: Sequence[EvalCase], disable: Sequence[str]
) -> list[EvalCase]:
    from adjudge import open_judge
    from adjudge.kit.judged_criteria import read_prompt
    from adjudge.model import Failure
    from adjudge_plugins.evalset.scenarios import case_of

    as_who = {} if wanted.persona is None else {"user_persona": wanted.persona}
    # An unknown persona is reported before the first call of the model.
    case_of({**dict.fromkeys(_FIELDS, "-"), **as_who}, session, "--persona")
    prompt = read_prompt(__package__, "scenario")
    cases: list[EvalCase] = []
    async with open_judge(model, disable=disable) as judge:
        for number in range(wanted.count):
            exhibits = tuple(wanted.exhibits([*there, *cases]))
            found = await judge.speak(prompt, exhibits, _FIELDS, sample=number)
            failed = found.message if isinstance(found, Failure) else _missing(found)
            if isinstance(found, Failure) or failed:
                raise InputError(
                    Problem(
                        what=f"{model} wrote {number} of {wanted.count} scenarios, then failed: {failed}",
                        hint="Nothing was written.",
                    )
                )
            cases.append(case_of({**found, **as_who}, session, f"{model}, scenario {number + 1}"))
    return cases


def _missing(written: Mapping[str, str]) -> str:
    """Name what a scenario lacks; empty if it is complete."""
    lacking = [name for name in _FIELDS if not written[name].strip()]
    return f"it left {' and '.join(lacking)} empty" if lacking else ""


def _text_of(path: Path | None) -> str:
    if path is None:
        return ""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise InputError(Problem(what=f"cannot be read: {reason}.", file=str(path))) from None


def _of_log(log: Path, disable: Sequence[str]) -> tuple[str, str]:
    """The instructions and the tools of the agents in a log.

    Raises:
        InputError: the log records neither.
    """
    from adjudge import read_log

    for trajectory in read_log(log, disable=disable):
        for turn in trajectory.invocations:
            if turn.app_details is not None and turn.app_details.agent_details:
                return described(turn.app_details)
    raise InputError(
        Problem(
            what="the log has no instructions of its agent.",
            file=str(log),
            hint="Give --instructions FILE in its place.",
        )
    )


def described(details: AppDetails) -> tuple[str, str]:
    """The instructions of every agent, and the tools that they declare, as texts."""
    agents = details.agent_details.values()
    told = "\n\n".join(f"{agent.name}:\n{agent.instructions}" for agent in agents if agent.instructions)
    tools = (tool for agent in agents for tool in agent.tool_declarations)
    return told, "\n".join(dict.fromkeys(json.dumps(tool, ensure_ascii=False, default=str) for tool in tools))
