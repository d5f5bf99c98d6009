"""A shop: the graphs of the tests."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from operator import add
from typing import Annotated, Any, TypedDict

from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import InjectedToolCallId, tool
from langgraph.func import entrypoint
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import InjectedState, ToolNode, create_react_agent
from langgraph.runtime import get_runtime
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command, interrupt
from pydantic import BaseModel
from scripted import Scripted, call

ENDED: list[str] = []


class ShopState(MessagesState):
    """What a case keeps."""

    sales: Annotated[int, add]
    remaining_steps: int


@tool
async def look_up(order: int) -> dict[str, str]:
    """Looks an order up."""
    if order == 99:
        raise LookupError("no order 99")
    await asyncio.sleep(0.02)
    return {"at": f"port {order}"}


@tool
async def crash() -> str:
    """Breaks."""
    raise RuntimeError("the till is broken")


@tool
def sell(
    call_id: Annotated[str, InjectedToolCallId], state: Annotated[dict[str, Any], InjectedState]
) -> Command[Any]:
    """Sells something."""
    return Command(update={"sales": 1, "messages": [ToolMessage("sold", name="sell", tool_call_id=call_id)]})


@tool
def cancel(order: int) -> str:
    """Cancels an order."""
    reply = interrupt(f"Cancel order {order}?")
    return f"cancelled {order}" if reply == "Yes." else f"kept, as the user said {reply}"


@tool
async def wait() -> str:
    """Takes for ever."""
    try:
        await asyncio.sleep(60)
    finally:
        ENDED.append("wait")
    return "waited"


@tool
def loop() -> str:
    """Is never enough."""
    return "again"


expert = create_react_agent(
    Scripted(reply=lambda *_: "I agree."), [], name="expert", prompt="You know everything."
)


@tool
async def ask_expert(question: str) -> str:
    """Asks an expert, who is an agent."""
    said = await expert.ainvoke({"messages": [("user", question)]})
    return str(said["messages"][-1].text)


@tool
def transfer_to_refunds(call_id: Annotated[str, InjectedToolCallId]) -> Command[Any]:
    """Hands over to the refunds agent."""
    told = ToolMessage("over to refunds", name="transfer_to_refunds", tool_call_id=call_id)
    return Command(goto="refunds", graph=Command.PARENT, update={"messages": [told]})


ANSWERS: dict[str, Any] = {
    "Both": AIMessage(
        [{"type": "thinking", "thinking": "I look both up."}],
        tool_calls=[call("look_up", "1", order=7), call("look_up", "2", order=8)],
        usage_metadata={"input_tokens": 10, "output_tokens": 5, "total_tokens": 15},
        response_metadata={"model_name": "program-1"},
    ),
    "Missing": [call("look_up", order=99)],
    "after_look_up": "Found them all.",
    "Unknown": [call("no_such", order=7)],
    "after_no_such": "There is no such tool.",
    "Sell": [call("sell")],
    "after_sell": "Sold.",
    "Refund": [call("transfer_to_refunds")],
    "Cancel": [call("cancel", order=7)],
    "after_cancel": "So be it.",
    "Crash": [call("crash")],
    "Wait": [call("wait")],
    "Expert": [call("ask_expert", question="Hello")],
    "after_ask_expert": "The expert agrees.",
    "Loop": [call("loop")],
    "after_loop": [call("loop")],
}


def reply(word: str, messages: list[Any]) -> Any:
    if word == "Remember":
        return f"{sum(message.type == 'human' for message in messages)} heard"
    return ANSWERS[word]


TOOLS = [look_up, crash, sell, cancel, wait, loop, ask_expert, transfer_to_refunds]


def handled(error: Exception) -> str:
    if isinstance(error, LookupError):
        return str(error)
    raise error


agent = create_react_agent(
    Scripted(reply=reply),
    ToolNode(TOOLS, handle_tool_errors=handled),
    name="shop",
    prompt="You sell.",
    state_schema=ShopState,
)
refunds = create_react_agent(Scripted(reply=lambda *_: "Refunded."), [], name="refunds", prompt="You refund.")

shop = (
    StateGraph(ShopState)
    .add_node("shop", agent, destinations=("refunds",))
    .add_node("refunds", refunds)
    .add_edge(START, "shop")
    .compile(name="both")
)


class Report(BaseModel):
    order: int
    late: bool


class Asked(TypedDict, total=False):
    """A graph that has no messages."""

    question: str
    report: Report
    visits: int


@dataclass
class Desk:
    """What a graph is given when it runs."""

    clerk: str


def desk(state: dict[str, Any]) -> Desk:
    return Desk(clerk=state["clerk"])


def reported(state: Asked) -> Asked:
    if state["question"].startswith("Raise"):
        raise ValueError("no report today")
    return {"report": Report(order=7, late=False)}


def greeted(state: MessagesState) -> dict[str, Any]:
    store = get_runtime(Desk).store
    assert store is not None
    seen = store.get(("visits",), "count")
    visits = 1 if seen is None else seen.value["n"] + 1
    store.put(("visits",), "count", {"n": visits})
    return {"messages": [AIMessage(f"Visit {visits}, {get_runtime(Desk).context.clerk} says.")]}


reporter = StateGraph(Asked).add_node("report", reported).add_edge(START, "report").compile()
STORE = InMemoryStore()
STORE.put(("visits",), "count", {"n": 10})
greeter = (
    StateGraph(MessagesState, context_schema=Desk)
    .add_node("greet", greeted)
    .add_edge(START, "greet")
    .add_edge("greet", END)
    .compile(store=STORE)
)
careful = (
    StateGraph(ShopState)
    .add_node("shop", agent)
    .add_edge(START, "shop")
    .compile(name="careful", interrupt_before=["shop"])
)


@entrypoint()
def workflow(said: dict[str, Any]) -> str:
    return str(said)


def order(word: str, messages: list[Any]) -> Any:
    if not word.startswith("after"):
        number = str(len(messages))
        return [call("cancel_order", f"{number}-1", order=7), call("look_up", f"{number}-2", order=7)]
    return " ".join(message.text for message in messages if message.type == "tool")


@tool
def cancel_order(order: int) -> str:
    """Cancels an order, which a person has to approve."""
    return f"cancelled {order}"


supervised = create_agent(
    Scripted(reply=order),
    [cancel_order, look_up],
    system_prompt="You cancel.",
    middleware=[HumanInTheLoopMiddleware(interrupt_on={"cancel_order": True})],
    name="supervised",
)


@tool
def track(order: int) -> str:
    """Tracks an order."""
    return find.invoke({"order": order})


@tool
def find(order: int) -> str:
    """Finds an order."""
    if order == 99:
        raise LookupError("no order 99")
    return f"port {order}"


def tracked(state: MessagesState) -> dict[str, Any]:
    number = int(str(state["messages"][-1].content).split()[-1].strip("."))
    found = [track.invoke({"order": number}), find.invoke({"order": number + 1})]
    return {"messages": [AIMessage(" and ".join(found))]}


tracker = StateGraph(MessagesState).add_node("desk", tracked).add_edge(START, "desk").compile()


def made() -> Any:
    """One for every case."""
    return create_react_agent(Scripted(reply=lambda *_: "Hello."), [], name="made")


@asynccontextmanager
async def opened() -> AsyncIterator[Any]:
    """One for every case, which holds something until the end of the case."""
    try:
        yield made()
    finally:
        ENDED.append("opened")
