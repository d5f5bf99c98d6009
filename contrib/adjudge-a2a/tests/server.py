"""A real A2A server in a thread: an agent that does what the user's words say."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import uvicorn
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.events import EventQueue
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes, create_rest_routes
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types.a2a_pb2 import (
    AgentCapabilities,
    AgentCard,
    AgentInterface,
    AgentSkill,
    Message,
    Part,
    Role,
    Task,
    TaskState,
    TaskStatus,
)
from google.protobuf.json_format import ParseDict
from google.protobuf.struct_pb2 import Struct, Value
from starlette.applications import Starlette
from starlette.routing import BaseRoute

CANCELLED: list[str] = []


def data_part(data: dict[str, Any]) -> Part:
    return Part(data=ParseDict(data, Value()))


def marked(part: Part, **metadata: Any) -> Part:
    part.metadata.CopyFrom(Struct())
    part.metadata.update(metadata)
    return part


def call(order: int) -> Part:
    data = {"name": "look_up", "args": {"order": order}, "id": str(order)}
    return marked(data_part(data), adk_type="function_call")


def result(order: int) -> Part:
    data = {"name": "look_up", "response": {"at": f"port {order}"}, "id": str(order)}
    return marked(data_part(data), adk_type="function_response")


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


class Shop(AgentExecutor):
    """Speaks as google-adk's servers do where the protocol has no words."""

    def __init__(self) -> None:
        self.heard: dict[str, int] = {}

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:  # noqa: C901 - one case a word
        assert context.context_id is not None and context.task_id is not None
        said = context.get_user_input().split()[0].strip(".,")
        count = self.heard[context.context_id] = self.heard.get(context.context_id, 0) + 1
        if said == "Direct":
            await event_queue.enqueue_event(
                Message(
                    message_id="m",
                    context_id=context.context_id,
                    role=Role.ROLE_AGENT,
                    parts=[Part(text=f"{count} heard")],
                )
            )
            return
        if context.current_task is None:
            submitted = TaskStatus(state=TaskState.TASK_STATE_SUBMITTED)
            task = Task(id=context.task_id, context_id=context.context_id, status=submitted)
            task.history.append(context.message)
            await event_queue.enqueue_event(task)
        updater = TaskUpdater(event_queue, context.task_id, context.context_id)

        async def working(*parts: Part, author: str | None = None) -> None:
            message = updater.new_agent_message(list(parts))
            if author is not None:
                message.metadata.update({"adk_author": author})
            await updater.start_work(message)

        match said:
            case "Both":
                await working(marked(Part(text="I look both up."), adk_thought=True), call(7), call(8))
                await working(result(7), result(8))
                await updater.add_artifact([Part(text="Found.")])
                await updater.complete()
            case "Refund":
                await working(Part(text="I hand over."))
                await working(Part(text="I refund it."), author="refunds")
                await updater.add_artifact([Part(text="Refunded.")])
                await updater.complete()
            case "Stream":
                for number, piece in enumerate(("Here ", "it ", "is.")):
                    await updater.add_artifact([Part(text=piece)], artifact_id="a", append=number > 0)
                await updater.complete()
            case "Structure":
                await updater.add_artifact([data_part({"order": 7, "late": False})])
                await updater.complete()
            case "Send":
                await updater.add_artifact(
                    [Part(text="Here: "), Part(raw=b"PDF", media_type="application/pdf")]
                )
                await updater.add_artifact([Part(url="http://shop/7.png", media_type="image/png")])
                await updater.complete()
            case "Plan":
                await working(Part(text="I plan."))
                await updater.add_artifact([Part(text="A draft.")], artifact_id="draft")
                await updater.requires_input(updater.new_agent_message([Part(text="Which city?")]))
            case "Oslo":
                await working(Part(text="I go on."))
                await updater.add_artifact([Part(text="To Oslo.")], artifact_id="plan")
                await updater.complete()
            case "Cancel":
                await updater.requires_input(updater.new_agent_message([Part(text="Cancel order 7?")]))
            case "Yes":
                await updater.complete(updater.new_agent_message([Part(text="cancelled 7")]))
            case "Fail":
                await working(Part(text="I try."))
                await updater.failed(updater.new_agent_message([Part(text="no stock")]))
            case "Crash":
                raise RuntimeError("the till is broken")
            case "Wait":
                await working(Part(text="I wait."))
                await asyncio.sleep(60)

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        assert context.context_id is not None and context.task_id is not None
        CANCELLED.append(context.task_id)
        await TaskUpdater(event_queue, context.task_id, context.context_id).cancel()


@contextmanager
def serving(
    executor: AgentExecutor, streaming: bool = True, binding: str = "JSONRPC", version: str = "1.0"
) -> Iterator[str]:
    """The address of a server that runs the agent."""
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    skill = AgentSkill(id="orders", name="orders", description="Looks orders up.", tags=["shop"])
    card = AgentCard(
        name="shop",
        description="A shop.",
        version="1",
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain"],
        capabilities=AgentCapabilities(streaming=streaming),
        supported_interfaces=[
            AgentInterface(url=address, protocol_binding=binding, protocol_version=version)
        ],
        skills=[skill],
    )
    handler = DefaultRequestHandler(executor, InMemoryTaskStore(), card)
    routes = [
        *create_jsonrpc_routes(handler, "/", enable_v0_3_compat=True),
        *create_rest_routes(handler, enable_v0_3_compat=True),
    ]
    with answering([*create_agent_card_routes(card), *routes], port):
        yield address


@contextmanager
def answering(routes: Sequence[BaseRoute], port: int) -> Iterator[None]:
    """A server with these routes."""
    app = Starlette(routes=routes)
    server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started and thread.is_alive():
        time.sleep(0.01)
    yield
    server.should_exit = server.force_exit = True
    thread.join(timeout=10)
