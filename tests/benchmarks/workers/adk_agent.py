"""The scripted agent as google-adk runs it: a ``BaseAgent`` without a model."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from google.adk.agents import BaseAgent
from google.adk.agents.invocation_context import InvocationContext
from google.adk.events import Event
from google.genai.types import Content, FunctionCall, FunctionResponse, Part

from . import scripted


class Scripted(BaseAgent):
    """Does and says what the script says."""

    async def _run_async_impl(self, ctx: InvocationContext) -> AsyncGenerator[Event, None]:
        text = ctx.user_content.parts[0].text
        for number, call in enumerate(scripted.calls(text)):
            identity = f"call-{number}"
            yield self._event(ctx, Part(function_call=FunctionCall(id=identity, **call)))
            response = FunctionResponse(id=identity, name=call["name"], response=scripted.response(call))
            yield self._event(ctx, Part(function_response=response))
        yield self._event(ctx, Part(text=scripted.answer(text)))

    def _event(self, ctx: InvocationContext, part: Part) -> Event:
        content = Content(role="model", parts=[part])
        return Event(invocation_id=ctx.invocation_id, author=self.name, content=content)


root_agent = Scripted(name="scripted")
