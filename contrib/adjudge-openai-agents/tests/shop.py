"""A shop: the agents of the tests."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

import httpx
from agents import (
    Agent,
    GuardrailFunctionOutput,
    RunContextWrapper,
    function_tool,
    input_guardrail,
    output_guardrail,
)
from openai import APIConnectionError
from openai.types.responses import ResponseFunctionWebSearch
from openai.types.responses.response_function_web_search import ActionSearch
from pydantic import BaseModel
from scripted import Scripted, call, thought

ENDED: list[str] = []


@dataclass
class Till:
    """What the tools of a case work on."""

    sales: int = 0


class Report(BaseModel):
    order: int
    late: bool


def till(state: dict[str, Any]) -> Till:
    return Till(sales=state.get("sales", 0))


@function_tool
async def look_up(order: int) -> dict[str, str]:
    """Looks an order up."""
    if order == 99:
        raise LookupError("no order 99")
    await asyncio.sleep(0.02)
    return {"at": f"port {order}"}


@function_tool(failure_error_function=None)
async def crash() -> str:
    """Breaks."""
    raise RuntimeError("the till is broken")


@function_tool
async def sell(context: RunContextWrapper[Any]) -> str:
    """Sells something."""
    if isinstance(context.context, Till):
        context.context.sales += 1
    else:
        context.context["sales"] += 1
    return "sold"


@function_tool(needs_approval=True)
async def cancel(order: int) -> str:
    """Cancels an order."""
    return f"cancelled {order}"


@function_tool
async def wait() -> str:
    """Takes for ever."""
    try:
        await asyncio.sleep(60)
    finally:
        ENDED.append("wait")
    return "waited"


@function_tool
def loop() -> str:
    """Is never enough."""
    return "again"


ANSWERS: dict[str, Any] = {
    "Both": [
        thought("I look both up."),
        call("look_up", "1", order=7),
        call("look_up", "2", order=8),
    ],
    "Missing": call("look_up", order=99),
    "after_look_up": "Found.",
    "Sell": call("sell"),
    "after_sell": "Sold.",
    "Refund": call("transfer_to_refunds"),
    "Cancel": call("cancel", order=7),
    "after_cancel": "So be it.",
    "Crash": call("crash"),
    "Wait": call("wait"),
    "Expert": call("ask_expert", input="Hello"),
    "after_ask_expert": "The expert agrees.",
}


def reply(word: str, items: list[Any]) -> Any:
    if word == "Remember":
        return f"{sum(item.get('role') == 'user' for item in items)} heard"
    if word in ("Loop", "after_loop"):
        return call("loop", str(len(items)))
    return ANSWERS[word]


MODEL = Scripted(reply)
expert = Agent(name="expert", instructions="You know.", model=Scripted(lambda *_: "I agree."))
refunds = Agent(
    name="refunds",
    instructions="You refund.",
    model=Scripted(lambda word, _: "Refunded." if word.startswith("after") else "Refunds again."),
)
agent = Agent(
    name="shop",
    instructions="You sell.",
    model=MODEL,
    tools=[look_up, crash, sell, cancel, wait, loop, expert.as_tool("ask_expert", "Asks an expert.")],
    handoffs=[refunds],
)
structured = Agent(
    name="reporter", model=Scripted(lambda *_: '{"order": 7, "late": false}'), output_type=Report
)
broken = Agent(name="broken", model=Scripted(lambda *_: 1 / 0))


searching = Agent(
    name="searching",
    model=Scripted(
        lambda *_: [
            ResponseFunctionWebSearch(
                id="1",
                type="web_search_call",
                status="completed",
                action=ActionSearch(type="search", query="order 7"),
            ),
            "I searched.",
            "It is at sea.",
        ]
    ),
)


@input_guardrail
async def polite(*_: Any) -> GuardrailFunctionOutput:
    return GuardrailFunctionOutput(output_info={"word": "rude"}, tripwire_triggered=True)


@output_guardrail
async def discreet(*_: Any) -> GuardrailFunctionOutput:
    return GuardrailFunctionOutput(output_info="a secret", tripwire_triggered=True)


strict = Agent(name="strict", model=Scripted(lambda *_: "Hello."), input_guardrails=[polite])
careful = Agent(name="careful", model=Scripted(lambda *_: "The secret."), output_guardrails=[discreet])


def unreachable(*_: Any) -> Any:
    request = httpx.Request("POST", "http://localhost")
    raise APIConnectionError(request=request) from httpx.ConnectError("refused", request=request)


def overloaded(*_: Any) -> Any:
    response = httpx.Response(503, request=httpx.Request("POST", "http://localhost"))
    raise RuntimeError("the model gave up") from httpx.HTTPStatusError(
        "busy", request=response.request, response=response
    )


offline = Agent(name="offline", model=Scripted(unreachable))
overworked = Agent(name="overworked", model=Scripted(overloaded))


async def made() -> Agent[Any]:
    """One for every case."""
    return agent.clone(name="made")
