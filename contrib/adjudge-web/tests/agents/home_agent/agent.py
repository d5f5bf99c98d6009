"""An agent of google-adk whose model is a program: it switches devices."""

from collections.abc import AsyncGenerator

from google.adk.agents import LlmAgent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types


class Scripted(BaseLlm):
    model: str = "scripted"

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        last = llm_request.contents[-1].parts[-1]
        if last.function_response is not None:
            parts = [types.Part(text="I have set the device_2 status to off.")]
        else:
            call = types.FunctionCall(
                name="set_device_info", args={"location": "Bedroom", "device_id": "device_2", "status": "OFF"}
            )
            parts = [types.Part(text="The user wants it off.", thought=True), types.Part(function_call=call)]
        yield LlmResponse(
            content=types.Content(role="model", parts=parts),
            usage_metadata=types.GenerateContentResponseUsageMetadata(
                prompt_token_count=10, candidates_token_count=5, total_token_count=15
            ),
        )


def set_device_info(location: str, device_id: str, status: str) -> dict[str, str]:
    """Switches a device."""
    return {"result": f"{device_id} in the {location} is {status}."}


root_agent = LlmAgent(
    name="home_agent", model=Scripted(), instruction="You switch devices.", tools=[set_device_info]
)
