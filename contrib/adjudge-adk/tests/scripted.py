"""A model that is a program: agents of google-adk without a network."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from typing import Any

from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types


class Scripted(BaseLlm):
    """Answers what ``reply`` makes of the last thing that was said: a text, parts, or whole responses."""

    model: str = "scripted"
    reply: Callable[[LlmRequest], Any]

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        made = self.reply(llm_request)
        for each in made if isinstance(made, list) and isinstance(made[0], LlmResponse) else [made]:
            yield each.model_copy(deep=True) if isinstance(each, LlmResponse) else response(each)


def response(said: Any) -> LlmResponse:
    parts = said if isinstance(said, list) else [said]
    # Copies: google-adk gives the calls in them their ids.
    found = [types.Part(text=part) if isinstance(part, str) else part.model_copy(deep=True) for part in parts]
    return LlmResponse(
        content=types.Content(role="model", parts=found),
        model_version="scripted-1",
        usage_metadata=types.GenerateContentResponseUsageMetadata(
            prompt_token_count=10, candidates_token_count=5, total_token_count=15
        ),
    )


def call(name: str, call_id: str | None = None, **args: Any) -> types.Part:
    return types.Part(function_call=types.FunctionCall(name=name, args=args, id=call_id))


def thought(text: str) -> types.Part:
    return types.Part(text=text, thought=True)


def heard(request: LlmRequest) -> str:
    """The text of the last content; ``=NAME`` where it is the result of a call."""
    for part in reversed(request.contents[-1].parts or []):
        if part.function_response is not None:
            return f"={part.function_response.name}"
        if part.text and "`transfer_to_agent` tool returned" in part.text:
            return "=transfer_to_agent"  # told to the agent that it was transferred to
        if part.text:
            return part.text
    return ""


def by(answers: dict[str, Any], otherwise: Any = "I cannot do that.") -> Scripted:
    """A model that answers by what it heard."""
    return Scripted(reply=lambda request: answers.get(heard(request), otherwise))


def turn(question: str, answer: str, *calls: dict[str, Any]) -> dict[str, Any]:
    """A turn of an eval set."""
    return {
        "user_content": {"role": "user", "parts": [{"text": question}]},
        "final_response": {"role": "model", "parts": [{"text": answer}]},
        "intermediate_data": {"tool_uses": list(calls)},
    }


def expected_call(name: str, **args: Any) -> dict[str, Any]:
    """A call that a case expects."""
    return {"name": name, "args": args}
