"""A tool whose result comes later."""

from google.adk.agents import LlmAgent
from google.adk.tools.long_running_tool import LongRunningFunctionTool
from scripted import by, call, expected_call, turn


def approve(amount: int) -> dict:
    """Asks somebody for approval."""
    return {"status": "pending", "ticket": 7}


def never(amount: int) -> None:
    """Asks somebody who does not answer."""


root_agent = LlmAgent(
    name="expenses",
    model=by(
        {
            "May I spend 100?": call("approve", amount=100),
            "=approve": "Ticket 7 is pending.",
            "May I spend 200?": ["I ask.", call("never", amount=200)],
        }
    ),
    tools=[LongRunningFunctionTool(approve), LongRunningFunctionTool(never)],
)

CASES = {
    "pending": [turn("May I spend 100?", "Ticket 7 is pending.", expected_call("approve", amount=100))],
    "unanswered": [turn("May I spend 200?", "I ask.", expected_call("never", amount=200))],
    "approved": [turn("May I spend 100?", "You may.", expected_call("approve", amount=100))],
}
EXPECTED = {
    "pending": ("PASS", [["approve"]]),
    "unanswered": ("PASS", [["never"]]),
    "approved": ("FAIL", [["approve"]]),
}
