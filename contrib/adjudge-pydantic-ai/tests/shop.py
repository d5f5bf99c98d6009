"""A shop: the agents of the tests, with models that are programs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel
from pydantic_ai import Agent, DeferredToolRequests, ModelRetry, PromptedOutput, RunContext
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ThinkingPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel

ENDED: list[str] = []
STREAMED: list[str] = []


@dataclass
class Till:
    """What the tools of a case work on."""

    sales: int = 0


class Report(BaseModel):
    order: int
    late: bool


def till(state: dict[str, Any]) -> Till:
    return Till(sales=state["sales"])


def call(name: str, call_id: str = "1", **args: Any) -> ToolCallPart:
    return ToolCallPart(name, args, tool_call_id=call_id)


ANSWERS: dict[str, Any] = {
    "Both": [ThinkingPart("I look both up."), call("look_up", "1", order=7), call("look_up", "2", order=8)],
    "Missing": [call("look_up", order=99)],
    "after_look_up": "Found.",
    "Sell": [call("sell")],
    "after_sell": "Sold.",
    "Refund": [call("refund", order=7)],
    "after_refund": "Refunded.",
    "Cancel": [call("cancel", order=7)],
    "Tidy": [call("look_up", "1", order=7), call("cancel", "2", order=8)],
    "after_cancel": "So be it.",
    "Crash": [call("crash")],
    "Wait": [call("wait")],
    "Loop": [call("loop")],
    "after_loop": [call("loop")],
}


def heard(messages: list[ModelMessage]) -> str:
    last = messages[-1].parts[-1]
    name = getattr(last, "tool_name", None)
    return f"after_{name}" if name else str(last.content).split()[0].strip(".,")  # type: ignore[union-attr]


def think(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    word = heard(messages)
    users = sum(part.part_kind == "user-prompt" for message in messages for part in message.parts)
    said = f"{users} heard" if word == "Remember" else ANSWERS[word]
    return ModelResponse(parts=[TextPart(said)] if isinstance(said, str) else said)


async def think_aloud(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
    STREAMED.append(heard(messages))
    for number, part in enumerate(think(messages, info).parts):
        if isinstance(part, TextPart):
            yield part.content
        elif isinstance(part, ToolCallPart):
            yield {
                number: DeltaToolCall(part.tool_name, part.args_as_json_str(), tool_call_id=part.tool_call_id)
            }


MODEL = FunctionModel(think, stream_function=think_aloud, model_name="program-1")
agent: Agent[Any, Any] = Agent(
    MODEL, name="shop", instructions="You sell.", output_type=[str, DeferredToolRequests]
)
refunds = Agent(
    FunctionModel(lambda *_: ModelResponse(parts=[TextPart("7 is refunded")])), instructions="You refund."
)


@agent.tool_plain
async def look_up(order: int) -> dict[str, str]:
    """Looks an order up."""
    if order == 99:
        raise ModelRetry("no order 99")
    await asyncio.sleep(0.02)
    return {"at": f"port {order}"}


@agent.tool_plain
async def crash() -> str:
    """Breaks."""
    raise RuntimeError("the till is broken")


@agent.tool
async def sell(context: RunContext[Any]) -> str:
    """Sells something."""
    if isinstance(context.deps, Till):
        context.deps.sales += 1
    else:
        context.deps["sales"] += 1
    return "sold"


@agent.tool
async def refund(context: RunContext[Any], order: int) -> str:
    """Asks the refunds agent, as Pydantic AI delegates."""
    return (await refunds.run(f"Refund {order}", usage=context.usage)).output


@agent.tool_plain(requires_approval=True)
async def cancel(order: int) -> str:
    """Cancels an order."""
    return f"cancelled {order}"


@agent.tool_plain
async def wait() -> str:
    """Takes for ever."""
    try:
        await asyncio.sleep(60)
    finally:
        ENDED.append("wait")
    return "waited"


@agent.tool_plain
def loop() -> str:
    """Is never enough."""
    return "again"


def report(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    return ModelResponse(parts=[call(info.output_tools[0].name, order=7, late=False)])


def break_down(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    raise ConnectionError("no model today")


def sell_and_report(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    return ModelResponse(parts=[call("ring", "1"), call(info.output_tools[0].name, "2", order=7, late=False)])


def ring() -> str:
    """Rings the bell."""
    return "rung"


structured = Agent(FunctionModel(report), name="reporter", output_type=Report)
busy = Agent(
    FunctionModel(sell_and_report),
    name="busy",
    output_type=Report,
    tools=[ring],
    end_strategy="exhaustive",
)
prompted = Agent(
    FunctionModel(lambda *_: ModelResponse(parts=[TextPart('{"late":false,"order":7}')])),
    name="prompted",
    output_type=PromptedOutput(Report),
)
wordy = Agent(
    FunctionModel(lambda *_: ModelResponse(parts=[TextPart("It is "), TextPart("here.")])), name="wordy"
)
broken = Agent(FunctionModel(break_down), name="broken")


async def made() -> Agent[Any, Any]:
    """One for every case."""
    return Agent(FunctionModel(lambda *_: ModelResponse(parts=[TextPart("Hello.")])), name="made")
