"""The shop, written with Pydantic AI."""

from docs.examples.frameworks import brain
from pydantic_ai import Agent, ModelRetry
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel


def model(agent):
    """Where you have ``"openai:gpt-…"``."""

    def answer(messages, info):  # noqa: ARG001
        heard = []
        for message in messages:
            for part in message.parts:
                if part.part_kind == "user-prompt":
                    heard.append(("user", part.content))
                elif part.part_kind in ("tool-return", "retry-prompt"):
                    heard.append((part.tool_name, str(part.content)))
        thought = brain.think(agent, heard, hands_over=False)
        if isinstance(thought, str):
            return ModelResponse(parts=[TextPart(thought)])
        return ModelResponse(parts=[ToolCallPart(name, args) for name, args in thought])

    return FunctionModel(answer)


refunds = Agent(model("refunds"), name="refunds", instructions=brain.REFUNDS, tools=[brain.refund])
agent = Agent(model("shop"), name="shop", instructions=brain.SHOP)


@agent.tool_plain
def look_up(order: int) -> str:
    """Looks up where an order is."""
    try:
        return brain.look_up(order)
    except LookupError as error:
        raise ModelRetry(str(error)) from error


@agent.tool_plain
async def refund(order: int) -> str:
    """Asks the refunds agent: Pydantic AI delegates, and hands nothing over."""
    return (await refunds.run(f"Refund order {order}.")).output
