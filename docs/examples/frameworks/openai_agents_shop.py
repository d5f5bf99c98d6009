"""The shop, written with the OpenAI Agents SDK."""

# ruff: noqa: ARG002 - the SDK calls with these names

import json

from agents import Agent, Model, ModelResponse, Usage, function_tool
from docs.examples.frameworks import brain
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText


class Brain(Model):
    """Where you have ``model="gpt-…"``."""

    def __init__(self, agent):
        self.agent = agent

    async def get_response(self, system_instructions, input, *settings, **more):  # noqa: A002
        """What the model answers."""
        names = {item["call_id"]: item["name"] for item in input if item.get("type") == "function_call"}
        heard = []
        for item in input:
            if item.get("role") == "user":
                heard.append(("user", item["content"][0]["text"]))
            elif item.get("type") == "function_call_output":
                heard.append((names[item["call_id"]], str(item["output"])))
        thought = brain.think(self.agent, heard)
        if isinstance(thought, str):
            text = ResponseOutputText(type="output_text", text=thought, annotations=[])
            message = {"id": "m", "type": "message", "role": "assistant", "status": "completed"}
            output = [ResponseOutputMessage(content=[text], **message)]
        else:
            output = [
                ResponseFunctionToolCall(
                    type="function_call", name=name, arguments=json.dumps(args), call_id=f"{len(input)}-{n}"
                )
                for n, (name, args) in enumerate(thought)
            ]
        usage = Usage(requests=1, input_tokens=20, output_tokens=5, total_tokens=25)
        return ModelResponse(output=output, usage=usage, response_id=None)

    def stream_response(self, *args, **options):
        """It does not stream."""
        raise NotImplementedError


refunds = Agent(
    name="refunds", instructions=brain.REFUNDS, model=Brain("refunds"), tools=[function_tool(brain.refund)]
)
agent = Agent(
    name="shop",
    instructions=brain.SHOP,
    model=Brain("shop"),
    tools=[function_tool(brain.look_up)],
    handoffs=[refunds],
)
