"""An agent that says nothing, or nothing but white space; and one that calls a tool that it does not have."""

from google.adk.agents import LlmAgent
from google.adk.models.llm_response import LlmResponse
from google.genai import types
from scripted import by, call, expected_call, turn

root_agent = LlmAgent(
    name="silent",
    model=by(
        {
            "Say nothing.": LlmResponse(content=types.Content(role="model", parts=[])),
            "Say a space.": " ",
            "Call.": call("not_there", x=1),
        },
        "There is no such tool.",
    ),
)

CASES = {
    "nothing": [turn("Say nothing.", "Something.")],
    "space": [turn("Say a space.", "Something.")],
    "unknown_tool": [turn("Call.", "There is no such tool.", expected_call("not_there", x=1))],
}
EXPECTED = {
    "nothing": ("FAIL", [[]]),
    "space": ("FAIL", [[]]),
    "unknown_tool": ("PASS", [["not_there"]]),
}
