"""The scripted agent as an ``LlmAgent`` with tools, whose model is a program: what google-adk does for an agent is all there."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai.types import Content, FunctionCall, Part

from . import scripted


def find_device(room: str, kind: str) -> dict[str, Any]:
    """Finds a device."""
    return scripted.response({"name": "find_device"})


def set_device(device_id: str, on: bool, level: int) -> dict[str, Any]:
    """Sets a device."""
    return scripted.response({"name": "set_device"})


class Scripted(BaseLlm):
    """Makes the calls of the script one after the other, then answers."""

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        said = [
            (place, content.parts[0].text)
            for place, content in enumerate(llm_request.contents)
            if content.role == "user" and content.parts[0].text
        ]
        place, text = said[-1]
        done = sum(1 for content in llm_request.contents[place:] if content.role == "model")
        calls = scripted.calls(text)
        part = (
            Part(function_call=FunctionCall(**calls[done]))
            if done < len(calls)
            else Part(text=scripted.answer(text))
        )
        yield LlmResponse(content=Content(role="model", parts=[part]))


root_agent = LlmAgent(
    name="scripted",
    model=Scripted(model="scripted"),
    instruction="You switch devices in a house.",
    tools=[find_device, set_device],
)
