"""The inputs of ``eval_set generate_eval_cases``: ADK's configuration, and the agent in a folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pydantic import Field

from adjudge.kit.strict_json import FileObject, Findings, read_json
from adjudge.model.invocation import AppDetails
from adjudge.plugin import InputError, Problem, SupportsDescription


class ConversationGenerationConfig(FileObject):
    """The settings for writing scenarios (google-adk 2.13.0, ``ConversationGenerationConfig``)."""

    count: int = Field(ge=1, le=100)
    model_name: str
    generation_instruction: str | None = None
    environment_context: str | None = None


def read_generation_config(path: Path) -> ConversationGenerationConfig:
    """Read the configuration in a file.

    Raises:
        InputError: it cannot be read or is invalid; every mistake is named.
    """
    findings = Findings(str(path))
    return findings.sound(findings.read(ConversationGenerationConfig, read_json(path), "$"))


async def agent_details(target: Path, disable: Sequence[str]) -> AppDetails:
    """The instructions of an agent and the tools that it declares.

    Raises:
        InputError: there is no agent, or agents of its kind cannot provide this.
    """
    from adjudge import open_agent

    found: list[AppDetails] = []
    async with open_agent(str(target), disable=disable) as opened:
        adapter = opened.agent.adapter
        if not isinstance(adapter, SupportsDescription):
            raise InputError(
                Problem(
                    what="agents of this kind do not describe their instructions and tools.",
                    file=str(target),
                    hint="Use adjudge evalset generate, with --instructions and --tools, or with --log.",
                )
            )
        describing = adapter

        async def describe() -> None:
            found.append(await describing.describe())

        await opened.run(describe)
    return found[0]
