"""The shop behind the A2A protocol. Its calls are parts with the marks that google-adk's servers give them."""

import socket
import threading
import time
from contextlib import contextmanager

import uvicorn
from a2a.server.agent_execution import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types.a2a_pb2 import AgentCapabilities, AgentCard, AgentInterface, Part, Task, TaskState, TaskStatus
from docs.examples.frameworks import brain
from google.protobuf.json_format import ParseDict
from google.protobuf.struct_pb2 import Value
from starlette.applications import Starlette


def marked(kind, data):
    """A part that is a call or a result."""
    part = Part(data=ParseDict(data, Value()))
    part.metadata.update({"adk_type": kind})
    return part


class Shop(AgentExecutor):
    """Where you have your agent."""

    def __init__(self):
        self.heard = {}

    async def execute(self, context, event_queue):
        """One turn."""
        status = TaskStatus(state=TaskState.TASK_STATE_SUBMITTED)
        await event_queue.enqueue_event(
            Task(id=context.task_id, context_id=context.context_id, status=status)
        )
        updater = TaskUpdater(event_queue, context.task_id, context.context_id)
        heard = self.heard.setdefault(context.context_id, [])
        heard.append(("user", context.get_user_input()))
        agent = "shop"
        while not isinstance(thought := brain.think(agent, heard), str):
            calls = [
                {"name": name, "args": args, "id": f"{len(heard)}-{n}"}
                for n, (name, args) in enumerate(thought)
            ]
            await self._say(updater, agent, [marked("function_call", call) for call in calls])
            results = [marked("function_response", self._answer(call, heard)) for call in calls]
            await self._say(updater, agent, results)
            if calls[0]["name"] == "transfer_to_refunds":
                agent = "refunds"
        await updater.add_artifact([Part(text=thought)])
        await updater.complete()

    async def cancel(self, context, event_queue):
        """End a task."""
        await TaskUpdater(event_queue, context.task_id, context.context_id).cancel()

    async def _say(self, updater, agent, parts):
        message = updater.new_agent_message(parts)
        message.metadata.update({"adk_author": agent})
        await updater.start_work(message)

    def _answer(self, call, heard):
        try:
            text = getattr(brain, call["name"], lambda: "over to refunds")(**call["args"])
        except LookupError as error:
            text = f"failed: {error}"
        heard.append((call["name"], text))
        return {"name": call["name"], "response": {"result": text}, "id": call["id"]}


@contextmanager
def served():
    """The address of a server with the shop."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{found.getsockname()[1]}"
    card = AgentCard(
        name="shop",
        description=brain.SHOP,
        version="1",
        capabilities=AgentCapabilities(streaming=True),
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain"],
        supported_interfaces=[
            AgentInterface(url=f"{address}/", protocol_binding="JSONRPC", protocol_version="1.0")
        ],
    )
    handler = DefaultRequestHandler(Shop(), InMemoryTaskStore(), card)
    app = Starlette(routes=[*create_agent_card_routes(card), *create_jsonrpc_routes(handler, "/")])
    port = int(address.rpartition(":")[2])
    server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started and thread.is_alive():
        time.sleep(0.01)
    try:
        yield address
    finally:
        server.should_exit = server.force_exit = True
        thread.join(timeout=10)
