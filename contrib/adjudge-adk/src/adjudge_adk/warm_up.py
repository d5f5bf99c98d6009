"""Makes one call before the first case: google-adk imports most of its code when an agent is first called."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache

from google.adk.agents.llm_agent import LlmAgent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types

from adjudge.model import Content, SessionInput
from adjudge_adk.conversation import Conversation

_NAME = "warm_up"


class _Model(BaseLlm):
    """Calls the tool, and is content."""

    async def generate_content_async(
        self,
        llm_request: LlmRequest,
        stream: bool = False,  # noqa: ARG002 - the signature is google-adk's
    ) -> AsyncGenerator[LlmResponse, None]:
        """Answer, without a network."""
        called = len(llm_request.contents) > 1
        call = types.Part(function_call=types.FunctionCall(name=_NAME, args={}))
        part = types.Part(text="ready") if called else call
        # Without a usage google-adk complains in its log.
        usage = types.GenerateContentResponseUsageMetadata(prompt_token_count=1, candidates_token_count=1)
        yield LlmResponse(content=types.Content(role="model", parts=[part]), usage_metadata=usage)


@cache
def warm_up() -> None:
    """Play a turn with an agent of our own, so that the time limit of the first case is for its own agent."""
    with suppress(Exception), ThreadPoolExecutor(1) as thread:  # the first case tells what is wrong
        thread.submit(asyncio.run, _turn()).result()


async def _turn() -> None:
    def tool() -> str:
        return "done"

    tool.__name__ = _NAME
    agent = LlmAgent(name=_NAME, model=_Model(model=_NAME), tools=[tool])
    conversation = Conversation(agent, None, _NAME, SessionInput(user_id=_NAME))
    await conversation.open()
    await conversation.say(Content.of_text("Are you ready?", role="user"))
