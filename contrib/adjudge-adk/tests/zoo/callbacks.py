"""Callbacks that change requests, arguments, results and answers."""

from google.adk.agents import LlmAgent
from google.adk.models.llm_response import LlmResponse
from google.genai import types
from scripted import by, call, expected_call, response, turn


def send(to: str) -> dict:
    """Sends a letter."""
    return {"sent": to}


def before_model(callback_context, llm_request):
    if llm_request.contents[-1].parts[0].text == "Bad word!":
        return response("I do not answer that.")
    return None


def after_model(callback_context, llm_response):
    text = llm_response.content.parts[0].text
    if not text:
        return None
    return LlmResponse(content=types.Content(role="model", parts=[types.Part(text=text.upper())]))


def before_tool(tool, args, tool_context):
    if args["to"] == "nobody":
        return {"refused": True}
    args["to"] = args["to"].title()
    return None


def after_tool(tool, args, tool_context, tool_response):
    return {**tool_response, "stamped": True}


root_agent = LlmAgent(
    name="post",
    model=by(
        {
            "Write to ann.": call("send", to="ann"),
            "Write to nobody.": call("send", to="nobody"),
            "=send": "done.",
        }
    ),
    tools=[send],
    before_model_callback=before_model,
    after_model_callback=after_model,
    before_tool_callback=before_tool,
    after_tool_callback=after_tool,
)

CASES = {
    "sent": [turn("Write to ann.", "DONE.", expected_call("send", to="ann"))],
    "title": [turn("Write to ann.", "DONE.", expected_call("send", to="Ann"))],
    "refused": [turn("Write to nobody.", "DONE.", expected_call("send", to="nobody"))],
    "stopped": [turn("Bad word!", "I do not answer that.")],
}
EXPECTED = {
    "sent": ("PASS", [["send"]]),
    "title": ("FAIL", [["send"]]),
    "refused": ("PASS", [["send"]]),
    "stopped": ("PASS", [[]]),
}
