"""A root agent that hands over to a sub-agent, which says something on the way."""

from google.adk.agents import LlmAgent
from scripted import by, call, expected_call, turn


def book(room: str) -> dict:
    """Books a room."""
    return {"booked": room}


booking = LlmAgent(
    name="booking",
    description="Books rooms.",
    model=by(
        {
            "I need a room.": ["Let me see.", call("book", room="blue")],
            "=book": "The blue room is yours.",
            "=transfer_to_agent": ["Let me see.", call("book", room="blue")],
            "Thanks.": "You are welcome, says booking.",
        }
    ),
    tools=[book],
)
root_agent = LlmAgent(
    name="reception",
    model=by({"I need a room.": call("transfer_to_agent", agent_name="booking")}, "Hello from reception."),
    sub_agents=[booking],
)

TRANSFER = expected_call("transfer_to_agent", agent_name="booking")
CASES = {
    "booked": [
        turn("I need a room.", "The blue room is yours.", TRANSFER, expected_call("book", room="blue")),
        turn("Thanks.", "You are welcome, says booking."),
    ],
    "another_room": [
        turn("I need a room.", "The red room is yours.", TRANSFER, expected_call("book", room="red"))
    ],
    "no_room": [turn("Good morning.", "Hello from reception.")],
}
EXPECTED = {
    "booked": ("PASS", [["transfer_to_agent", "book"], []]),
    "another_room": ("FAIL", [["transfer_to_agent", "book"]]),
    "no_room": ("PASS", [[]]),
}
