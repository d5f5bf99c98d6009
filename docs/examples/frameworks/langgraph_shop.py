"""The shop, written with LangGraph."""

import warnings
from typing import Annotated

from docs.examples.frameworks import brain
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import InjectedToolCallId, tool
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, create_react_agent
from langgraph.types import Command

# It has moved to the package langchain, as create_agent.
warnings.filterwarnings("ignore", "create_react_agent has been moved")

TOKENS = {"input_tokens": 20, "output_tokens": 5, "total_tokens": 25}


class Brain(BaseChatModel):
    """Where you have ``init_chat_model("openai:gpt-…")``."""

    agent: str

    def _generate(self, messages, stop=None, run_manager=None, **kwargs):  # noqa: ARG002
        heard = []
        for message in messages:
            if message.type == "human":
                heard.append(("user", message.text))
            elif message.type == "tool":
                heard.append((message.name, str(message.text)))
        thought = brain.think(self.agent, heard)
        if isinstance(thought, str):
            said = AIMessage(thought, usage_metadata=TOKENS)
        else:
            calls = [
                {"name": name, "args": args, "id": f"{len(messages)}-{n}"}
                for n, (name, args) in enumerate(thought)
            ]
            said = AIMessage("", tool_calls=calls, usage_metadata=TOKENS)
        return ChatResult(generations=[ChatGeneration(message=said)])

    def bind_tools(self, tools, **options):  # noqa: ARG002
        """Tell the model of the tools."""
        return self.bind(tools=[convert_to_openai_tool(each) for each in tools])

    @property
    def _llm_type(self):
        return "brain"


@tool
def transfer_to_refunds(call_id: Annotated[str, InjectedToolCallId]):
    """Hands over to the refunds agent."""
    told = ToolMessage("over to refunds", name="transfer_to_refunds", tool_call_id=call_id)
    return Command(goto="refunds", graph=Command.PARENT, update={"messages": [told]})


shop = create_react_agent(
    Brain(agent="shop"),
    ToolNode([tool(brain.look_up), transfer_to_refunds], handle_tool_errors=True),
    name="shop",
    prompt=brain.SHOP,
)
refunds = create_react_agent(
    Brain(agent="refunds"), [tool(brain.refund)], name="refunds", prompt=brain.REFUNDS
)
agent = (
    StateGraph(MessagesState)
    .add_node("shop", shop, destinations=("refunds",))
    .add_node("refunds", refunds)
    .add_edge(START, "shop")
    .compile()
)
