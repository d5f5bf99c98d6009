"""A model that thinks aloud before it calls and before it answers."""

from google.adk.agents import LlmAgent
from scripted import by, call, expected_call, thought, turn


def roll(sides: int) -> dict:
    """Rolls a die."""
    return {"rolled": 4}


root_agent = LlmAgent(
    name="thinker",
    model=by(
        {
            "Roll.": [thought("A die is wanted."), call("roll", sides=6)],
            "=roll": [thought("It was a four, and the user wants to know that."), "I rolled a 4."],
        }
    ),
    tools=[roll],
)

CASES = {"rolled": [turn("Roll.", "I rolled a 4.", expected_call("roll", sides=6))]}
EXPECTED = {"rolled": ("PASS", [["roll"]])}
