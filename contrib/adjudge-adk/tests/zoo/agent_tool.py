"""An agent that another calls as a tool, and that calls a tool of its own."""

from google.adk.agents import LlmAgent
from google.adk.tools.agent_tool import AgentTool
from scripted import by, call, expected_call, turn


def look_up(word: str) -> dict:
    """Looks a word up."""
    return {"means": f"the {word}"}


expert = LlmAgent(
    name="expert",
    description="Knows words.",
    instruction="You look up words.",
    model=by({"chat": ["I look it up.", call("look_up", word="chat")], "=look_up": "It is the cat."}),
    tools=[look_up],
)
root_agent = LlmAgent(
    name="translator",
    model=by({"What is a chat?": call("expert", request="chat"), "=expert": "A cat."}),
    tools=[AgentTool(agent=expert)],
)

CASES = {
    "asked": [turn("What is a chat?", "A cat.", expected_call("expert", request="chat"))],
    "nested_call_expected": [
        turn(
            "What is a chat?",
            "A cat.",
            expected_call("expert", request="chat"),
            expected_call("look_up", word="chat"),
        )
    ],
}
EXPECTED = {"asked": ("PASS", [["expert"]]), "nested_call_expected": ("FAIL", [["expert"]])}
