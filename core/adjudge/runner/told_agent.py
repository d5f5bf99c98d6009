"""Instructions and tools of an agent, read from the user's files, for logs that do not contain them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

from adjudge.adk.json_input import open_file, read_json
from adjudge.errors import InputError, Problem
from adjudge.model.base import JsonObject, JsonValue, canonical_sha256
from adjudge.model.invocation import AgentDetails, AppDetails
from adjudge.model.trajectory import Trajectory
from adjudge.runner.problems import Problems

_LARGEST: Final = 4 * 1024 * 1024
"""The maximum size of an instructions file in bytes: more than any model can read."""

_NAMELESS: Final = "agent"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldAgent:
    """Instructions and tools for runs whose logs have none."""

    instructions: str = ""
    tools: tuple[JsonValue, ...] = ()

    @classmethod
    def read(cls, instructions: str | None, tools: str | None, problems: Problems) -> ToldAgent:
        """Read the files: a text; and JSON, a list of tool declarations or an object with such a list in ``tools``.

        Problems with the files are added to ``problems``.
        """
        text, declared = "", ()
        with problems.caught():
            text = "" if instructions is None else _text(Path(instructions))
        with problems.caught():
            declared = () if tools is None else _tools(Path(tools))
        return cls(instructions=text, tools=declared)

    def document(self) -> JsonObject:
        """The hashes of the instructions and tools, as JSON; empty if there are none."""
        found: JsonObject = {"instructions": self.instructions, "tools": list(self.tools)}
        return {name: canonical_sha256({name: value}) for name, value in found.items() if value}

    def added_to(self, run: Trajectory) -> Trajectory:
        """The run with instructions and tools added where its log has none."""
        known = [turn.app_details for turn in run.invocations if turn.app_details is not None]
        agents = [agent for details in known for agent in details.agent_details.values()]
        instructions = "" if any(agent.instructions for agent in agents) else self.instructions
        tools = () if any(agent.tool_declarations for agent in agents) else self.tools
        if not instructions and not tools:
            return run
        turns = tuple(
            turn.model_copy(
                update={"app_details": _with(turn.app_details, run.agent or _NAMELESS, instructions, tools)}
            )
            for turn in run.invocations
        )
        return run.model_copy(update={"invocations": turns})


def _with(
    details: AppDetails | None, name: str, instructions: str, tools: tuple[JsonValue, ...]
) -> AppDetails:
    agents = dict(details.agent_details) if details is not None else {}
    for known in agents or {name: AgentDetails(name=name)}:
        agent = agents.get(known, AgentDetails(name=known))
        agents[known] = agent.model_copy(
            update={
                "instructions": agent.instructions or instructions,
                "tool_declarations": agent.tool_declarations or tools,
            }
        )
    return AppDetails(agent_details=agents)


def _text(path: Path) -> str:
    with open_file(path) as file:
        data = file.read(_LARGEST + 1)
    if len(data) > _LARGEST:
        raise InputError(Problem(what=f"the file has more than {_LARGEST:,} bytes", file=str(path)))
    try:
        text = data.decode("utf-8-sig").strip()
    except UnicodeDecodeError as error:
        raise InputError(Problem(what=f"not UTF-8: {error.reason}", file=str(path))) from None
    if not text:
        raise InputError(
            Problem(what="the file is blank, so the agent would have no instructions", file=str(path))
        )
    return text


def _tools(path: Path) -> tuple[JsonValue, ...]:
    found: object = read_json(path)
    if isinstance(found, dict):
        found = cast("JsonObject", found).get("tools")
    if not isinstance(found, list) or not found:
        raise InputError(
            Problem(
                what="expected a list of tool declarations, or an object with one under 'tools'",
                file=str(path),
                hint='For instance: [{"name": "search", "parameters": {"type": "object"}}]',
            )
        )
    return tuple(found)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
