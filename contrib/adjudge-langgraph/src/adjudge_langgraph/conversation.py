"""One case with a graph, and the adapter that starts it."""

from __future__ import annotations

import copy
import uuid
from contextlib import AsyncExitStack
from importlib import metadata
from typing import Any, Final

from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.constants import END
from langgraph.errors import GraphRecursionError
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command

from adjudge.kit.framework_agent import (
    FrameworkAgent,
    FrameworkConversation,
    agent_source,
    answer_text,
    case_context,
)
from adjudge.kit.plain_json import plain_json
from adjudge.kit.turn_steps import TurnSteps
from adjudge.model import AgentDetails, AppDetails, Blob, Content, Item, JsonObject, Text
from adjudge.plugin import AgentAdapter, AgentError, Host, InputError, Problem, SessionRequest, did_you_mean
from adjudge_langgraph import LangGraphConfig, is_graph
from adjudge_langgraph.interrupts import question, reply
from adjudge_langgraph.recorder import Call, Recorder

_MESSAGES: Final = "messages"
_STRUCTURED: Final = "structured_response"


def graph_agent(config: LangGraphConfig, host: Host) -> AgentAdapter:
    """The adapter for a graph.

    Raises:
        InputError: there is no such graph, or its state has no such key.
    """
    source = agent_source(config.target, host, "a compiled graph of LangGraph", is_graph)
    if is_graph(source.found):
        _check_keys(source.found, config)
    contexts = case_context(config.context, host)

    async def converse(request: SessionRequest, stack: AsyncExitStack) -> FrameworkConversation:
        graph = await source.agent(stack)
        _check_keys(graph, config)
        context = None if config.context is None else contexts(request)
        return _Conversation(graph, request, config, context)

    async def describe(stack: AsyncExitStack) -> AppDetails:
        found = _described(await source.agent(stack))
        return AppDetails(agent_details={found.name: found})

    return FrameworkAgent(
        "langgraph agent", source.loop, converse, describe, {"langgraph": metadata.version("langgraph")}
    )


class _Conversation:
    def __init__(self, graph: Any, request: SessionRequest, config: LangGraphConfig, context: object) -> None:
        # What the program remembers of its own users is not touched, and nothing of this case stays.
        own: JsonObject = {"checkpointer": InMemorySaver()}
        if isinstance(graph.store, InMemoryStore) and not graph.store.index_config:
            own["store"] = _copied(graph.store)
        self._graph = graph.copy(update=own)
        start = request.session_input
        thread = start.session_id or str(uuid.uuid4())
        self._config = config
        self._options: JsonObject = {"configurable": {"thread_id": thread, "user_id": start.user_id}}
        if config.recursion_limit is not None:
            self._options["recursion_limit"] = config.recursion_limit
        self._context = {} if context is None else {"context": context}
        self._start = copy.deepcopy(start.state)
        self._state: JsonObject = copy.deepcopy(start.state)
        self._begun = False
        self._stopped: list[Any] | None = None
        self._waiting: dict[str, Call] = {}

    async def say(self, said: Content, turn: TurnSteps) -> None:
        recorder = Recorder(turn, self._graph.name, self._waiting)
        options = {**self._options, "callbacks": [recorder]}
        modes = ["values", "messages"] if self._config.stream else ["values"]
        try:
            async for _ in self._graph.astream(
                self._input(said), options, stream_mode=modes, **self._context
            ):
                pass
        except GraphRecursionError as error:
            raise AgentError(str(error), code="turn_limit") from error
        finally:
            recorder.take_results()
        snapshot = await self._graph.aget_state(self._options)
        values: JsonObject = snapshot.values
        recorder.hear(values.get(_MESSAGES) or ())
        recorder.take_results()
        kept = {key: value for key, value in values.items() if key != _MESSAGES}
        self._state = plain_json([kept])[0]
        self._waiting = recorder.waiting if snapshot.next else {}
        if snapshot.next:
            self._stopped = [each for task in snapshot.tasks for each in task.interrupts]
            asked = [plain_json([each.value])[0] for each in self._stopped]
            before = f"May I go on with {' and '.join(snapshot.next)}?"
            turn.answer(
                "\n".join(map(question, asked)) or before,
                asks=[{"value": each} for each in asked] or [{"before": list(snapshot.next)}],
            )
        else:
            turn.answer(self._answer(values))

    def _input(self, said: Content) -> Any:
        stopped, self._stopped = self._stopped, None
        if stopped is None:
            key = self._config.input
            words = [HumanMessage(_content(said))] if key == _MESSAGES else said.text
            first = {} if self._begun else self._start
            self._begun = True
            return {**first, key: words}
        if not stopped:
            return None
        replies = {each.id: reply(each.value, said) for each in stopped}
        return Command(resume=replies if len(replies) > 1 else replies[stopped[0].id])

    @property
    def _output(self) -> str:
        return self._config.output or _MESSAGES

    def _answer(self, values: JsonObject) -> str:
        if self._config.output is None and values.get(_STRUCTURED) is not None:
            return answer_text(values[_STRUCTURED])
        found = values.get(self._output)
        if self._output != _MESSAGES:
            return answer_text(found)
        last = found[-1] if found else None
        return str(last.text) if isinstance(last, AIMessage) else ""

    @property
    def state(self) -> JsonObject | None:
        return copy.deepcopy(self._state)


def _check_keys(graph: Any, config: LangGraphConfig) -> None:
    known = list(graph.stream_channels_list)
    if known == [END]:
        what = "the graph is a workflow of the functional API (@entrypoint), whose state has no keys"
        raise InputError(Problem(what=what, hint="Call it in a node of a graph, and name the graph."))
    if config.input not in known:
        what = f"the state of the graph has no key {config.input!r}.{did_you_mean(config.input, known)}"
        hint = f"It has {', '.join(known)}: --agent-option input=KEY --agent-option output=KEY"
        raise InputError(Problem(what=what, hint=hint))


def _described(graph: Any) -> AgentDetails:
    """The tools of the graph's nodes; what its models are told is decided in the nodes."""
    tools = [
        tool
        for node in graph.nodes.values()
        for tool in getattr(getattr(node, "bound", None), "tools_by_name", {}).values()
    ]
    declared = tuple(plain_json(convert_to_openai_tool(tool)) for tool in tools)
    return AgentDetails(name=graph.name, tool_declarations=declared)


def _copied(store: InMemoryStore) -> InMemoryStore:
    made = InMemoryStore()
    for namespace in store.list_namespaces(limit=1_000_000):
        for item in store.search(namespace, limit=1_000_000):
            if item.namespace == namespace:
                made.put(item.namespace, item.key, copy.deepcopy(item.value))
    return made


def _content(said: Content) -> Any:
    parts = [_part(item) for item in said.items]
    return said.text if all(part["type"] == "text" for part in parts) else parts


def _part(item: Item) -> JsonObject:
    match item:
        case Text():
            return {"type": "text", "text": item.text}
        case Blob():
            address = item.uri or f"data:{item.mime_type or 'application/octet-stream'};base64,{item.data}"
            return {"type": "image_url", "image_url": {"url": address}}
        case _:
            what = f"the user's message has a part ({type(item).__name__}) that LangChain does not take"
            raise AgentError(what, code="unsupported_content")
