"""The shop, written with Google's ADK."""

from docs.examples.frameworks import brain
from google.adk.agents import LlmAgent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.genai import types

TOKENS = types.GenerateContentResponseUsageMetadata(
    prompt_token_count=20, candidates_token_count=5, total_token_count=25
)


class Brain(BaseLlm):
    """Where you have ``model="gemini-…"``."""

    agent: str

    async def generate_content_async(self, llm_request, stream=False):  # noqa: ARG002
        """What the model answers."""
        heard = []
        for content in llm_request.contents:
            for part in content.parts or ():
                if part.function_response is not None:
                    heard.append((part.function_response.name, str(part.function_response.response)))
                elif part.text and content.role == "user" and not part.text.startswith(("For context", "[")):
                    heard.append(("user", part.text))
                elif part.text and "`refund` tool returned" in part.text:
                    heard.append(("refund", part.text))
        thought = brain.think(self.agent, heard)
        parts = [types.Part(text=thought)] if isinstance(thought, str) else [call(each) for each in thought]
        yield LlmResponse(content=types.Content(role="model", parts=parts), usage_metadata=TOKENS)


def call(thought):
    """A call of a tool; ADK has one tool for every handover."""
    name, args = thought
    if name == "transfer_to_refunds":
        name, args = "transfer_to_agent", {"agent_name": "refunds"}
    return types.Part(function_call=types.FunctionCall(name=name, args=args))


def look_up(order: int) -> dict:
    """Looks up where an order is."""
    try:
        return {"result": brain.look_up(order)}
    except LookupError as error:
        return {"error": str(error)}


refunds = LlmAgent(
    name="refunds",
    model=Brain(model="brain", agent="refunds"),
    instruction=brain.REFUNDS,
    tools=[brain.refund],
)
agent = LlmAgent(
    name="shop",
    model=Brain(model="brain", agent="shop"),
    instruction=brain.SHOP,
    tools=[look_up],
    sub_agents=[refunds],
)
