"""The instructions and tools of an agent, before it runs."""

from __future__ import annotations

from collections.abc import Iterable

from google.adk.agents.llm_agent import LlmAgent
from google.adk.workflow import BaseNode

from adjudge.kit.plain_json import plain_json
from adjudge.model import AgentDetails, AppDetails


async def described(agents: Iterable[BaseNode]) -> AppDetails:
    """Instructions and tools of every agent that a model plays.

    An instruction that a function makes for each session is left out: there is no session yet.
    """
    details: dict[str, AgentDetails] = {}
    for agent in agents:
        if isinstance(agent, LlmAgent):
            tools = await agent.canonical_tools()
            # google-adk has no public name for it.
            declared = [tool._get_declaration() for tool in tools]  # pyright: ignore[reportPrivateUsage]
            details[agent.name] = AgentDetails(
                name=agent.name,
                instructions=agent.instruction if isinstance(agent.instruction, str) else "",
                tool_declarations=tuple(plain_json(each) for each in declared if each is not None),
            )
    return AppDetails(agent_details=details)
