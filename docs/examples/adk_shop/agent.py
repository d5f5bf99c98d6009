"""A shop's agent, written with Google's ADK. Its "model" is a program, so that the example runs without a network."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator

from google.adk.agents import LlmAgent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types

ORDERS = {7: "on its way", 8: "delivered"}


def find_order(number: int) -> dict[str, str]:
    """Says where an order is."""
    return {"status": ORDERS.get(number, "unknown")}


def cancel_order(number: int) -> dict[str, str]:
    """Cancels an order."""
    ORDERS[number] = "cancelled"
    return {"status": ORDERS[number]}


class SmallModel(BaseLlm):
    """Calls the tool that the user's words name. It cancels at once, and never looks whether it may."""

    model: str = "small"

    async def generate_content_async(
        self,
        llm_request: LlmRequest,
        stream: bool = False,  # noqa: ARG002 - the signature is google-adk's
    ) -> AsyncGenerator[LlmResponse, None]:
        """Answer the last message."""
        last = (llm_request.contents[-1].parts or [types.Part(text="")])[-1]
        if last.function_response is not None:
            part = types.Part(text=f"Your order is {(last.function_response.response or {})['status']}.")
        else:
            name = "cancel_order" if "cancel" in (last.text or "").lower() else "find_order"
            number = re.search(r"\d+", last.text or "")
            part = types.Part(
                function_call=types.FunctionCall(name=name, args={"number": int(number[0]) if number else 0})
            )
        yield LlmResponse(content=types.Content(role="model", parts=[part]))


root_agent = LlmAgent(
    name="shop",
    model=SmallModel(),
    instruction="You help with orders. Find an order before you cancel it: what is delivered cannot be cancelled.",
    tools=[find_order, cancel_order],
)
