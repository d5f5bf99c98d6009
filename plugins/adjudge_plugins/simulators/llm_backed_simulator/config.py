"""Options of ``llm_backed``."""

from __future__ import annotations

import re
from typing import Annotated, Any, Final

from pydantic import AfterValidator

from adjudge.plugin import ComponentConfig, JudgeModelOptions, did_you_mean

_NEEDED: Final = ("stop_signal", "conversation_plan", "conversation_history")
PERSONA: Final = "persona"
"""The placeholder that instructions need where a case has a persona."""

_MOST_TURNS: Final = 300
"""What adjudge lets any conversation have."""

_STATEMENT: Final = re.compile(r"\{%.*?%\}|\{#.*?#\}", re.DOTALL)
_BRACED: Final = re.compile(r"\{\{(.*?)\}\}", re.DOTALL)


def _number_of_turns(value: int) -> int:
    if value != -1 and not 1 <= value <= _MOST_TURNS:
        raise ValueError(f"it must be from 1 to {_MOST_TURNS}, or -1 for no limit of its own")
    return value


def _instructions(text: str | None) -> str | None:
    if text is None:
        return None
    if found := _STATEMENT.search(text):
        raise ValueError(f"{found[0][:40]!r} is a statement of Jinja; only placeholders are filled in")
    names = [name.strip() for name in _BRACED.findall(text)]
    known = (*_NEEDED, PERSONA)
    for name in names:
        if name not in known:
            listed = ", ".join(f"{{{{{each}}}}}" for each in known)
            raise ValueError(f"unknown placeholder {name!r}.{did_you_mean(name, known)} There are {listed}")
    if missing := [f"{{{{{name}}}}}" for name in _NEEDED if name not in names]:
        raise ValueError(f"the instructions lack {', '.join(missing)}")
    return text


class LlmBackedConfig(ComponentConfig):
    """Options of ``llm_backed`` (ADK ``LlmBackedUserSimulatorConfig``)."""

    model: str | None = None
    """The model, as ``provider/model`` or a name that matches one provider's models; unset: the run's judge. ``--judge`` replaces it."""
    model_configuration: dict[str, Any] | None = None
    """Generation parameters (ADK ``GenerateContentConfig``): ``temperature``, ``max_output_tokens`` and so on."""
    max_allowed_invocations: Annotated[int, AfterValidator(_number_of_turns)] = 20
    """The maximum number of the user's messages in a conversation, including the starting prompt; -1: only the limit of adjudge."""
    custom_instructions: Annotated[str | None, AfterValidator(_instructions)] = None
    """A prompt that replaces the default one, with the placeholders ``{{stop_signal}}``,
    ``{{conversation_plan}}`` and ``{{conversation_history}}``, and ``{{persona}}`` for cases that have one."""
    include_function_calls: bool = False
    """Whether the model sees the agent's tool calls and their results."""

    @property
    def judge_model_options(self) -> JudgeModelOptions:
        """The model, as judges are chosen."""
        return JudgeModelOptions(
            judge_model=self.model, judge_model_config=self.model_configuration, num_samples=1
        )
