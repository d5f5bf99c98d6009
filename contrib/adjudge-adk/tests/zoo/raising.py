"""An agent that raises in its second turn, by its model or by a tool."""

from google.adk.agents import LlmAgent
from scripted import Scripted, call, expected_call, heard, turn


def divide(by: int) -> dict:
    """Divides one."""
    return {"is": 1 / by}


def reply(request):
    match heard(request):
        case "Again.":
            raise ValueError("the model is gone")
        case "Divide by zero.":
            return call("divide", by=0)
    return "Hello."


root_agent = LlmAgent(name="fragile", model=Scripted(reply=reply), tools=[divide])

CASES = {
    "fine": [turn("Hi.", "Hello.")],
    "model_raises": [turn("Hi.", "Hello."), turn("Again.", "Hello.")],
    "tool_raises": [turn("Hi.", "Hello."), turn("Divide by zero.", "Hello.", expected_call("divide", by=0))],
}
EXPECTED = {
    "fine": ("PASS", [[]]),
    "model_raises": ("error", [[], []]),
    "tool_raises": ("error", [[], ["divide"]]),
}
